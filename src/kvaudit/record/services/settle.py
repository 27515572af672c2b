"""The service fields of an arm, from all documents that speak of its services.

Room: `record.services`, its entry.
"""

from __future__ import annotations

from typing import Any

from kvaudit.record.services.emptiness import settle_emptiness
from kvaudit.record.services.fields import add_fields
from kvaudit.record.services.launches import settle_launches
from kvaudit.record.services.units import Unit, runs_services, units_of
from kvaudit.record.services.watchdogs import add_watchdogs, is_watchdog
from kvaudit.record.table import FactTable

ADDRESS = "clue.container_address"
_TEXTS = ("manager", "service", "document", "section", "key", "engine", "model", "variable", "flag", "why", "dropped")
_OBJECTS = ("clue.service_setting", "clue.launch_command", "clue.empty_argument", "clue.visible_devices", ADDRESS)


def settle_services(table: FactTable) -> dict[str, list[str]]:
    """Add the service fields, and drop launch commands that are not this run's. Notes come back by file."""
    _keep_sound(table)
    units = units_of(table)
    served = runs_services(table, [unit for unit in units if not is_watchdog(unit)] or units)
    notes = settle_launches(table, units, served)
    settle_emptiness(table, units)
    _keep_own_addresses(table, served)
    add_fields(table, served, units)
    add_watchdogs(table, units)
    return notes


def _keep_own_addresses(table: FactTable, served: list[Unit]) -> None:
    """Other containers of a compose file or a manifest are published for themselves."""
    if ADDRESS in table.clues and served:
        own = {None, *(unit.name for unit in served)}
        table.clues[ADDRESS] = [one for one in table.clues[ADDRESS] if one.value.get("service") in own]


def _keep_sound(table: FactTable) -> None:
    """A saved record may hold anything under a clue's name: only objects with an origin are clues of this room."""
    for name in _OBJECTS:
        if name in table.clues:
            table.clues[name] = [one for one in table.clues[name] if one.origins and _is_sound(one.value)]


def _is_sound(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str | None) for key in _TEXTS)
