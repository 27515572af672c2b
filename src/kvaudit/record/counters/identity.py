"""Whether metrics dumps are of one life of one server.

Room: `record`. Start times, creation stamps, process ids and model names tell servers apart; file names are hints only, and
decide nothing that a number contradicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.metrics.shapes import Counters
from kvaudit.patterns import LatePattern

_WORD = LatePattern(r"[a-z]+|[0-9]+")
_BEFORE = frozenset({"before", "pre", "start", "begin", "first", "initial", "baseline"})
_AFTER = frozenset({"after", "post", "end", "final", "last"})


@dataclass(frozen=True, slots=True)
class Dump:
    """The counters of one scrape and the lines they stand on."""

    counters: Counters
    origins: list[Origin]

    def is_idle(self) -> bool:
        """Nothing was counted yet: the server has just started."""
        return not self.counters.cut and not any(self.counters.values.values())


def lives(dumps: list[Dump]) -> tuple[list[list[Dump]], str | None]:
    """The dumps by the server's life they belong to, and why they are not all of one; None where they are."""
    groups: list[list[Dump]] = []
    why: str | None = next((dump.counters.mixed for dump in dumps if dump.counters.mixed), None)
    for dump in dumps:
        reasons = [next((said for one in group if (said := _apart(one.counters, dump.counters))), None) for group in groups]
        if None in reasons:
            groups[reasons.index(None)].append(dump)
        else:
            why = why or next((said for said in reasons if said), None)
            groups.append([dump])
    return groups, why


def _apart(one: Counters, other: Counters) -> str | None:
    """Why two dumps are not of one life of one server; None where nothing says so."""
    named = f"{PurePath(one.file).name} and {PurePath(other.file).name}"
    if one.engine and other.engine and one.engine != other.engine:
        return f"the metrics dumps are of different servers: {one.engine} and {other.engine} ({named})"
    if one.models and other.models and one.models != other.models:
        return f"the metrics dumps are of different servers, which serve {one.models[0]} and {other.models[0]} ({named})"
    if _restarted(one, other):
        return f"the server was started anew between the metrics dumps, or they are of two servers ({named})"
    return None


def _restarted(one: Counters, other: Counters) -> bool:
    if one.started is not None and other.started is not None and one.started != other.started:
        return True
    if one.processes and other.processes and not set(one.processes) & set(other.processes):
        return True
    return any(stamp != other.created[name] for name, stamp in one.created.items() if name in other.created)


def proven(first: Dump, last: Dump) -> bool:
    """Whether something shows that both are of one server: a shared stamp, or names that say before and after."""
    one, other = first.counters, last.counters
    if one.started is not None and one.started == other.started:
        return True
    if one.created.keys() & other.created.keys() or set(one.processes) & set(other.processes):
        return True
    return one.file == other.file or _named_as_pair(one.file, other.file)


def _named_as_pair(first: str, last: str) -> bool:
    before, after = _words(first), _words(last)
    return bool(before & _BEFORE and after & _AFTER) and before - _BEFORE == after - _AFTER


def _words(path: str) -> set[str]:
    return set(_WORD.findall(PurePath(path).name.lower()))
