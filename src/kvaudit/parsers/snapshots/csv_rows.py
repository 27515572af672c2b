"""Headers and rows of nvidia-smi's CSV forms.

Room: `parsers.snapshots`. A header is known by nvidia-smi's own field names, units stripped; files without one are read only
where the command line that names the columns was recorded. A row whose cells do not match the header is never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.patterns import LatePattern

_UNIT = LatePattern(r"\s*\[[^\]]{1,12}\]$")
_COMMAND = LatePattern(r"nvidia-smi\b.*?--query-(gpu|compute-apps|accounted-apps)=([A-Za-z0-9_.,]+)")
_ALIASES = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "gpu_serial": "serial",
    "gpu_index": "index",
    "clocks.sm": "clocks.current.sm",
    "clocks.gr": "clocks.current.graphics",
    "clocks.mem": "clocks.current.memory",
    "used_memory": "used_gpu_memory",
    "gpu_util": "gpu_utilization",
    "mem_util": "mem_utilization",
    "ecc.mode": "ecc.mode.current",
    "driver_model": "driver_model.current",
}
_TELLING = (
    "memory.",
    "utilization.",
    "power.",
    "temperature.",
    "clocks",
    "pcie.",
    "pci.",
    "mig.",
    "ecc.",
    "fan.",
    "enforced.",
    "encoder.",
)
_WORDS = """
    timestamp index name uuid serial count driver_version kmd_version cuda_version pstate persistence_mode compute_mode
    compute_cap display_active display_mode driver_model.current vbios_version fan.speed
"""
_KNOWN = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class Header:
    """Columns in order, what the rows are about (`gpus`, `processes`, `accounted`), and the header's line in the list."""

    columns: tuple[str, ...]
    kind: str
    at: int
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class Cells:
    """One row: text and position by column."""

    line: TextLine
    texts: dict[str, str]
    positions: dict[str, int]

    def get(self, column: str) -> str:
        """The cell of a column, empty where there is none."""
        return self.texts.get(column, "")

    def first(self, *columns: str) -> tuple[str, int]:
        """Text and position of the first of these columns that the header has."""
        name = next((column for column in columns if column in self.texts), "")
        return self.texts.get(name, ""), self.positions.get(name, 0)


def find_header(lines: list[str], start: int = 0) -> Header | None:
    """The first header at or after `start`, or the recorded command line of a file without one."""
    recorded = None
    for at in range(start, len(lines)):
        columns = header_columns(lines[at])
        if columns:
            return Header(columns, _kind(columns), at)
        if recorded is None and "noheader" in lines[at] and (command := _COMMAND.search(lines[at])):
            columns = tuple(_canonical(name) for name in command.group(2).split(","))
            recorded = Header(columns, _kind(columns), at, recorded=True) if _kind(columns) else None
    return recorded


def header_columns(text: str) -> tuple[str, ...]:
    """Canonical column names of a header line; empty for any other line."""
    if "," not in text or len(text) > 60_000:
        return ()
    columns = tuple(_canonical(cell) for cell in text.split(","))
    if "pid" in columns and "gpu_name" not in text:
        columns = tuple("process_name" if column == "name" else column for column in columns)
    if len(set(columns)) != len(columns) or any(" " in column or not column for column in columns):
        return ()
    return columns if _kind(columns) else ()


def _canonical(cell: str) -> str:
    name = cell.strip().strip("\"'")
    if name.endswith("]"):
        name = str(_UNIT.sub("", name)).strip()
    name = name.replace("clocks_throttle_reasons", "clocks_event_reasons")
    return _ALIASES.get(name, name)


def _kind(columns: tuple[str, ...]) -> str:
    held = set(columns)
    if "pid" in held and held & {"used_gpu_memory", "process_name"}:
        return "processes"
    if "pid" in held and held & {"max_memory_usage", "gpu_utilization", "mem_utilization"}:
        return "accounted"
    telling = sum(column.startswith(_TELLING) for column in columns)
    known = sum(column in _KNOWN for column in columns)
    return "gpus" if "pid" not in held and telling + known >= 2 and (telling or known >= 3) else ""


def rows(lines: list[TextLine], header: Header) -> tuple[list[Cells], list[TextLine]]:
    """The rows below a header up to the next one, and the lines that look like rows but do not fit."""
    read: list[Cells] = []
    odd: list[TextLine] = []
    for line in lines[header.at + 1 :]:
        if header_columns(line.text) or (line.text.startswith("#") and read) or "nvidia-smi" in line.text:
            break
        if not line.text or line.text.startswith("#"):
            continue
        cells = _cells(line, header.columns)
        if cells is None:
            odd.append(line)
        else:
            read.append(cells)
    if len(read) > 1 and _is_cut(read[-1].get(header.columns[-1]), read[0].get(header.columns[-1])):
        odd.append(read.pop().line)
    return read, odd


def _is_cut(last: str, first: str) -> bool:
    """Whether the very last cell of a file lost its unit or all of it: `90` may then be what is left of `90098 MiB`."""
    return (not last and bool(first)) or (" " in first and first[:1].isdigit() and " " not in last and last[:1].isdigit())


def _cells(line: TextLine, columns: tuple[str, ...]) -> Cells | None:
    """The cells of a row; a process name may hold commas, so spare cells go to it. None where the counts differ."""
    parts = line.text.split(",")
    spare = len(parts) - len(columns)
    if spare and (spare < 0 or "process_name" not in columns):
        return None
    texts: dict[str, str] = {}
    positions: dict[str, int] = {}
    taken, at = 0, 0
    for column in columns:
        width = 1 + (spare if column == "process_name" else 0)
        raw = ",".join(parts[taken : taken + width])
        texts[column], positions[column] = raw.strip().strip('"'), at
        taken, at = taken + width, at + len(raw) + 1
    return Cells(line, texts, positions)
