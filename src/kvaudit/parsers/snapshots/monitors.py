"""`nvidia-smi pmon` and `dmon`: columns by their header, one row per process or GPU and second.

Room: `parsers.snapshots`. The first sample is read; clocks are the median of the samples under load. pmon cuts commands at 15 or
16 characters and prints memory with `-s m` only.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.patterns import LatePattern

PMON = LatePattern(r"^#\s?(?:Date\s+)?(?:Time\s+)?gpu\s+pid\s+type\b")
DMON = LatePattern(r"^#\s?(?:Date\s+)?(?:Time\s+)?gpu\s+(?:pwr|gtemp|sm|mclk|fb|pviol|sbecc|rxpci)\b")
ROW = LatePattern(r"^(?:\d{8}\s+)?(?:\d\d:\d\d:\d\d\s+)?\d{1,3}\s+(?:-|\d)")


@dataclass(frozen=True, slots=True)
class _Row:
    line: TextLine
    cells: dict[str, str]

    def index(self) -> int | None:
        """The GPU."""
        return values.whole(self.cells.get("gpu", ""))


def _rows(lines: list[TextLine], header: TextLine, start: int) -> tuple[list[_Row], list[TextLine]]:
    """The rows below a header whose cells fit it, and those that do not. The last column takes the rest: commands hold blanks."""
    columns = [name.lower() for name in header.text.lstrip("#").split()]
    found, odd = [], []
    for line in lines[start:]:
        if line.text.startswith("#") or not ROW.search(line.text):
            continue
        cells = line.text.split(None, len(columns) - 1)
        if len(cells) == len(columns):
            found.append(_Row(line, dict(zip(columns, cells, strict=True))))
        else:
            odd.append(line)
    return found, odd


def parse_pmon(lines: list[TextLine]) -> Capture | None:
    """The processes of the first sample."""
    at = next((at for at, line in enumerate(lines) if PMON.search(line.text)), None)
    if at is None:
        return None
    rows, odd = _rows(lines, lines[at], at + 1)
    if not rows:
        return None
    capture = Capture(listed=True, process_line=rows[0].line, unread=odd)
    first = _first_sample(rows)
    if any(line.number <= first[-1].line.number for line in odd):
        capture.hidden.append("a process row that does not read as one")
    if len(first) < len(rows):
        capture.notes.append(f"{len(rows) - len(first)} rows of later samples follow; the facts are of the first")
    for row in first:
        pid = values.whole(row.cells.get("pid", ""))
        if pid is not None:
            memory = values.mib(row.cells.get("fb", ""))
            kind, name = values.shown_type(row.cells.get("type")), values.visible_name(row.cells.get("command"))
            capture.processes.append(Process(row.index(), pid, name, kind, memory, row.line))
    capture.empty = not capture.processes
    if any(process.mib is None for process in capture.processes):
        capture.limits.append("no memory per process")
    return capture


def _first_sample(rows: list[_Row]) -> list[_Row]:
    """Rows up to the first that repeats a process of its GPU, or that goes back to an earlier GPU."""
    seen: set[tuple[int | None, str]] = set()
    last = -1
    for at, row in enumerate(rows):
        index = row.index()
        key = (index, row.cells.get("pid", ""))
        if key in seen or (index is not None and index < last):
            return rows[:at]
        seen.add(key)
        last = index if index is not None else last
    return rows


def parse_dmon(lines: list[TextLine]) -> Capture | None:
    """Clocks under load, and the used memory where `-s m` prints it. The list may be a selection: it proves no count."""
    at = next((at for at, line in enumerate(lines) if DMON.search(line.text)), None)
    if at is None:
        return None
    samples: dict[int, list[_Row]] = {}
    rows, odd = _rows(lines, lines[at], at + 1)
    for row in rows:
        index = row.index()
        if index is not None:
            samples.setdefault(index, []).append(row)
    if not samples:
        return None
    capture = Capture(counted=False, unread=odd)
    if sorted(samples) != list(range(len(samples))):
        capture.notes.append("a selection of GPUs: their order on the host is not proven, nothing was taken")
        return capture
    for index in sorted(samples):
        capture.gpus.append(_monitored(index, samples[index]))
    return capture


def _monitored(index: int, rows: list[_Row]) -> Gpu:
    gpu = Gpu(index, rows[0].line)
    gpu.say("gpu.memory_used_mib", values.mib(rows[0].cells.get("fb", "")), rows[0].line)
    used = [(values.number(row.cells.get("sm", "")), values.number(row.cells.get("pclk", ""))) for row in rows]
    loaded = next((row for row, (use, _) in zip(rows, used, strict=True) if use is not None and use >= values.LOADED), rows[0])
    gpu.say("gpu.clocks_mhz", values.loaded_median(used), loaded.line)
    return gpu
