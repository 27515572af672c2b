"""Units and containers of an arm, each with its settings in the order in which they count.

Room: `record.services`. A unit's own file speaks first, drop-ins follow by file name, and an empty assignment forgets what came
before; `systemctl show` knows the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.patterns import LatePattern
from kvaudit.record.table import FactTable

CLUE = "clue.service_setting"
_ENGINE_WORDS = LatePattern(r"(?i)vllm|sglang|llama|trtllm|tensorrt|ollama|lmdeploy|text-generation|inference|\bllm")
_OF_ANOTHER = -1
"""The rank of a unit whose command starts another server than the log shows."""

_GENERIC = frozenset(("unit.service", "service.service", "systemd.service", "systemd_unit.service", "server.service", ""))
_LISTS = frozenset(("ExecStart", "command", "Environment", "EnvironmentFile"))


@dataclass(slots=True)
class Unit:
    """One unit or container. `settings` are its clues in effective order."""

    name: str
    manager: str
    settings: list[Fact] = field(default_factory=list)

    def last(self, key: str, *sections: str) -> Fact | None:
        """The setting that counts of a key: the last, in these sections if any are given."""
        found = [one for one in self.settings if one.value["key"] == key and (not sections or one.value["section"] in sections)]
        return found[-1] if found else None

    def text(self, key: str, *sections: str) -> str | None:
        """The text of the setting that counts."""
        found = self.last(key, *sections)
        return None if found is None else str(found.value["value"])

    @property
    def shown(self) -> bool:
        """Whether `systemctl show` speaks of it."""
        return any(one.value["section"] == "show" for one in self.settings)

    @property
    def has_own_file(self) -> bool:
        """Whether the unit's own file is there: drop-ins alone leave everything else open."""
        return any(not one.value["document"] and one.value["section"] not in ("", "show") for one in self.settings)

    @property
    def is_described(self) -> bool:
        """Whether more than the manager's counters is known of it."""
        return any(one.value["key"] not in ("NRestarts", "cycle", "state") for one in self.settings)

    def commands(self) -> list[Fact]:
        """The launch commands after the last empty `ExecStart=`."""
        found: list[Fact] = []
        for one in self.settings:
            if one.value["key"] == "ExecStart" and not one.value["value"]:
                found = []
            elif one.value["key"] == "command":
                found.append(one)
        observed = [one for one in found if one.stage == "resolved"]
        return observed or (found[-1:] if self.text("Type") != "oneshot" else found)


def units_of(table: FactTable) -> list[Unit]:
    """All units and containers of the arm, drop-ins merged into what they change."""
    units: dict[tuple[str, str], Unit] = {}
    for one in table.clues.get(CLUE, []):
        if isinstance(one.value, dict) and {"manager", "service", "key", "value", "section", "document"} <= one.value.keys():
            key = (str(one.value["manager"]), str(one.value["service"]))
            units.setdefault(key, Unit(key[1], key[0])).settings.append(one)
    for unit in units.values():
        unit.settings.sort(key=_order)
    return _joined(list(units.values()))


def _order(one: Fact) -> tuple[bool, bool, str]:
    """The unit's own file, then its drop-ins by name, then what the manager shows."""
    return (one.value["section"] == "show", bool(one.value["document"]), str(one.value["document"]))


def _joined(units: list[Unit]) -> list[Unit]:
    """Documents that do not say which unit they are of: a drop-in, or a file without a telling name, beside one unit."""
    files = [unit for unit in units if unit.manager == "systemd" and unit.has_own_file]
    loose = [unit for unit in units if unit.manager == "systemd" and unit.name.endswith(".conf")]
    services = [unit for unit in files if unit.name.endswith(".service")]
    if loose and len(services) == 1:
        for unit in loose:
            services[0].settings += unit.settings
        services[0].settings.sort(key=_order)
        units = [unit for unit in units if unit not in loose]
    named = [unit for unit in units if unit.manager == "systemd" and not unit.has_own_file and unit.name]
    if len(files) == 1 and len(named) == 1 and (files[0].name in _GENERIC or named[0].name in _GENERIC):
        files[0].settings += named[0].settings
        files[0].name = named[0].name if files[0].name in _GENERIC else files[0].name
        return [unit for unit in units if unit is not named[0]]
    return units


def replaced_commands(units: Sequence[Unit]) -> set[tuple[str, int | None]]:
    """Where the commands stand that a later drop-in replaced by others."""
    out: set[tuple[str, int | None]] = set()
    for unit in units:
        kept = [one.value["value"] for one in unit.commands()]
        for one in unit.settings:
            if one.value["key"] == "command" and one.value["value"] not in kept and one.origins and unit.manager == "systemd":
                out.add((one.origins[0].file, one.origins[0].line))
    return out


def runs_services(table: FactTable, units: Sequence[Unit]) -> list[Unit]:
    """The units that may be the run's own: those that start its engine, else any engine, else one that is named like it."""
    replaced = replaced_commands(units)
    launches = [one for one in table.clues.get("clue.launch_command", []) if _place(one) not in replaced]
    ranked = [(_rank(table, unit, launches), unit) for unit in units if not unit.name.endswith(".timer")]
    best = max((rank for rank, _ in ranked if rank >= 0), default=0)
    likely = [unit for rank, unit in ranked if rank == best]
    return [unit for unit in likely if unit.is_described] or likely


def _place(launch: Fact) -> tuple[str, int | None]:
    return (launch.origins[0].file, launch.origins[0].line) if launch.origins else ("", None)


def _rank(table: FactTable, unit: Unit, launches: Sequence[Fact]) -> int:
    """How surely a unit is the run's: it starts what the log shows (or any engine, without a log), or is named like one."""
    own = [one.value for one in launches if one.value.get("service") == unit.name]
    if any(fits(table, launch) for launch in own):
        return 2
    if own:
        return _OF_ANOTHER
    words = " ".join(str(one.value["value"]) for one in unit.settings if one.value["key"] in ("Description", "command", "image"))
    return 1 if _ENGINE_WORDS.search(f"{unit.name} {words}") else 0


def fits(table: FactTable, launch: dict[str, Any]) -> bool:
    """Whether a launch command can be the one of the arm's log: its engine, and a model of the same name. True without a log."""
    engines, models = said_by_logs(table, "engine.name"), said_by_logs(table, "model.path")
    if engines and launch.get("engine") not in engines:
        return False
    model = launch.get("model")
    return not (models and isinstance(model, str)) or _tail(model) in {_tail(one) for one in models}


def said_by_logs(table: FactTable, name: str) -> set[str]:
    """What engine logs say of a field; launch commands speak of nothing but requests."""
    readers = {origin.reader for one in table.clues.get("clue.launch_command", []) for origin in one.origins}
    facts = table.fields.get(name, [])
    return {str(one.value) for one in facts if not any(origin.reader in readers for origin in one.origins)}


def _tail(path: str) -> str:
    return path.rstrip("/").replace("\\", "/").rpartition("/")[2].casefold()
