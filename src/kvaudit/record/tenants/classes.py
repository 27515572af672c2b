"""The classes of an arm's processes: which capture counts, then the ladder, then what strangers cost.

Room: `record.tenants`, its entry.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable
from kvaudit.record.tenants.captures import choose_capture
from kvaudit.record.tenants.cost import with_costs
from kvaudit.record.tenants.evidence import FIELD, run_of
from kvaudit.record.tenants.ladder import classified
from kvaudit.record.tenants.placing import with_places

_HOW = "the process table joined with the log"


def classify_tenants(table: FactTable) -> dict[str, list[str]]:
    """Give every process of the snapshot its class and reason, where a log is at hand to join it with.

    Returns notes by file about captures that do not count.
    """
    run = run_of(table)
    notes = choose_capture(table, run)
    state = table.state(FIELD)
    if state.state == "known" and isinstance(state.value, list) and run is not None:
        tenants = with_places(with_costs(classified(state.value, run), run), run, table)
        table.settled[FIELD] = _joined(state, tenants)
    return notes


def _joined(state: FieldState, tenants: list[dict[str, Any]]) -> FieldState:
    """The state whose deciding fact is the joined list; what the snapshot itself said stays beside it."""
    origins = [origin for index in state.won for origin in state.facts[index].origins]
    joined = fact(FIELD, tenants, "inferred", origins, how=_HOW)
    facts = [one for one in state.facts if one.how != _HOW]
    return replace(state, value=tenants, stage="inferred", facts=[*facts, joined], won=[len(facts)])
