"""How far apart two values are, and where that is too far."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.report import Difference
from kvaudit.audit.tolerance import beyond_tolerance, relative_gap


@pytest.mark.parametrize(
    ("left", "right", "gap"),
    [
        (100, 80, 0.2),
        (80, 100, 0.2),
        (100, 100, 0.0),
        (0, 0, 0.0),
        (0, 5, 1.0),
        (-0.2, 0.2, 2.0),
        ("a", "a", 0.0),
        ("a", "b", 1.0),
        (True, False, 1.0),
        (True, True, 0.0),
        (None, 1, 1.0),
        ([1], [1], 0.0),
    ],
)
def test_relative_gap(left: Any, right: Any, gap: float) -> None:
    assert relative_gap(left, right) == pytest.approx(gap)


@pytest.mark.parametrize(
    ("field", "left", "right", "beyond"),
    [
        ("kv_cache.tokens", 100_000, 98_001, False),  # 2 %
        ("kv_cache.tokens", 100_000, 97_999, True),
        ("memory.utilization", 0.9, 0.8992, False),  # 0.1 %
        ("memory.utilization", 0.9, 0.8990, True),
        ("model.max_len", 8192, 8191, True),
        ("model.path", "a", "b", True),
        ("gpu.power_limit_w", [700.0, 700.0], [700.0, 694.0], False),  # 1 %
        ("gpu.power_limit_w", [700.0, 700.0], [700.0, 690.0], True),
        ("gpu.power_limit_w", [700.0], [700.0, 700.0], True),
    ],
)
def test_beyond_tolerance(field: str, left: Any, right: Any, beyond: bool) -> None:
    assert beyond_tolerance(Difference(field=field, values=(left, right), states=("known", "known"), class_="confound")) is beyond
