"""Services of an arm: which one is the run's, its effective settings over all documents, and what can restart it.

Room: `record`. Parsers give single settings; here a unit and its drop-ins, the manager's counters and the log's failed starts
come together.
"""

from __future__ import annotations

from kvaudit.record.services.emptiness import settle_emptiness
from kvaudit.record.services.fields import add_fields
from kvaudit.record.services.launches import settle_launches
from kvaudit.record.services.units import runs_services, units_of
from kvaudit.record.services.watchdogs import add_watchdogs, is_watchdog
from kvaudit.record.table import FactTable


def settle_services(table: FactTable) -> dict[str, list[str]]:
    """Add the service fields, and drop launch commands that are not this run's. Notes come back by file."""
    units = units_of(table)
    served = runs_services(table, [unit for unit in units if not is_watchdog(unit)] or units)
    notes = settle_launches(table, units, served)
    settle_emptiness(table, units)
    add_fields(table, served, units)
    add_watchdogs(table, units)
    return notes
