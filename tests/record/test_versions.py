"""Releases, builds between releases, and strings that are no version."""

from __future__ import annotations

import pytest
from packaging.version import Version

from kvaudit.record.versions import bounds, within


@pytest.mark.parametrize(
    ("printed", "low", "high", "released"),
    [
        ("0.25.1", "0.25.1", "0.25.1", True),
        ("v0.22.0", "0.22.0", "0.22.0", True),
        ("0.9", "0.9", "0.9", True),
        ("0.15.1.post1", "0.15.1", "0.15.1", True),
        ("0.13.0+nv26.01", "0.13.0", "0.13.0", False),
        ("0.14.0rc1", "0.13.999", "0.14.0", False),
        ("0.15.1rc0", "0.15.0", "0.15.1", False),
        ("0.22.0a3", "0.21.999", "0.22.0", False),
        ("0.14.0rc1.dev2+g7d9", "0.13.999", "0.15", False),
        ("0.20.2.dev0+gabc", "0.20.1", "0.21", False),
        ("1.0.0rc1", "0.999.999", "1.0.0", False),
    ],
)
def test_where_a_build_lies(printed: str, low: str, high: str, released: bool) -> None:
    found = bounds(printed)
    assert found is not None
    assert found.high == Version(high)
    assert found.released is released
    assert found.low == Version(low)


@pytest.mark.parametrize("printed", [None, "", "unknown", "dev", "8193 (ecd99d6a9)", "0.1.dev1+g9759e3b06", "0.1.dev14", "main"])
def test_no_version(printed: str | None) -> None:
    assert bounds(printed) is None


def test_low_is_never_above_high() -> None:
    for printed in ("1.0.0rc1", "2.0.0.dev3", "0.0.0rc1", "1.1.0rc2"):
        found = bounds(printed)
        assert found is not None
        assert found.low <= found.high


@pytest.mark.parametrize(
    ("version", "since", "until", "holds"),
    [
        ("0.15", "0.15", None, True),
        ("0.14.999", "0.15", None, False),
        ("0.21.999", None, "0.22", True),
        ("0.22", None, "0.22", False),
        ("0.22.0", "0.22", "0.23", True),
        ("0.1", None, None, True),
        ("0.1", "", "", True),
    ],
)
def test_since_is_inside_and_until_outside(version: str, since: str | None, until: str | None, holds: bool) -> None:
    assert within(Version(version), since, until) is holds
