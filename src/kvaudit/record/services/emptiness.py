"""Which empty arguments of launch commands are proven: the variables that other documents of the arm set are none.

Room: `record.services`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kvaudit.parsers.facts import Fact
from kvaudit.record.services.units import Unit
from kvaudit.record.table import FactTable

CLUE = "clue.empty_argument"
_OF_THE_MANAGER = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "XDG_RUNTIME_DIR", "INVOCATION_ID", "JOURNAL_STREAM", "MAINPID"),
        *("MANAGERPID", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY", "LOGS_DIRECTORY", "NOTIFY_SOCKET", "PWD"),
    )
)
"""Variables that systemd sets for a service; systemd.exec(5)."""


def settle_emptiness(table: FactTable, units: Sequence[Unit]) -> None:
    """Mark each clue about an empty argument as proven or not; drop those whose variable the arm's documents set."""
    if CLUE in table.clues:
        table.clues[CLUE] = [settled for one in table.clues[CLUE] if (settled := _settled(one, units)) is not None]


def _settled(one: Fact, units: Sequence[Unit]) -> Fact | None:
    variable, service = one.value.get("variable"), one.value.get("service")
    proven = not variable
    if variable:
        if variable in _OF_THE_MANAGER:
            return None
        own = [setting for unit in units if unit.name == service for setting in unit.settings]
        if any(setting.value["key"] == "Environment" and variable in (setting.value["value"] or []) for setting in own):
            return None
        fed = any(setting.value["key"] in ("EnvironmentFile", "PassEnvironment") and setting.value["value"] for setting in own)
        proven = bool(one.value.get("closed")) and not fed
    return replace(one, value={**one.value, "proven": proven})
