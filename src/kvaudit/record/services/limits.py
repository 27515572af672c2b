"""The start limit that is in force for a unit, and limits that stand where nobody reads them.

Room: `record.services`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.services.spans import seconds, written
from kvaudit.record.services.units import Unit

DEFAULT_BURST, DEFAULT_INTERVAL = 5, 10.0
"""DefaultStartLimitBurst and DefaultStartLimitIntervalSec of systemd-system.conf(5)."""

_MISPLACED = "StartLimitIntervalSec"


@dataclass(slots=True)
class Limit:
    """Burst starts within an interval in seconds; `burst` is None where the manager knows no limit."""

    text: str
    stage: Stage
    origins: list[Origin]
    burst: int | None = None
    interval: float = 0.0
    how: str | None = None
    misplaced: list[Fact] = field(default_factory=list)


def limit_of(unit: Unit) -> Limit | None:
    """The limit in force, None where the documents leave it open."""
    if unit.manager == "systemd":
        return _systemd(unit)
    if unit.manager == "kubernetes":
        return None
    return _container(unit)


def _systemd(unit: Unit) -> Limit | None:
    shown = unit.last("StartLimitBurst", "show"), unit.last("StartLimitIntervalUSec", "show")
    burst = shown[0] or unit.last("StartLimitBurst", "Unit", "Service")
    interval = shown[1] or _interval(unit)
    misplaced = [one for one in unit.settings if one.value["key"] == _MISPLACED and one.value["section"] not in ("Unit", "show")]
    if not unit.has_own_file and not (burst and interval):
        return None
    count = _count(burst) if burst else DEFAULT_BURST
    span = seconds(str(interval.value["value"])) if interval else DEFAULT_INTERVAL
    if count is None or span is None:
        return None
    given = [one for one in (burst, interval) if one is not None]
    origins = [origin for one in (*given, *misplaced) for origin in one.origins] or unit.settings[0].origins
    stage: Stage = given[0].stage if given else "inferred"
    how = None if len(given) == 2 and not misplaced else _how(given, misplaced)
    return Limit(f"{count}/{written(span)}", stage, origins, count, span, how, misplaced)


def _interval(unit: Unit) -> Fact | None:
    """`StartLimitIntervalSec` counts in [Unit] only; the old spelling counts in both sections. The last one holds."""
    found = [
        one
        for one in unit.settings
        if (one.value["key"], one.value["section"])
        in ((_MISPLACED, "Unit"), ("StartLimitInterval", "Unit"), ("StartLimitInterval", "Service"))
    ]
    return found[-1] if found else None


def _count(burst: Fact) -> int | None:
    text = str(burst.value["value"]).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _how(given: list[Fact], misplaced: list[Fact]) -> str:
    if misplaced:
        section = misplaced[-1].value["section"] or "no section"
        return f"{_MISPLACED} in [{section}] is ignored; it belongs into [Unit]"
    if not given:
        return f"no limit is set, so systemd's default holds: {DEFAULT_BURST} starts in {DEFAULT_INTERVAL:g} s"
    missing = "the interval" if "Burst" in given[0].value["key"] else "the number of starts"
    return f"{missing} is not set, so systemd's default holds"


def _container(unit: Unit) -> Limit | None:
    """Docker counts at most `on-failure:N`; a swarm service has attempts in a window."""
    retries, policy = unit.last("max_retries") or unit.last("max_attempts"), unit.last("restart") or unit.last("condition")
    if policy is None:
        return None
    word, _, count = str(policy.value["value"]).partition(":")
    if retries is not None and str(retries.value["value"]) not in ("0", ""):
        count = str(retries.value["value"])
    if not count.isdigit() or word not in ("on-failure", "any"):
        return Limit("n/a", policy.stage, policy.origins, how="docker has no start limit")
    origins = [*policy.origins, *(retries.origins if retries else [])]
    return Limit(count, policy.stage, origins, burst=int(count) if len(count) < 10 else None, interval=float("inf"))
