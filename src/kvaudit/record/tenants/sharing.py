"""One process table beside several servers of an arm: whoever is one server's own is the arm's.

Room: `record.tenants`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from kvaudit.record.table import FactTable
from kvaudit.record.tenants.evidence import FIELD

_ORDER = ("own", "desktop", "unknown", "foreign")
"""A process is a stranger to the arm only where it is one to every server."""


def share_tenants(joined: FactTable, tables: Iterable[FactTable]) -> None:
    """Settle the processes of the arm by those of its servers."""
    states = [table.state(FIELD) for table in tables]
    values = [state.value for state in states if state.state == "known" and isinstance(state.value, list)]
    if len(values) < 2:
        return
    merged = [_kindest([one[index] for one in values if index < len(one)]) for index in range(len(values[0]))]
    joined.settled[FIELD] = replace(states[0], value=merged)


def _kindest(seen: list[dict[str, Any]]) -> dict[str, Any]:
    return min(seen, key=lambda one: _ORDER.index(one["class"]) if one.get("class") in _ORDER else len(_ORDER))
