"""Who can be seen in a capture: whether its process list is the whole truth, and what memory it leaves unexplained.

Room: `parsers.snapshots`. An empty list is claimed only where the form proves it. WSL and containers see their own processes
only, WDDM and unified memory print no memory, and memory that nobody listed explains means that somebody is hidden.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said, Writer
from kvaudit.parsers.snapshots.desktop import is_desktop
from kvaudit.parsers.tables import fact

_HEADLESS_BASELINE = 35
"""MiB that the driver itself holds beside processes: 13 to 35 on data-centre and headless cards, drivers 580 to 595."""

_DESKTOP_BASELINE = 300
"""The same with a display client on the card: about 260 measured under Wayland, driver 595."""

_MPS_SERVER = ("nvidia-cuda-mps-server", "nvidia-cuda-mp")
"""Whole, and cut after 15 characters."""

_MOST_UNEXPLAINED = 500
_MOST_UNEXPLAINED_OLD = 1024
"""Drivers before 510 count the reserved memory as used."""


def judged(capture: Capture, writer: Writer) -> list[Fact]:
    """The tenants where the list is proven, the unattributed memory where it can be computed, and the visibility clue."""
    if not capture.listed:
        return _clue("partial: no process table", capture, writer) if capture.gpus else []
    unexplained = _unexplained(capture)
    reasons = [*capture.hidden, *(unexplained if _hides(capture) else [])]
    if not capture.processes and not reasons and not _proves_empty(capture):
        reasons.append("an empty process list proves nothing here")
    if reasons:
        if capture.processes:
            capture.notes.append(f"{len(capture.processes)} processes are printed, but others may be hidden: {reasons[0]}")
        rest = _unattributed(capture, writer) if not capture.hidden and unexplained else []
        return [*rest, *_clue(f"partial: {'; '.join(reasons)}", capture, writer)]
    limits = [*dict.fromkeys(capture.limits), *unexplained]
    facts = [_tenants(capture, writer), *_unattributed(capture, writer)]
    return [*facts, *_clue(f"partial: {'; '.join(limits)}" if limits else "full", capture, writer)]


def _hides(capture: Capture) -> bool:
    """Whether unexplained memory means a list that is not the host's: none listed, a container, or rows without their memory."""
    return not capture.processes or capture.wrapper == "container" or any(process.mib == 0 for process in capture.processes)


def _clue(words: str, capture: Capture, writer: Writer) -> list[Fact]:
    line = capture.process_line or next((gpu.line for gpu in capture.gpus), None)
    return [fact("clue.snapshot_visibility", words, "observed", [writer.origin(line)] if line else [])]


def _proves_empty(capture: Capture) -> bool:
    """Nothing listed is proven nothing by words where memory is visible, and by memory alone where words are missing."""
    used = [gpu.get("gpu.memory_used_mib") for gpu in capture.gpus]
    if capture.gpus and all(isinstance(mib, int | float) and mib <= _HEADLESS_BASELINE for mib in used):
        return True
    return capture.empty and (not capture.gpus or None not in used)


def _unexplained(capture: Capture) -> list[str]:
    reasons = []
    for gpu in capture.gpus:
        rest = _rest(gpu, capture.processes, len(capture.gpus))
        if rest is not None and rest > _limit(capture):
            reasons.append(f"GPU {gpu.key}: {rest:.0f} MiB in use that no listed process explains")
    return reasons


def _limit(capture: Capture) -> int:
    driver = capture.host.get("gpu.driver")
    major = str(driver.value).split(".", 1)[0] if driver else ""
    return _MOST_UNEXPLAINED_OLD if major.isdigit() and int(major) < 510 else _MOST_UNEXPLAINED


def _rest(gpu: Gpu, processes: list[Process], gpus: int) -> float | None:
    """Used memory minus the processes of this GPU; None where either is not printed."""
    used = gpu.get("gpu.memory_used_mib")
    own = [process.mib for process in processes if process.gpu == gpu.key or (process.gpu is None and gpus == 1)]
    if used is None or any(mib is None for mib in own) or (gpus > 1 and any(process.gpu is None for process in processes)):
        return None
    return float(used - sum(mib for mib in own if mib is not None))


def _unattributed(capture: Capture, writer: Writer) -> list[Fact]:
    values, said = [], []
    for gpu in capture.gpus:
        rest = _rest(gpu, capture.processes, len(capture.gpus))
        if rest is None or gpu.get("gpu.mig") == "Enabled":
            return []
        drawn = any(_is_drawing(process) for process in capture.processes if process.gpu in {gpu.key, None})
        values.append(max(0, round(rest) - (_DESKTOP_BASELINE if drawn else _HEADLESS_BASELINE)))
        said.append(gpu.said["gpu.memory_used_mib"])
    if not values:
        return []
    how = f"used - processes - {_HEADLESS_BASELINE} MiB of the driver ({_DESKTOP_BASELINE} with a display client)"
    return [fact("gpu.unattributed_mib", values, "inferred", writer.origins(said), how=how)]


def _tenants(capture: Capture, writer: Writer) -> Fact:
    said = [Said(_tenant(process), process.line) for process in capture.processes]
    origins = writer.origins(said)
    if not said and capture.process_line:
        origins = [writer.origin(capture.process_line)]
    return fact("gpu.tenants", [item.value for item in said], "observed", origins)


def _tenant(process: Process) -> dict[str, Any]:
    kind, reason = _class(process)
    values = {"gpu": process.gpu, "pid": process.pid, "name": process.name, "type": process.type, "mib": process.mib}
    return {**values, "class": kind, "reason": reason}


def _is_drawing(process: Process) -> bool:
    return process.type == "G" or _class(process)[0] == "desktop"


def _class(process: Process) -> tuple[str, str]:
    """`desktop` or `unknown` with the reason; own and foreign are decided with the log."""
    if process.type == "G":
        return "desktop", "a graphics process (type G)"
    if (process.name or "").endswith(_MPS_SERVER):
        return "desktop", "the server of CUDA MPS, which computes nothing itself"
    if process.type != "C" and is_desktop(process.name):
        return "desktop", "a desktop program by its name"
    return "unknown", "compute; not yet joined with a log" if process.name else "compute; its name is hidden"
