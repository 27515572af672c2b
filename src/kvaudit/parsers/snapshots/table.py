"""The box table that plain `nvidia-smi` prints, drivers 375 to 610, read by tokens and never by columns.

Room: `parsers.snapshots`. Bars are blanks here, so collapsed spaces, lost bars and Markdown tables do not matter. Rows:
GPU name with bus id, then fan, power, memory and mode, then (450 and newer) the MIG mode; further down the processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said, several
from kvaudit.parsers.snapshots.document import TextLine, rejoined
from kvaudit.parsers.snapshots.values import compute_mode, ecc_of_count, mib, positive, shown_type, switch, visible_name
from kvaudit.patterns import LatePattern

HEADER = LatePattern(r"NVIDIA-SMI\s+(\d[\w.]*)\s.*?\b(?:Driver|KMD) Version:\s*([\w.]+)")
_CUDA = LatePattern(r"CUDA(?: UMD)? Version:\s*(\d+\.\d+)")
GPU_ROW = LatePattern(
    r"^\s*(?P<index>\d{1,3})\s+(?P<name>\S.*?)\s+(?P<mode>On|Off|WDDM|TCC|MCDM|N/A|ERR!)\s+"
    r"(?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])(?:\s+(?:On|Off|N/A)(?:\s+(?P<ecc>\S+))?)?\s*$"
)
_MEMORY = LatePattern(r"(\d{1,10})\s?MiB\s*/\s*(\d{1,10})\s?MiB")
_POWER = LatePattern(r"(?:\d+(?:\.\d+)?\s?W|N/A|ERR!|Unknown Error\]?)\s*/\s*(\d+(?:\.\d+)?)\s?W\b")
_MODE = LatePattern(
    r"\s(\d+\s?%|N/A|ERR!)\s+(Default|Prohibited|E\. ?Process|E\. ?Thread|Exclusive[_ ]Process|Exclusive[_ ]Thread)\s*$"
)
_SECOND_ROW = LatePattern(r"\sP\d{1,2}\s|MiB\s*/|Not Supported|\sW\s*/|ERR!")
_MIG = LatePattern(r"^\s*(Enabled\*?|Disabled\*?|N/A)\s*$")
_PROCESS = LatePattern(
    r"^\s*(?P<gpu>\d{1,3})\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(?P<pid>\d{1,10})\s+(?P<type>C\+G|G\+C|M\+C|C|G|M)\s+"
    r"(?:(?P<name>\S.*?)\s+)?(?P<mib>\d+\s?MiB|N/A|\d+M?i?B?\.*)\s*$"
)
_NUMBERED = LatePattern(r"^\s*\d{1,3}\s+\S")
_DATE = LatePattern(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{2,5})? \d{4}\b")
_CONTAINER = LatePattern(
    r"Container image Copyright|^NVIDIA Release |kubectl exec|docker(?:-compose)? (?:run|exec)|podman (?:run|exec)"
)
_MOST_CAPTURES = 64
_RULE = LatePattern(r"^\W*[-=+]{5,}[-=+|\s]*$")


@dataclass(slots=True)
class _State:
    """Where in the box the next row belongs: after a GPU row come two more, after the title the processes."""

    capture: Capture = field(default_factory=Capture)
    expecting: int = 0
    part: str = "gpus"
    closed: bool = False
    odd: bool = False


def parse(lines: list[TextLine]) -> Capture | None:
    """The first capture of the lines, or None where there is no GPU row."""
    return next(captures(lines), None)


def captures(lines: list[TextLine]) -> Iterator[Capture]:
    """Every capture that holds a GPU row, at most 64; each begins at the line that names tool and driver."""
    joined = list(rejoined(lines))
    starts = [at for at, line in enumerate(joined) if HEADER.search(line.text)] or [0]
    for start, end in zip(starts[:_MOST_CAPTURES], [*starts[1:], len(joined)], strict=False):
        state = _State()
        for line in joined[start:end]:
            _take(state, line)
        if state.capture.gpus:
            _around(state.capture, joined[max(0, start - 60) : start])
            _finish(state, len(starts))
            yield state.capture


def _take(state: _State, line: TextLine) -> None:
    """One line goes to the row kind that it matches in the part that is open."""
    text = line.text.replace("|", " ")
    if not text.strip():
        return
    if "MIG devices:" in text:
        state.part, state.expecting = "mig", 0
    elif "Processes:" in text and state.capture.gpus:
        state.part, state.expecting = "processes", 0
        state.capture.process_line = line
    elif _RULE.search(line.text):
        state.closed = True
        if state.part == "processes":
            _rule_of_processes(state, line)
    elif state.part == "gpus":
        _gpu_line(state, line, text)
    elif state.part == "processes":
        _process_line(state, line, text)


def _rule_of_processes(state: _State, line: TextLine) -> None:
    """The rule under the head opens the list, the one after it closes it."""
    if "=" in line.text:
        state.expecting = 9
    elif state.expecting == 9:
        state.capture.listed = True
        state.part = "done"


def _gpu_line(state: _State, line: TextLine, text: str) -> None:
    capture = state.capture
    header = HEADER.search(text)
    if header:
        capture.say("gpu.driver", header.group(2), line, header.span(2)[0])
        cuda = _CUDA.search(text)
        if cuda:
            capture.say("gpu.cuda", cuda.group(1), line, cuda.span(1)[0])
        if not header.group(2).startswith(header.group(1)):
            capture.hidden.append("WSL or a container: tool and driver differ in version, so only the guest's processes are seen")
        return
    row = GPU_ROW.search(text)
    if row:
        capture.gpus.append(_gpu(row.groupdict(), line))
        if "ERR!" in text:
            lost = f"GPU {row.group('index')} is lost or answers with errors"
            capture.conditions.append(Said({"kind": "lost", "text": lost}, line))
        state.expecting, state.closed = 2, False
    elif state.expecting == 2 and _SECOND_ROW.search(text):
        _second_row(capture.gpus[-1], line, text)
        state.expecting = 1
    elif state.expecting == 1:
        mig = _MIG.search(text)
        if mig:
            capture.gpus[-1].say("gpu.mig", switch(mig.group(1)), line)
        state.expecting = 0
    elif capture.gpus and _NUMBERED.search(text):
        capture.unread.append(line)
        state.odd = True


def _gpu(row: dict[str, str], line: TextLine) -> Gpu:
    gpu = Gpu(int(row["index"]), line)
    gpu.say("gpu.names", None if row["name"].startswith("ERR!") else row["name"], line)
    if row["mode"] in {"On", "Off"}:
        gpu.say("gpu.persistence", switch(row["mode"]), line)
    gpu.say("gpu.ecc", ecc_of_count(row["ecc"] or ""), line)
    return gpu


def _second_row(gpu: Gpu, line: TextLine, text: str) -> None:
    memory, power, mode = _MEMORY.search(text), _POWER.search(text), _MODE.search(text)
    if memory:
        gpu.say("gpu.memory_used_mib", mib(memory.group(1)), line, memory.span(1)[0])
        gpu.say("gpu.memory_total_mib", mib(memory.group(2)), line, memory.span(2)[0])
    if power:
        gpu.say("gpu.power_limit_w", positive(power.group(1)), line, power.span(1)[0])
    if mode:
        gpu.say("gpu.compute_mode", compute_mode(mode.group(2)), line, mode.span(2)[0])


def _process_line(state: _State, line: TextLine, text: str) -> None:
    capture = state.capture
    row = _PROCESS.search(text)
    if row:
        kind, name, size = shown_type(row["type"]), visible_name(row["name"]), row["mib"]
        memory = mib(size) if size.endswith("MiB") else None
        capture.processes.append(Process(int(row["gpu"]), int(row["pid"]), name, kind, memory, line))
    elif "No running processes found" in text:
        capture.listed = capture.empty = True
        capture.process_line = line
    elif "Not Supported" in text:
        capture.hidden.append("the driver does not list processes of this GPU")
    elif _NUMBERED.search(text):
        capture.unread.append(line)
        capture.hidden.append("a process row that does not read as one")


def _around(capture: Capture, before: list[TextLine]) -> None:
    """What stands above the box: the date, and signs of a container."""
    for line in before:
        date = _DATE.search(line.text)
        if date:
            capture.host.pop("clue.snapshot_time", None)
            capture.say("clue.snapshot_time", date.group(0), line, date.span(0)[0])
        if _CONTAINER.search(line.text):
            capture.wrapper = "container"


def _finish(state: _State, captures: int) -> None:
    capture = state.capture
    capture.counted = (state.closed or state.part != "gpus") and not state.odd
    if captures > 1:
        capture.notes.append(several(captures, "captures"))
    if capture.processes and not capture.listed:
        capture.listed = True
        capture.hidden.append("the process table is cut")
    modes = " ".join(gpu.line.text for gpu in capture.gpus)
    if " WDDM " in f"{modes.replace('|', ' ')} ":
        capture.limits.append("WDDM prints no memory per process")
        if not capture.processes:
            capture.hidden.append("WDDM lists no process")
    elif any(_is_guest(process) for process in capture.processes):
        capture.hidden.append("WSL or a container: memory of its processes is not printed")
    unseen = capture.empty or capture.wrapper == "container"
    if unseen and any(gpu.get("gpu.memory_used_mib") is None for gpu in capture.gpus):
        capture.hidden.append("the memory of this GPU is not printed, so a hidden process would not show")


def _is_guest(process: Process) -> bool:
    """A path of a Unix system whose memory is not printed: native Linux prints it."""
    return process.mib is None and (process.name or "/").startswith("/") and process.line.text.rstrip("| ").endswith("N/A")
