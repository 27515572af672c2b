"""Predicted against printed capacity on real logs, where KVAUDIT_CORPUS names a collection."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks import capacity


def test_predicted_capacities_are_the_printed_ones() -> None:
    named = os.environ.get("KVAUDIT_CORPUS")
    if not named:
        pytest.skip("KVAUDIT_CORPUS does not name a collection of logs and checkpoint files")
    found, needs = capacity.rows(Path(named))
    predicted = [row for row in found if row.error is not None]
    assert predicted, "the collection holds no start whose capacity can be predicted"
    assert [row for row in predicted if abs(row.error or 0) > 0.2] == []
    assert [row for row in predicted if row.wrong_widths] == []
    assert all(min(abs(one.printed - one.sixteen), abs(one.printed - one.eight)) < 0.01 for one in needs)
