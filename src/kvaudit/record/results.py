"""The `result.*` fields of an arm that holds one run of a benchmark or several, and what its result files say of the server.

Room: `record`. Runs are set side by side, never judged: equal values are the value, different ones a list in run order. A command
counts only where no run states a field.
"""

from __future__ import annotations

from typing import Any

from kvaudit.fields import FIELDS, STAGES
from kvaudit.parsers.facts import RUN_CLUE, Fact
from kvaudit.record.model import FieldState
from kvaudit.record.resolve import same_value
from kvaudit.record.steps import RESULTS
from kvaudit.record.table import FactTable
from kvaudit.record.twins import Twins, without_twins

FAMILY = "result."


def settle_results(table: FactTable) -> dict[str, list[str]]:
    """Settle every field of the family; a run that two files tell of is one run. Notes by file come back."""
    twins = without_twins(table.clues.get(RUN_CLUE, []))
    if RUN_CLUE in table.clues:
        table.clues[RUN_CLUE] = twins.runs
    for name, facts in table.fields.items():
        if name.startswith(FAMILY) and facts:
            table.settled[name] = _settled(name, facts, twins)
    return twins.notes


def _settled(name: str, facts: list[Fact], twins: Twins) -> FieldState:
    row = FIELDS[name]
    by_scope: dict[str | None, int] = {}
    for index, one in enumerate(facts):
        by_scope.setdefault(one.scope, index)
    told = [next((by_scope[scope] for scope in scopes if scope in by_scope), None) for scopes in twins.scopes]
    won = [index for index in told if index is not None] or list(by_scope.values())
    values = [facts[index].value for index in won]
    value: Any = values[0] if all(same_value(row, values[0], other) for other in values[1:]) else values
    stage = next(stage for stage in STAGES if any(facts[index].stage == stage for index in won))
    return FieldState(state="known", value=value, unit=row.unit, stage=stage, facts=list(facts), won=won)


def drop_what_servers_differ_in(table: FactTable, *, several: bool) -> None:
    """Leave out what result files say of the server where they are of several servers: `several` logs, or values that differ."""
    for name, facts in table.fields.items():
        said = [one for one in facts if _is_of_a_file(one)]
        if not said or not (several or _differ(name, said)):
            continue
        table.fields[name] = [one for one in facts if one not in said]
        if not table.fields[name]:
            table.reasons.setdefault(name, "the result files are of several servers, which differ in it or cannot be told apart")
    for name, clues in table.clues.items():
        said = [one for one in clues if _is_of_a_file(one) and name != RUN_CLUE]
        if said and (several or any(one.value != said[0].value for one in said)):
            table.clues[name] = [one for one in clues if one not in said]


def _is_of_a_file(one: Fact) -> bool:
    return not one.field.startswith(FAMILY) and any(origin.reader.startswith(RESULTS) for origin in one.origins)


def _differ(name: str, facts: list[Fact]) -> bool:
    row = FIELDS[name]
    first: dict[str, Any] = {}
    return any(not same_value(row, first.setdefault(one.stage, one.value), one.value) for one in facts)
