"""Which environment variables an engine knows: the nearest valid name of one that it did not.

Room: `record`. The names are data, `rules/engines/<engine>_variables.yaml`, read from a few releases; a name counts as valid for
a release between two of them only where both know it.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import Any

from packaging.version import Version

from kvaudit.record.engine_table import engine_table
from kvaudit.record.versions import Bounds, bounds, within

_NEAR = 0.8
"""Least likeness of two names without their common prefix."""


def hint(engine: str, version: str | None, name: str) -> str | None:
    """What a user needs to know of a name that the engine did not: what took over, when it was valid, the nearest valid one.

    None where nothing is known of it and no valid name is near.
    """
    table = _table(engine)
    if not table:
        return None
    if name in table["names"]:
        return _history(table, name)
    valid, every = valid_names(engine, version), tuple(table["names"])
    if near := _nearest(name, valid):
        return f"nearest valid name {near}"
    old = _nearest(name, every)
    return f"nearest name {old}; {_history(table, old)}" if old else None


def valid_names(engine: str, version: str | None) -> tuple[str, ...]:
    """The names that this release knows; without a version, those of every release from the middle of the table on."""
    table = _table(engine)
    if not table:
        return ()
    low, high = _neighbours([Version(one) for one in table["releases"]], bounds(version))
    names = table["names"].items()
    return tuple(name for name, row in names if _knows(row, low) and _knows(row, high))


@cache
def _table(engine: str) -> dict[str, Any]:
    return engine_table(f"{engine}_variables")


def _knows(row: dict[str, str], release: Version) -> bool:
    return within(release, row.get("since"), row.get("until"))


def _neighbours(releases: list[Version], version: Bounds | None) -> tuple[Version, Version]:
    """The releases of the table on both sides of a version."""
    if version is None:
        return releases[len(releases) // 2 + 1], releases[-1]
    below = [one for one in releases if one <= version.low]
    above = [one for one in releases if one >= version.high]
    return (below[-1] if below else releases[0]), (above[0] if above else releases[-1])


def _history(table: dict[str, Any], name: str) -> str:
    """Which other releases know it, and which flag does its work since."""
    row = table["names"][name]
    if "until" not in row:
        return f"releases from {row['since']} on know it"
    known = [release for release in table["releases"] if _knows(row, Version(release))]
    gone = f"{known[-1]} still knew it, {row['until']} no longer does"
    return f"{gone}: use {row['instead']}" if "instead" in row else gone


def _nearest(name: str, names: tuple[str, ...]) -> str | None:
    prefix = f"{name.split('_', 1)[0]}_"
    candidates = [one.removeprefix(prefix) for one in names if one.startswith(prefix) and one != name]
    near = get_close_matches(name.removeprefix(prefix), candidates, n=1, cutoff=_NEAR)
    return f"{prefix}{near[0]}" if near else None
