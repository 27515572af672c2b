"""What was counted between the dumps of one life of one server.

Room: `record`. The order comes from the counters, never from names. A counter that fell, label sets or units that changed, and
a dump that breaks off give no difference, and the window says why.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePath

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.metrics.shapes import Window
from kvaudit.record.counters.identity import Dump, proven

_PREFIX = ("prefix_queries", "prefix_hits")
_MAKES_SERIES_AT_START = frozenset({"vllm", "llama_cpp"})
"""Engines whose counters all stand there from the start: in others a series appears with its first event."""


def windows_of(dumps: list[Dump]) -> list[Window]:
    """The window of a group of dumps, then the windows between neighbours where there are more than two."""
    ordered = _ordered(dumps)
    if len(ordered) == 1:
        return [_since_start(ordered[0])]
    first, last = ordered[0], ordered[-1]
    why = next((fell for one, other in pairwise(ordered) if (fell := _fell(one, other))), None)
    if why is None and not proven(first, last):
        why = "nothing in the metrics dumps shows that they are of one server: they hold no start time"
    if why is not None:
        return [refused(ordered, why)]
    whole = _between(first, last, len(ordered))
    parts = [_between(one, other, 2).model_copy(update={"whole": False}) for one, other in pairwise(ordered)]
    return [whole, *(parts if len(ordered) > 2 else [])]


def refused(dumps: list[Dump], why: str) -> Window:
    """A window without differences, and why."""
    first = dumps[0].counters
    return Window(engine=first.engine, models=first.models, files=_files(dumps), since="dump", refused=why)


def _files(dumps: list[Dump]) -> list[str]:
    return list(dict.fromkeys(dump.counters.file for dump in dumps))


def _ordered(dumps: list[Dump]) -> list[Dump]:
    """By what was counted; the same moment given twice counts once."""
    distinct: list[Dump] = []
    for dump in dumps:
        known = dump.counters.clock is not None
        if not known or all(not _same_moment(dump, other) for other in distinct):
            distinct.append(dump)
    timed = all(dump.counters.clock is not None for dump in distinct)
    return sorted(distinct, key=lambda dump: ((dump.counters.clock or 0.0) if timed else 0.0, sum(dump.counters.values.values())))


def _same_moment(one: Dump, other: Dump) -> bool:
    return (one.counters.clock, one.counters.values) == (other.counters.clock, other.counters.values)


def _fell(first: Dump, last: Dump) -> str | None:
    before = {**first.counters.values, **{f"requests ({name})": value for name, value in first.counters.by_reason.items()}}
    after = {**last.counters.values, **{f"requests ({name})": value for name, value in last.counters.by_reason.items()}}
    for name, value in before.items():
        if after.get(name, value) < value and _same_series(first, last, name):
            return f"a counter fell between the metrics dumps: {name} from {value:,.0f} to {after[name]:,.0f}"
    return None


def _since_start(dump: Dump) -> Window:
    held = dump.counters
    return Window(
        engine=held.engine,
        models=held.models,
        files=[held.file],
        since="start",
        deltas=held.values,
        by_reason=held.by_reason,
        prefix_unit=held.prefix_unit,
        origins={name: _origins(dump, name) for name in held.values},
        refused=held.mixed,
    )


def _between(first: Dump, last: Dump, count: int) -> Window:
    deltas: dict[str, float] = {}
    missing: dict[str, str] = {}
    for name, value in last.counters.values.items():
        why = _why_none(first, last, name)
        if why is None:
            deltas[name] = value - first.counters.values.get(name, 0.0)
        else:
            missing[name] = why
    before, after = first.counters, last.counters
    reasons = after.by_reason if "requests" in deltas else {}
    return Window(
        engine=after.engine,
        models=after.models or before.models,
        files=_files([first, last]),
        since="dump",
        deltas=deltas,
        by_reason={reason: value - before.by_reason.get(reason, 0.0) for reason, value in reasons.items()},
        prefix_unit=after.prefix_unit,
        origins={name: [*_origins(first, name), *_origins(last, name)] for name in deltas},
        missing=missing,
        dumps=count,
    )


def _why_none(first: Dump, last: Dump, name: str) -> str | None:
    """Why a quantity has no difference. A series that was not there yet counts from 0 where its absence proves that."""
    before, after = first.counters, last.counters
    if name in _PREFIX and _units_differ(first, last):
        return f"counted in {before.prefix_unit or 'another unit'} before and in {after.prefix_unit or 'another unit'} after"
    if name in before.values:
        return None if _same_series(first, last, name) else "its label sets differ between the dumps"
    if before.cut:
        return f"{PurePath(before.file).name} breaks off before it"
    if first.is_idle() or before.engine not in _MAKES_SERIES_AT_START:
        return None
    return f"{PurePath(before.file).name} does not hold it"


def _units_differ(first: Dump, last: Dump) -> bool:
    before, after = first.counters, last.counters
    return "prefix_queries" in before.values and before.prefix_unit != after.prefix_unit


def _same_series(first: Dump, last: Dump, name: str) -> bool:
    return first.counters.series.get(name) == last.counters.series.get(name)


def _origins(dump: Dump, name: str) -> list[Origin]:
    lines = set(dump.counters.lines.get(name, []))
    return [origin for origin in dump.origins if origin.line in lines]
