"""The service fields of an arm: restart policy, start limit, restarts, command, and the clue about endless restarts.

Room: `record.services`. Semantics of systemd 229 to 257: start limits belong into [Unit]; in [Service] the old spellings still
count and `StartLimitIntervalSec` is ignored (systemd 252, `systemd-analyze verify`). Docker has no start limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState
from kvaudit.record.resolve import resolve
from kvaudit.record.services.limits import limit_of
from kvaudit.record.services.policy import policy_of
from kvaudit.record.services.units import Unit
from kvaudit.record.table import FactTable

_RESTART = {"systemd": ("Restart",), "docker": ("restart",), "compose": ("restart", "condition"), "kubernetes": ("restart",)}
_COUNTS = ("NRestarts", "restarts")
_STATES = ("state", "SubState", "Result")


def add_fields(table: FactTable, served: Sequence[Unit], units: Sequence[Unit]) -> None:
    """Add every field that the run's services prove. Several services keep their names as scope."""
    policies: list[Fact] = []
    for unit in served:
        scope = unit.name if len(served) > 1 else None
        for one in (_restart(unit), *_limit(unit), *_restarts(unit), *_command(unit)):
            if one is not None:
                table.add_once(replace(one, scope=scope))
        policies += policy_of(table, unit)
    _restarts_of_others(table, served, units)
    if policies:
        table.clues["clue.restart_policy"] = policies
    states = [one for unit in served for one in _states(unit)]
    if states:
        table.clues["clue.service_state"] = states
    _absent(table, served)
    _of_several(table, served)


def _of_several(table: FactTable, served: Sequence[Unit]) -> None:
    """Where the services of an arm differ: a map by service, of counts the largest."""
    for name in ("service.restart", "service.start_limit", "service.command", "service.restarts"):
        facts = table.fields.get(name, [])
        said = {unit.name: state.value for unit in served if (state := _of_one(name, facts, unit)).state == "known"}
        if len(said) < 2 or table.state(name).state != "conflict":
            continue
        value = max(said.values()) if name == "service.restarts" else said
        won = [index for index, one in enumerate(facts) if one.scope in said and value in (said, one.value)]
        table.settled[name] = FieldState(
            state="known",
            value=value,
            stage=facts[won[0]].stage,
            because=f"{len(said)} services differ",
            facts=list(facts),
            won=won,
        )


def _of_one(name: str, facts: Sequence[Fact], unit: Unit) -> FieldState:
    return resolve(name, [one for one in facts if one.scope == unit.name])


def _restart(unit: Unit) -> Fact | None:
    """The policy in force: what the manager holds, else the unit's own section."""
    for key in _RESTART.get(unit.manager, ()):
        found = unit.last(key, "Service", "show") if unit.manager == "systemd" else unit.last(key)
        if found is not None:
            value = str(found.value["value"])
            if value.startswith("on-failure:"):
                return _said(
                    "service.restart", "on-failure", found.stage, found.origins, f"on-failure, at most {value[11:]} times"
                )
            return _said("service.restart", value, found.stage, found.origins)
    return None


def _said(name: str, value: Any, stage: Stage, origins: list[Origin], how: str | None = None) -> Fact:
    return fact(name, value, stage, origins, how=how)


def _limit(unit: Unit) -> list[Fact]:
    limit = limit_of(unit)
    return [] if limit is None else [_said("service.start_limit", limit.text, limit.stage, limit.origins, limit.how)]


def _restarts(unit: Unit) -> list[Fact]:
    found = next((one for key in _COUNTS if (one := unit.last(key)) is not None), None)
    number = _whole(found.value["value"]) if found else None
    return [] if found is None or number is None else [_said("service.restarts", number, "observed", found.origins)]


def _whole(value: Any) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _restarts_of_others(table: FactTable, served: Sequence[Unit], units: Sequence[Unit]) -> None:
    """Counters of other units count only where no unit of the run is known at all."""
    if "service.restarts" in table.fields or any(unit.has_own_file or unit.shown for unit in served):
        return
    counted = [(unit, one) for unit in units if unit not in served for one in _restarts(unit)]
    if len(counted) == 1 and not served:
        table.add_once(counted[0][1])


def _command(unit: Unit) -> list[Fact]:
    return [_said("service.command", one.value["value"], one.stage, one.origins) for one in unit.commands()[:1]]


def _states(unit: Unit) -> list[Fact]:
    """What the manager says of the service, a word each."""
    found = [one for key in _STATES if (one := unit.last(key)) is not None]
    return [fact("clue.service_state", str(one.value["value"]), "observed", one.origins) for one in found]


def _absent(table: FactTable, served: Sequence[Unit]) -> None:
    """A unit or compose service that is there as a whole and names no policy: the manager's default, no, holds."""
    whole = [unit for unit in served if unit.has_own_file or unit.manager == "compose"]
    if table.fields.get("service.restart") or not whole or len(whole) < len(served):
        return
    place = whole[0].settings[0]
    none = fact("service.restart", None, place.stage, place.origins)
    because = f"{whole[0].name} sets no restart policy, so its manager does not restart it"
    table.settled["service.restart"] = FieldState(state="absent", because=because, facts=[none], won=[0])
