"""Several servers in one arm: prefill and decode pools, replicas, nodes.

Room: `record`. Each server is resolved by itself, with the evidence that belongs to all of them; then fields are joined. A value
that all servers share is the arm's value, one that differs is a map by server, totals are sums, and nothing is known of the arm
that is unknown of one of its servers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from kvaudit.fields import FIELDS, Field
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState
from kvaudit.record.resolve import same_value
from kvaudit.record.table import FactTable
from kvaudit.record.tenants.sharing import share_tenants

_SUMS = ("parallel.gpus", "kv_cache.tokens_total", "engine.starts", "runtime.preemptions")
_OF_THE_HOST = ("gpu", "service", "result")
States = dict[str, FieldState]


def names_of(paths: Sequence[str]) -> list[str]:
    """A short name for each server: its file name without what all share, else its place among the files."""
    stems = [PurePath(path).stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    parents = [f"{PurePath(path).parent.name}/{stem}" for path, stem in zip(paths, stems, strict=True)]
    return parents if len(set(parents)) == len(parents) else [f"server {number}" for number in range(1, len(paths) + 1)]


def join(tables: dict[str, FactTable]) -> FactTable:
    """One table for the arm out of one table per server."""
    joined = FactTable([])
    for server, table in tables.items():
        for name, facts in table.fields.items():
            if name.partition(".")[0] not in _OF_THE_HOST:
                joined.fields.setdefault(name, []).extend(_scoped(one, server) for one in facts)
        for name, clues in table.clues.items():
            held = joined.clues.setdefault(name, [])
            held += [one for one in clues if one not in held]
    first = next(iter(tables.values()))
    for name in FIELDS:
        if name.partition(".")[0] in _OF_THE_HOST:
            if name in first.fields or name in first.settled:
                joined.fields[name] = first.fields.get(name, [])
                joined.settled[name] = first.state(name)
        elif any(name in table.fields or name in table.settled for table in tables.values()):
            joined.settled[name] = _joined(FIELDS[name], {server: table.state(name) for server, table in tables.items()})
    share_tenants(joined, tables.values())
    return joined


def _scoped(one: Fact, server: str) -> Fact:
    return replace(one, scope=f"{server}: {one.scope}" if one.scope else server)


def _joined(row: Field, states: States) -> FieldState:
    facts = [_scoped(one, server) for server, state in states.items() for one in state.facts]
    won = _won(states)
    value, because = _value(row, states)
    if because is not None:
        return FieldState(state="unknown", unit=row.unit, because=because, facts=facts)
    if value is None:
        return FieldState(state="absent", because="no server sets it", facts=facts, won=won)
    if row.name in _SUMS:
        facts, won = [_sum_of(row, states, value), *facts], [0]
    stage = facts[won[0]].stage if won else None
    return FieldState(state="known", value=value, unit=row.unit, stage=stage, facts=facts, won=won)


def _sum_of(row: Field, states: States, total: Any) -> Fact:
    """The total as a fact of its own, with the origins of its parts."""
    parts = " + ".join(f"{state.value:,} ({server})" for server, state in states.items() if state.state == "known")
    origins = [origin for state in states.values() for index in state.won[:1] for origin in state.facts[index].origins[:2]]
    return fact(row.name, total, "inferred", origins, how=f"{parts}, over the servers of the arm")


def _won(states: States) -> list[int]:
    won, start = [], 0
    for state in states.values():
        won += [start + index for index in state.won]
        start += len(state.facts)
    return won


def _value(row: Field, states: States) -> tuple[Any, str | None]:
    """The arm's value and None, or None and why it is unknown; None and None where it is absent."""
    special = _SPECIAL.get(row.name)
    if special is not None:
        return special(states)
    open_ = [f"{server}: {state.because}" for server, state in states.items() if state.state in ("unknown", "conflict")]
    if open_:
        return None, "; ".join(open_)
    known = {server: state.value for server, state in states.items() if state.state == "known"}
    if not known:
        return None, None
    if row.name in _SUMS:
        return sum(known.values()), None
    first = next(iter(known.values()))
    if len(known) == len(states) and all(same_value(row, first, value) for value in known.values()):
        return first, None
    return {server: known.get(server, "none") for server in states}, None


def _ready(states: States) -> tuple[Any, str | None]:
    """Ready when all are; not ready as soon as one is not."""
    values = [state.value if state.state == "known" else None for state in states.values()]
    if False in values:
        return False, None
    open_ = [server for server, state in states.items() if state.state != "known"]
    return (None, f"not known of {', '.join(open_)}") if open_ else (True, None)


def _any(states: States) -> tuple[Any, str | None]:
    """What any server says, by server."""
    known = {server: state.value for server, state in states.items() if state.state == "known"}
    if not known:
        return None, next(iter(states.values())).because or "no server says it"
    if len(known) == 1:
        return next(iter(known.values())), None
    return known, None


def _notices(states: States) -> tuple[Any, str | None]:
    known = [notice for state in states.values() if state.state == "known" for notice in state.value]
    return (known, None) if known else (None, "no server gave a notice")


_SPECIAL: dict[str, Callable[[States], tuple[Any, str | None]]] = {
    "engine.ready": _ready,
    "engine.failure": _any,
    "engine.notices": _notices,
    "run.args": _any,
}
