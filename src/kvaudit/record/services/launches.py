"""Launch commands of an arm: only those of this run may say what was asked for.

Room: `record.services`. The engine's own echo of its arguments is of this start; a command in a unit or script may have been
edited since, or start another server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.record.services.units import Unit, fits, replaced_commands
from kvaudit.record.table import FactTable

CLUE = "clue.launch_command"
_WITH_SERVICE = ("clue.empty_argument", "clue.visible_devices", "clue.container_address")


def settle_launches(table: FactTable, units: Sequence[Unit], served: Sequence[Unit]) -> dict[str, list[str]]:
    """Drop what the arm's launch commands say where they are not this run's; notes by file say why."""
    notes: dict[str, list[str]] = {}
    overridden = replaced_commands(units)
    for launch in list(table.clues.get(CLUE, [])):
        reason = _why_not(table, launch, served, overridden)
        if reason:
            _drop(table, launch, reason)
            notes.setdefault(launch.origins[0].file, []).append(f"line {launch.origins[0].line}: {reason}")
    _prefer_the_log(table)
    return notes


def _why_not(table: FactTable, launch: Fact, served: Sequence[Unit], overridden: set[tuple[str, int | None]]) -> str:
    service = launch.value.get("service")
    if (launch.origins[0].file, launch.origins[0].line) in overridden:
        return "this command is replaced by a later ExecStart"
    if not fits(table, launch.value):
        return f"starts {launch.value.get('engine')} with {launch.value.get('model')}, which is not what the log shows"
    if service is not None and served and service not in {unit.name for unit in served}:
        return f"{service} is not the service of this run"
    return ""


def _drop(table: FactTable, launch: Fact, reason: str) -> None:
    """Remove everything that was read from one command; the clue stays, marked, so that a saved record says the same."""
    service, (first, last) = launch.value.get("service"), _lines(launch.value)
    file, reader = launch.origins[0].file, launch.origins[0].reader

    def of_launch(one: Fact) -> bool:
        return bool(one.origins) and all(
            origin.file == file and origin.reader == reader and first <= (origin.line or 0) <= last for origin in one.origins
        )

    _filter(table.fields, lambda one: not (one.stage == "requested" and of_launch(one)))
    for name in _WITH_SERVICE:
        kept = [one for one in table.clues.get(name, []) if not (one.value.get("service") == service and of_launch(one))]
        table.clues[name] = kept
    marked = replace(launch, value={**launch.value, "dropped": reason})
    table.clues[CLUE] = [marked if one is launch else one for one in table.clues[CLUE]]


def _lines(value: dict[str, Any]) -> tuple[int, int]:
    lines = value.get("lines")
    if isinstance(lines, list) and len(lines) == 2 and all(isinstance(number, int) for number in lines):
        return lines[0], lines[1]
    return 0, 0


def _filter(fields: dict[str, list[Fact]], keep: Callable[[Fact], bool]) -> None:
    for name in list(fields):
        fields[name] = [one for one in fields[name] if keep(one)]
        if not fields[name]:
            del fields[name]


def _prefer_the_log(table: FactTable) -> None:
    """Where the engine echoes what it was asked for, a launch command that says something else is not this start's."""
    readers = {origin.reader for one in table.clues.get(CLUE, []) for origin in one.origins}

    def of_launch(one: Fact) -> bool:
        return bool(one.origins) and all(origin.reader in readers for origin in one.origins)

    for name, facts in list(table.fields.items()):
        echoed = [one for one in facts if one.stage == "requested" and not of_launch(one)]
        if echoed and readers:
            said = [one.value for one in echoed]
            table.fields[name] = [one for one in facts if not (of_launch(one) and (name == "run.args" or one.value not in said))]
