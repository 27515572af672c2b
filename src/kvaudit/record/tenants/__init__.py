"""Whose processes a GPU snapshot shows: the run's own, a stranger's, the desktop's, or unknown.

Room: `record`. Joins the snapshots of an arm with its log: which capture counts (`captures`), what the log says of the run
(`evidence`), which rung of the ladder decides each process (`ladder`), and what a stranger cost the KV pool (`cost`).
"""

from __future__ import annotations

from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable
from kvaudit.record.tenants.captures import choose_capture
from kvaudit.record.tenants.cost import with_costs
from kvaudit.record.tenants.evidence import FIELD, run_of
from kvaudit.record.tenants.ladder import classified
from kvaudit.record.tenants.placing import with_places


def classify_tenants(table: FactTable) -> dict[str, list[str]]:
    """Give every process of the snapshot its class and reason, where a log is at hand to join it with.

    Returns notes by file about captures that do not count.
    """
    run = run_of(table)
    notes = choose_capture(table, run)
    state = table.state(FIELD)
    if state.state == "known" and isinstance(state.value, list) and run is not None:
        tenants = with_places(with_costs(classified(state.value, run), run), run, table)
        table.settled[FIELD] = FieldState(**{**state.__dict__, "value": tenants})
    return notes
