"""The text of `nvidia-smi -q`: keys and values split on the first ` : `, headings instead of indentation.

Room: `parsers.snapshots`. Key width and depth changed between drivers (418 to 610) and pastes lose blanks, so a value belongs to
the last heading above it. Several logs in one file: the first is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kvaudit.parsers.snapshots import detail
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said, several
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.values import mib, shown_type, visible_name, whole
from kvaudit.patterns import LatePattern

START = LatePattern(r"={5,}\s*NVSMI LOG\s*={5,}")
_PAIR = LatePattern(r"^(\S.*?)\s*:(?:\s+(.*))?$")
_GPU = LatePattern(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])$")
_MOST_LOGS = 64
_VERSION = LatePattern(r"^\d+(?:\.\d+)+")
_HOST = (
    ("gpu.driver", ("KMD Version", "Driver Version")),
    ("gpu.cuda", ("CUDA UMD Version", "CUDA Version")),
)


@dataclass(slots=True)
class _Block:
    """One GPU block: cells by `heading/key` and by plain key, raw processes, and whether the list was printed."""

    line: TextLine
    cells: dict[str, Said] = field(default_factory=dict)
    processes: list[dict[str, Said]] = field(default_factory=list)
    listed: Said | None = None
    none: bool = False


@dataclass(slots=True)
class _Log:
    host: dict[str, Said] = field(default_factory=dict)
    blocks: list[_Block] = field(default_factory=list)
    heading: str = ""


def parse(lines: list[TextLine]) -> Capture | None:
    """The first log, None where it holds no GPU block."""
    return next(captures(lines), None)


def captures(lines: list[TextLine]) -> Iterator[Capture]:
    """Every log that holds a GPU block, at most 64."""
    starts = [at for at, line in enumerate(lines) if START.search(line.text)]
    for start, end in zip(starts[:_MOST_LOGS], [*starts[1:], len(lines)], strict=False):
        log = _Log()
        for line in lines[start + 1 : end]:
            if line.text.startswith("####"):
                break
            _take(log, line)
        if log.blocks:
            capture = _capture(log)
            if len(starts) > 1:
                capture.notes.append(several(len(starts), "logs"))
            yield capture


def _take(log: _Log, line: TextLine) -> None:
    gpu = _GPU.match(line.text)
    if gpu:
        log.blocks.append(_Block(line))
        log.heading = ""
        return
    pair = _PAIR.match(line.text)
    if pair is None:
        log.heading = line.text.strip() or log.heading
        if log.heading == "Processes" and log.blocks and line.text:
            log.blocks[-1].listed = Said("", line)
        return
    key, value = pair.group(1).strip(), (pair.group(2) or "").strip()
    position = pair.span(2)[0] if pair.group(2) else 0
    said = Said(value, line, max(0, line.raw.find(value)) if value else position)
    if not log.blocks:
        log.host.setdefault(key, said)
    else:
        _in_block(log.blocks[-1], log.heading, key, said)


def _in_block(block: _Block, heading: str, key: str, said: Said) -> None:
    if heading == "Processes" and block.listed:
        if key == "Process ID":
            block.processes.append({})
        if block.processes:
            block.processes[-1].setdefault(key, said)
    elif key == "Processes":
        block.listed, block.none = said, said.value == "None"
    else:
        block.cells.setdefault(f"{heading}/{key}", said)
        block.cells.setdefault(key, said)


def _capture(log: _Log) -> Capture:
    capture = Capture(listed=all(block.listed for block in log.blocks), empty=all(block.none for block in log.blocks))
    capture.process_line = next((block.listed.line for block in log.blocks if block.listed), None)
    for name, keys in _HOST:
        for key in keys:
            said = log.host.get(key)
            version = _VERSION.match(said.value) if said else None
            if said and version:
                capture.say(name, version.group(0), said.line, said.position)
    if "Timestamp" in log.host:
        time = log.host["Timestamp"]
        capture.say("clue.snapshot_time", time.value, time.line, time.position)
    for order, block in enumerate(log.blocks):
        _gpu(capture, order, block)
    attached = log.host.get("Attached GPUs")
    capture.counted = attached is None or whole(attached.value) == len(log.blocks)
    return capture


def _gpu(capture: Capture, order: int, block: _Block) -> None:
    gpu = Gpu(order, block.line)
    capture.gpus.append(gpu)
    detail.fill(gpu, block.cells, "text")
    for printed in block.processes:
        pid, name, used = printed["Process ID"], printed.get("Name"), printed.get("Used GPU Memory")
        number = whole(pid.value)
        if number is None or used is None:
            capture.hidden.append("the process list is cut")
            continue
        kind = shown_type(printed["Type"].value) if "Type" in printed else None
        shown = visible_name(name.value) if name else None
        capture.processes.append(Process(order, number, shown, kind, mib(used.value), pid.line))
    if block.listed and not block.none and not block.processes:
        capture.hidden.append("the process list is not printed")
    detail.judge(capture, block.cells, "text")
