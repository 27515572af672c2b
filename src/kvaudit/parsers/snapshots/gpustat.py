"""`gpustat` text and JSON.

Room: `parsers.snapshots`. Memory is printed as MB and means MiB. Processes are tenants only where the process ids are printed
(`-p`); a bare row may as well mean that they were switched off.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.json_cells import Path
from kvaudit.patterns import LatePattern

ROW = LatePattern(
    r"^\[(?P<index>\d{1,3})\]\s+(?P<name>\S.*?)\s*\|\s*(?P<heat>\d+|\?+|N/A)\s*(?:°C|'C|\?C|C)[^|]*\|"
    r"\s*(?P<used>\d{1,9}|\?\?)\s*/\s*(?P<total>\d{1,9}|\?\?)\s*MB\s*(?:\|\s*(?P<rest>.*))?$"
)
HEAD = LatePattern(
    r"^\S+\s{2,}(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} .*?\d{4}|.*?\d\d:\d\d:\d\d.*?)\s{2,}(?P<driver>\d+(?:\.\d+)+)\s*$"
)
_USE = LatePattern(r",\s*(\d{1,3})\s*%")
_PROCESS = LatePattern(r"^(?:[^\s:/()]+:)?(?P<name>[^\s()]*?)/(?P<pid>\d{1,10})\((?P<mib>\d{1,9}|\?)M(?:i?B)?\)$")


def parse_text(lines: list[TextLine]) -> Capture | None:
    """The GPUs of the first listing."""
    capture = Capture()
    complete, printed = True, 0
    for line in lines:
        row = ROW.search(line.text)
        if row is None:
            _head(capture, line)
            continue
        index = int(row.group("index"))
        if any(gpu.key == index for gpu in capture.gpus):
            capture.notes.append("several listings: the facts are of the first")
            break
        capture.gpus.append(_gpu(index, row.groupdict(), line))
        words = (row.group("rest") or "").split()
        read = [_process(index, word, line) for word in words]
        printed += len(words)
        complete = complete and None not in read
        capture.processes += [process for process in read if process]
    if not capture.gpus:
        return None
    _judge(capture, complete, printed)
    return capture


def _judge(capture: Capture, complete: bool, printed: int) -> None:
    capture.listed = complete
    capture.process_line = capture.gpus[0].line
    if not printed:
        capture.limits.append("no process is printed, which an option does too")


def _head(capture: Capture, line: TextLine) -> None:
    head = HEAD.search(line.text)
    if head and not capture.gpus:
        capture.say("gpu.driver", head.group("driver"), line, line.raw.find(head.group("driver")))
        capture.say("clue.snapshot_time", head.group("time").strip(), line)


def _gpu(index: int, row: dict[str, str], line: TextLine) -> Gpu:
    gpu = Gpu(index, line)
    gpu.say("gpu.names", row["name"], line, line.raw.find(row["name"]))
    gpu.say("gpu.memory_used_mib", values.mib(row["used"]), line)
    gpu.say("gpu.memory_total_mib", values.mib(row["total"]), line)
    return gpu


def _process(gpu: int, word: str, line: TextLine) -> Process | None:
    """One `user:command/pid(123M)`; None where the process id is not printed."""
    match = _PROCESS.search(word)
    if match is None:
        return None
    name, memory = values.visible_name(match.group("name")), values.whole(match.group("mib"))
    return Process(gpu, int(match.group("pid")), name, None, memory, line)


def is_json(cells: dict[Path, Said]) -> bool:
    """Whether the cells are those of `gpustat --json`."""
    return ("gpus", "0", "memory.used") in cells or ("gpus", "0", "memory.total") in cells


def parse_json(cells: dict[Path, Said]) -> Capture | None:
    """The GPUs and processes of `gpustat --json`."""
    capture = Capture(listed=True)
    _text(capture, "clue.snapshot_time", cells.get(("query_time",)))
    _text(capture, "gpu.driver", cells.get(("driver_version",)))
    for order in range(_length(cells, ("gpus",))):
        gpu = _json_gpu(cells, ("gpus", str(order)), order)
        if gpu is None:
            break
        capture.gpus.append(gpu)
        _json_processes(capture, cells, order)
    capture.process_line = capture.gpus[0].line if capture.gpus else None
    return capture if capture.gpus else None


def _length(cells: dict[Path, Said], base: Path) -> int:
    depth = len(base)
    places = (values.whole(path[depth]) for path in cells if len(path) > depth and path[:depth] == base)
    return max((place + 1 for place in places if place is not None), default=0)


def _text(capture: Capture, name: str, said: Said | None) -> None:
    if said and isinstance(said.value, str):
        capture.say(name, said.value, said.line, said.position)


def _json_gpu(cells: dict[Path, Said], base: Path, order: int) -> Gpu | None:
    index = cells.get((*base, "index"))
    anchor = index or next((said for path, said in cells.items() if path[:2] == base), None)
    if anchor is None:
        return None
    gpu = Gpu(index.value if index and type(index.value) is int else order, anchor.line)
    for name, key, kind in (
        ("gpu.names", "name", str),
        ("gpu.uuids", "uuid", str),
        ("gpu.memory_used_mib", "memory.used", int),
        ("gpu.memory_total_mib", "memory.total", int),
        ("gpu.power_limit_w", "enforced.power.limit", int),
    ):
        said = cells.get((*base, key))
        if said and type(said.value) is kind:
            gpu.say(name, said.value, said.line, said.position)
    return gpu


def _json_processes(capture: Capture, cells: dict[Path, Said], order: int) -> None:
    base = ("gpus", str(order), "processes")
    if base in cells:
        capture.hidden.append("the driver does not list processes of this GPU")
    key = capture.gpus[-1].key
    for place in range(_length(cells, base)):
        pid = cells.get((*base, str(place), "pid"))
        name, memory = (cells.get((*base, str(place), word)) for word in ("command", "gpu_memory_usage"))
        if pid is None or type(pid.value) is not int:
            capture.hidden.append("a process without an id")
            continue
        shown = values.visible_name(name.value) if name and isinstance(name.value, str) else None
        size = memory.value if memory and type(memory.value) is int else None
        capture.processes.append(Process(key, pid.value, shown, None, size, pid.line))
