"""The `result.*` fields of an arm that holds one run of a benchmark or several, and runs that two files tell of.

Room: `record`. Runs are set side by side, never judged: equal values are the value, different ones a list in run order.
"""

from __future__ import annotations

from typing import Any

from kvaudit.fields import FIELDS, STAGES
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.results.run import RUN_CLUE
from kvaudit.record.model import FieldState
from kvaudit.record.resolve import same_value
from kvaudit.record.table import FactTable

FAMILY = "result."


def settle_results(table: FactTable) -> None:
    """Settle every field of the family. What a run states counts before what a command asks for."""
    runs = [str(clue.value.get("file")) for clue in table.clues.get(RUN_CLUE, []) if isinstance(clue.value, dict)]
    for name, facts in table.fields.items():
        if name.startswith(FAMILY) and facts:
            table.settled[name] = _settled(name, facts, frozenset(runs))


def _settled(name: str, facts: list[Fact], runs: frozenset[str]) -> FieldState:
    won = [index for index, one in enumerate(facts) if one.value is not None]
    told = [index for index in won if _is_of_a_run(facts[index], runs)]
    won = told or won
    if not won:
        return FieldState(state="unknown", unit=FIELDS[name].unit, because="no run states it", facts=facts)
    values = [facts[index].value for index in won]
    row = FIELDS[name]
    value: Any = values[0] if all(same_value(row, values[0], other) for other in values[1:]) else values
    stage = next(stage for stage in STAGES if any(facts[index].stage == stage for index in won))
    return FieldState(state="known", value=value, unit=row.unit, stage=stage, facts=facts, won=won)


def _is_of_a_run(one: Fact, runs: frozenset[str]) -> bool:
    return any(origin.file in runs for origin in one.origins)
