"""`nvidia-smi --query-compute-apps`: compute processes, joined to no GPU index because the form prints none.

Room: `parsers.snapshots`. Linux lists compute contexts only, Windows graphics ones too without their memory. A header alone
says that there is no compute process. GPUs without a process are not in this form, so it proves no count.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots.capture import Capture, Process
from kvaudit.parsers.snapshots.csv_rows import Cells, Header, find_header, rows
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.values import mib, visible_name, whole

_REPEATS = "samples of a loop follow; the facts are of the first"


def parse(lines: list[TextLine]) -> Capture | None:
    """The processes of the first sample."""
    header = find_header([line.text for line in lines])
    if header is None or header.kind != "processes":
        return None
    read, odd = rows(lines, header)
    if odd and not read:
        return None
    capture = Capture(listed=True, empty=not read and not header.recorded, process_line=lines[header.at])
    for cells in _first_sample(read, capture):
        _process(cells, capture)
    _judge(capture, header, odd)
    return capture


def _first_sample(read: list[Cells], capture: Capture) -> list[Cells]:
    """Rows up to the first that repeats a process on the same GPU with a later time stamp."""
    seen: set[tuple[str, str, str]] = set()
    for at, cells in enumerate(read):
        key = (cells.get("pid"), cells.get("uuid"), cells.get("pci.bus_id"))
        if key in seen and cells.get("timestamp") != read[0].get("timestamp"):
            capture.notes.append(f"{len(read) - at} rows of later {_REPEATS}")
            return read[:at]
        seen.add(key)
    return read


def _process(cells: Cells, capture: Capture) -> None:
    pid = whole(cells.get("pid"))
    if pid is None:
        capture.hidden.append("a row without a process id")
        return
    capture.say("clue.snapshot_time", cells.get("timestamp") or None, cells.line)
    name, memory = visible_name(cells.get("process_name")), mib(cells.get("used_gpu_memory"))
    capture.processes.append(Process(None, pid, name, None, memory, cells.line))


def _judge(capture: Capture, header: Header, odd: list[TextLine]) -> None:
    if odd:
        capture.unread = odd
        capture.hidden.append(f"{len(odd)} rows do not fit the header")
    if any(process.mib is None for process in capture.processes):
        names = [process.name or "" for process in capture.processes]
        if any(name.startswith("/") for name in names):
            capture.hidden.append("WSL or a container: memory of its processes is not printed")
        else:
            capture.limits.append("no memory per process")
    if not any("\\" in (process.name or "") for process in capture.processes):
        capture.limits.append("compute processes only")
    if header.recorded and not capture.processes:
        capture.hidden.append("nothing was printed, which a failed command does too")
