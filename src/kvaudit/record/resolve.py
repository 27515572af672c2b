"""From the facts of one field to its state: which stage speaks, whether ranks or witnesses disagree.

Room: `record`. General for all fields; what the KV element type needs beyond this is in `kv_dtype`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from kvaudit.fields import FIELDS, STAGES, Field, spelled
from kvaudit.parsers.facts import Fact
from kvaudit.record.model import FieldState

_ROUNDING = 0.001
"""Two prints of one number may differ by their rounding."""


def resolve(name: str, facts: Sequence[Fact], because: str | None = None) -> FieldState:
    """The state of the field `name` from all its facts; delegating values never decide and never agree."""
    row = FIELDS[name]
    facts = [_respelled(row, fact) for fact in facts]
    for stage in STAGES:
        speaking = [index for index, fact in enumerate(facts) if fact.stage == stage and _decides(row, fact)]
        if speaking:
            return _of_stage(row, facts, speaking)
    if any(fact.value is None and row.none_means == "absent" for fact in facts):
        return FieldState(state="absent", because="the evidence prints None", facts=list(facts), won=_nones(facts))
    return FieldState(state="unknown", unit=row.unit, because=because or why_unknown(row, facts), facts=list(facts))


def why_unknown(row: Field, facts: Sequence[Fact]) -> str:
    """One sentence: what the evidence does say, and what would settle the field."""
    said = sorted({str(fact.value) for fact in facts})
    start = f"the evidence only says {', '.join(said)}, which decides nothing" if said else "no line of the evidence names it"
    return f"{start}; {row.settles} would settle it" if row.settles else start


def _nones(facts: Sequence[Fact]) -> list[int]:
    return [index for index, fact in enumerate(facts) if fact.value is None]


def _respelled(row: Field, fact: Fact) -> Fact:
    value = spelled(row.name, fact.value)
    return fact if value == fact.value else replace(fact, value=value)


def _decides(row: Field, fact: Fact) -> bool:
    return fact.value is not None and not row.delegates(fact.value)


def _of_stage(row: Field, facts: Sequence[Fact], speaking: list[int]) -> FieldState:
    stage = facts[speaking[0]].stage
    if row.name == "engine.notices":
        merged = [notice for index in speaking for notice in facts[index].value]
        return FieldState(state="known", value=merged, stage=stage, facts=list(facts), won=speaking)
    by_scope: dict[str | None, list[int]] = {}
    for index in speaking:
        by_scope.setdefault(facts[index].scope, []).append(index)
    values: list[tuple[int, Any]] = []
    for indices in by_scope.values():
        different = _distinct(row, (facts[index].value for index in indices))
        if len(different) > 1:
            return _conflict(row, facts, speaking)
        values.append((indices[0], facts[indices[0]].value))
    return _over_scopes(row, facts, speaking, values)


def _over_scopes(row: Field, facts: Sequence[Fact], speaking: list[int], values: list[tuple[int, Any]]) -> FieldState:
    stage = facts[speaking[0]].stage
    if row.binding and all(isinstance(value, int | float) for _, value in values):
        pick = min if row.binding == "min" else max
        index, value = pick(values, key=lambda item: item[1])
        won = [index, *(other for other in speaking if other != index)]
        return FieldState(state="known", value=value, unit=row.unit, stage=stage, facts=list(facts), won=won)
    if len(_distinct(row, (value for _, value in values))) > 1:
        return _conflict(row, facts, speaking)
    return FieldState(state="known", value=values[0][1], unit=row.unit, stage=stage, facts=list(facts), won=speaking)


def _conflict(row: Field, facts: Sequence[Fact], speaking: list[int]) -> FieldState:
    said = ", ".join(sorted({str(facts[index].value) for index in speaking}))
    return FieldState(state="conflict", unit=row.unit, because=f"{said} are both said", facts=list(facts), won=speaking)


def _distinct(row: Field, values: Iterable[Any]) -> list[Any]:
    out: list[Any] = []
    for value in values:
        if not any(same_value(row, value, other) for other in out):
            out.append(value)
    return out


def same_value(row: Field, left: Any, right: Any) -> bool:
    """Whether two values of a field are the same statement, up to spelling and the rounding of a print."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=0 if row.type == "int" else _ROUNDING, abs_tol=1e-9)
    if isinstance(left, str) and isinstance(right, str):
        return loose(row, left) == loose(row, right)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return all(same_value(row, one, other) for one, other in zip(left, right, strict=True))
    return bool(left == right)


def loose(row: Field, text: str) -> str:
    """The text as it is compared: without case, spaces and underscores where the field's spelling is loose."""
    folded = text.strip().casefold()
    if not row.loose_spelling:
        return folded
    return folded.replace(" ", "").replace("_", "").replace("-", "").strip("'\"")
