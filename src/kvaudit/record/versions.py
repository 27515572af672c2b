"""Engine versions: releases, builds between releases, and strings that are no version at all.

Room: `record`. Versions follow PEP 440, as vLLM and SGLang print them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from packaging.version import Version

_LAST = 999


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a build lies: between `low` and `high`, both inclusive; equal for a release."""

    low: Version
    high: Version
    released: bool


def bounds(printed: Any) -> Bounds | None:
    """The releases a printed version lies between.

    `0.25.1` is itself; `0.14.0rc1` lies between the release before 0.14.0 and 0.14.0; a development build
    (`0.14.0rc1.dev2+g7d9`) may hold what the next minor release brings, because release branches leave main behind.
    `0.1.dev1+g9759e3b06` (built without tags) and anything unreadable is None. A local suffix without dev or rc
    (`0.13.0+nv26.01`) keeps its number but is no release. Versions of several servers are None, too.
    """
    if not isinstance(printed, str) or not printed:
        return None
    try:
        version = Version(printed.removeprefix("v"))
    except ValueError:
        return None
    if version.release[:2] == (0, 1) and version.is_devrelease:
        return None
    high = Version(".".join(map(str, version.release)))
    if version.is_prerelease:
        next_minor = Version(f"{high.major}.{high.minor + 1}")
        return Bounds(_before(high), next_minor if version.is_devrelease else high, released=False)
    return Bounds(high, high, released=version.local is None)


def _before(version: Version) -> Version:
    major, minor, micro = (*version.release, 0, 0, 0)[:3]
    if micro:
        return Version(f"{major}.{minor}.{micro - 1}")
    if minor:
        return Version(f"{major}.{minor - 1}.{_LAST}")
    return Version(f"{major - 1}.{_LAST}.{_LAST}") if major else version


def within(version: Version, since: str | None, until: str | None) -> bool:
    """Whether `since` <= version < `until`; an empty end is open."""
    return (not since or version >= Version(since)) and (not until or version < Version(until))
