"""Units and timers that bring services back while somebody measures.

Room: `record.services`. Known by what they do (`systemctl restart`, `docker start`), by what their authors call them, and by
images that do nothing else. One that the manager shows as inactive is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.patterns import LatePattern
from kvaudit.record.services.units import Unit
from kvaudit.record.table import FactTable

_NAMES = LatePattern(r"(?i)keep[-_]?alive|watch[-_]?dog|reviv|auto[-_]?heal|self[-_]?heal|resurrect|respawn|ensure[-_]running")
_ACTS = LatePattern(
    r"\bsystemctl\s+(?:--\S+\s+)*(?:re)?start\b|\bsystemctl\s+(?:--\S+\s+)*try-restart\b|"
    r"\b(?:docker|podman)\s+(?:compose\s+)?(?:re)?start\b|\bdocker[ -]compose\s+(?:-\S+\s+\S+\s+)*up\b|"
    r"\bkubectl\s+rollout\s+restart\b"
)
_IMAGES = LatePattern(r"(?i)(?:^|/)(?:[\w-]*autoheal|watchtower)(?:[:@]|$)")
_TIMES = ("OnUnitActiveSec", "OnCalendar", "OnUnitInactiveSec", "OnBootSec", "OnActiveSec", "OnStartupSec")
_AT_REST = ("inactive", "failed", "exited")


def is_watchdog(unit: Unit) -> bool:
    """Whether a unit restores services, by its deeds or its name; its timer, if it has one, is told apart."""
    words = [str(one.value["value"]) for one in unit.settings if one.value["key"] in ("ExecStart", "ExecStartPost", "command")]
    called = [
        unit.name.rpartition("__")[2],
        *(str(one.value["value"]) for one in unit.settings if one.value["key"] == "Description"),
    ]
    image = unit.text("image") or ""
    return bool(_IMAGES.search(image)) or any(map(_ACTS.search, words)) or any(map(_NAMES.search, called))


def add_watchdogs(table: FactTable, units: Sequence[Unit]) -> None:
    """Add the field where at least one is there; none in the evidence is no proof that there is none."""
    texts: list[str] = []
    origins: list[Origin] = []
    for unit in units:
        text = _timer(unit, units) if unit.name.endswith(".timer") else _service(unit, units)
        if text and unit.text("ActiveState") not in _AT_REST:
            texts.append(text)
            origins += _telling(unit)
    if texts:
        table.add_once(fact("service.watchdogs", texts[:20], "requested", origins[:16]))


def _service(unit: Unit, units: Sequence[Unit]) -> str:
    if not is_watchdog(unit) or any(_target(timer) == unit.name for timer in units if timer.name.endswith(".timer")):
        return ""
    return f"{_short(unit)} restores services"


def _timer(unit: Unit, units: Sequence[Unit]) -> str:
    """A timer counts where it, or the service that it runs, restores services."""
    target = _target(unit)
    runs = next((other for other in units if other.name == target), None)
    if not is_watchdog(unit) and (runs is None or not is_watchdog(runs)):
        return ""
    when = next((f"{key}={text}" for key in _TIMES if (text := unit.text(key, "Timer"))), "")
    return f"{_short(unit)} ({when}) runs {target}" if when else f"{_short(unit)} runs {target}"


def _target(unit: Unit) -> str:
    return unit.text("Unit", "Timer") or f"{unit.name.removesuffix('.timer')}.service"


def _short(unit: Unit) -> str:
    return unit.name or "a unit"


def _telling(unit: Unit) -> list[Origin]:
    """The lines that show it: what it runs, when, and how it is called."""
    keys = (*_TIMES, "ExecStart", "image", "Description")
    found: list[Fact] = [one for key in keys if (one := unit.last(key)) is not None]
    return [origin for one in (found or unit.settings)[:3] for origin in one.origins]
