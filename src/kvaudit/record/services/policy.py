"""Whether a restart policy can restart a service for ever: burst × (pause + time to crash) against the interval.

Room: `record.services`. systemd counts starts in a window: the limit is reached only if `burst` starts fit into it. The time to
crash is measured on the log's failed starts, which leaves out what a start does before its first line, or on the manager's own
counter, which leaves out nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.services.spans import seconds, written
from kvaudit.parsers.tables import fact
from kvaudit.record.services.limits import Limit, limit_of
from kvaudit.record.services.units import Unit
from kvaudit.record.table import FactTable

_AFTER_A_FAILURE = frozenset(("always", "on-failure", "unless-stopped", "any"))
"""Policies that start a server again which left with an error; on-abnormal and on-abort do not."""

_DEFAULT_PAUSE = 0.1
"""RestartSec of systemd.service(5): 100 ms."""

_UNSEEN_START = 60.0
"""Seconds that an engine may take before its first stamped line: imports, a container's start."""


@dataclass(slots=True)
class _Measured:
    """Seconds from one failure to the next without the pause (`crash`) or with it (`cycle`), and where they come from."""

    crash: float | None = None
    cycle: float | None = None
    said: str = ""
    origins: tuple[Origin, ...] = ()


def policy_of(table: FactTable, unit: Unit) -> list[Fact]:
    """The clue about one unit: `endless` is true, false or None, `because` says it with the figures."""
    policy = _policy(unit)
    if policy is None:
        return []
    word = str(policy.value["value"]).partition(":")[0]
    limit, pause = limit_of(unit), _pause(unit)
    measured = _measured(table, unit)
    endless, because = _judge(unit, word, limit, pause, measured)
    misplaced = [f"{one.value['key']} in [{one.value['section']}]" for one in limit.misplaced] if limit else []
    value = {
        "service": unit.name,
        "policy": word,
        "burst": limit.burst if limit else None,
        "interval": written(limit.interval) if limit else None,
        "pause": pause,
        "crash_seconds": measured.crash,
        "cycle_seconds": measured.cycle,
        "endless": endless,
        "because": because,
        "misplaced": misplaced,
    }
    origins = [*policy.origins, *(limit.origins if limit else []), *measured.origins]
    return [fact("clue.restart_policy", value, "inferred", list(dict.fromkeys(origins)))]


def _policy(unit: Unit) -> Fact | None:
    if unit.manager == "systemd":
        return unit.last("Restart", "Service", "show")
    return unit.last("restart") or unit.last("condition")


def _pause(unit: Unit) -> float:
    shown, set_ = unit.text("RestartUSec", "show"), unit.text("RestartSec", "Service")
    found = seconds(shown or set_ or "")
    return _DEFAULT_PAUSE if found is None or math.isinf(found) else found


def _measured(table: FactTable, unit: Unit) -> _Measured:
    cycle = unit.last("cycle")
    if cycle is not None and isinstance(cycle.value["value"], dict):
        found = cycle.value["value"]
        said = f"{found.get('seconds'):g} s from one restart to the next, measured on {found.get('count')} restarts"
        return _Measured(cycle=float(found["seconds"]), said=said, origins=tuple(cycle.origins))
    crashes = [one for one in table.clues.get("clue.crash_seconds", []) if isinstance(one.value, int | float)]
    if not crashes:
        return _Measured()
    middle = float(median(one.value for one in crashes))
    several = f"{len(crashes)} failed start{'s' * (len(crashes) != 1)}"
    return _Measured(crash=middle, said=f"{middle:.0f} s to crash, measured on {several}", origins=tuple(crashes[0].origins[:2]))


def _judge(unit: Unit, word: str, limit: Limit | None, pause: float, measured: _Measured) -> tuple[bool | None, str]:
    if word not in _AFTER_A_FAILURE:
        return False, f"the policy {word} does not restart a server that failed"
    if unit.manager == "kubernetes":
        return False, "the kubelet backs off and shows CrashLoopBackOff"
    if limit is None:
        return None, "the start limit is not in the evidence"
    if unit.manager in ("docker", "compose"):
        if limit.burst is None:
            return True, f"the policy {word} has no count, so docker starts it again for ever"
        return False, f"docker stops after {limit.burst} attempts"
    return _against_limit(limit, pause, measured)


def _against_limit(limit: Limit, pause: float, measured: _Measured) -> tuple[bool | None, str]:
    burst, interval = limit.burst or 0, limit.interval
    if not burst or not interval:
        return True, "the start limit is switched off"
    within = f"{burst} starts in {written(interval)} s"
    if burst * pause >= interval:
        took = f"{burst} × {pause:g} s pause = {burst * pause:g} s"
        return True, f"the limit of {within} is never reached, however fast the server fails ({took})"
    if measured.cycle is not None:
        total = burst * measured.cycle
        return total >= interval, f"{within} against {measured.said}: {burst} starts take {total:g} s"
    if measured.crash is None:
        needed = interval / burst - pause
        return None, f"how long a failed start takes: from {needed:g} s on the limit of {within} is never reached"
    total = burst * (pause + measured.crash)
    text = f"{burst} × ({pause:g} s pause + {measured.said}) = {total:.0f} s against {within}"
    if total >= interval:
        return True, f"{text}: the limit is never reached"
    sure = burst * (pause + measured.crash + _UNSEEN_START) < interval
    return (False, text) if sure else (None, f"{text}; what a start takes before its first line is not in it")
