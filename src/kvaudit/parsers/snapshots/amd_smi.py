"""`amd-smi`: the box table, JSON of `list`, `static`, `metric` and `process`, CSV of `monitor`.

Room: `parsers.snapshots`. Amounts carry their units and `MB` means MiB. A process with 0 bytes is one whose memory is not
known: querying all GPUs reports 0 for processes on several of them (26.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.json_cells import Path
from kvaudit.patterns import LatePattern

HEADER = LatePattern(r"AMD-SMI\s+\d\S*\s.*amdgpu version:\s*(\S+)")
_BUS = LatePattern(r"^\s*[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]\s+(\S.*?)\s{2,}")
_POWER = LatePattern(r"(?:\d+(?:\.\d+)?|N/A)\s*/\s*(\d+(?:\.\d+)?)\s*W\b")
_SECOND = LatePattern(r"^\s*(\d{1,3})\s.*?(\d{1,9})\s*/\s*(\d{1,9})\s*MB\s*$")
_AMOUNT = r"\d+(?:\.\d+)? ?[KMGT]?i?B|N/A"
_PROCESS = LatePattern(
    rf"^\s*(?P<gpu>\d{{1,3}})\s+(?P<pid>\d{{1,10}})\s+(?P<name>\S.*?)\s+(?:{_AMOUNT})\s+(?P<vram>{_AMOUNT})\s+(?:{_AMOUNT})\s"
)
_UNITS = {"B": 1 / (1 << 20), "KB": 1 / 1024, "MB": 1.0, "GB": 1024.0, "TB": 1024.0 * 1024.0}
_MOST = 1 << 60
"""Nobody has more of any unit; infinity is printed by a broken tool."""
_AMOUNT_PARTS = LatePattern(r"^\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B\s*$")
CSV_HEADER = LatePattern(r"^(?:timestamp,)?gpu,.*\bvram_(?:used|total)\b")


def _mib(amount: float, unit: str) -> float | None:
    factor = _UNITS.get(unit.upper().replace("I", ""))
    return amount * factor if factor is not None and 0 <= amount < _MOST else None


def _size(text: str) -> int | None:
    parts = _AMOUNT_PARTS.match(text)
    size = _mib(float(parts.group(1)), f"{parts.group(2)}B") if parts else None
    return round(size) if size else None


def parse_table(lines: list[TextLine]) -> Capture | None:
    """The box that plain `amd-smi` prints (26): two rows per GPU, then the processes."""
    capture = Capture()
    name: tuple[str, TextLine] | None = None
    below = False
    for line in lines:
        text = line.text.replace("|", " ")
        header = HEADER.search(text)
        if header:
            capture.say("gpu.driver", header.group(1), line, max(0, line.raw.find(header.group(1))))
        below = below or "Processes:" in text
        bus, second = _BUS.search(text), _SECOND.search(text)
        if below:
            _process_line(capture, line, text)
        elif bus:
            name = (bus.group(1), line)
            power = _POWER.search(text)
            limit = values.positive(power.group(1)) if power else None
        elif second and name:
            capture.gpus.append(_table_gpu(second, line, name, limit))
            name = None
    return capture if capture.gpus else None


def _table_gpu(second: Any, line: TextLine, name: tuple[str, TextLine], limit: float | None) -> Gpu:
    gpu = Gpu(int(second.group(1)), line)
    gpu.say("gpu.names", name[0], name[1], max(0, name[1].raw.find(name[0])))
    gpu.say("gpu.power_limit_w", limit, name[1])
    gpu.say("gpu.memory_used_mib", values.mib(second.group(2)), line)
    gpu.say("gpu.memory_total_mib", values.mib(second.group(3)), line)
    return gpu


def _process_line(capture: Capture, line: TextLine, text: str) -> None:
    row = _PROCESS.search(text)
    if row:
        capture.listed = True
        name, size = values.visible_name(row.group("name")), _size(row.group("vram"))
        capture.processes.append(Process(int(row.group("gpu")), int(row.group("pid")), name, None, size, line))
    elif "No running processes found" in text:
        capture.listed = capture.empty = True
        capture.process_line = line


def is_json(cells: Mapping[Path, Said]) -> bool:
    """Whether the cells are those of an `amd-smi` command: `gpu` beside an AMD block in every entry of a list."""
    return any(path[-1] == "gpu" and path[:-1] and _is_place(path[:-1]) for path in cells) and any(
        word in path for path in cells for word in ("process_list", "asic", "mem_usage", "vram", "kfd_id", "total_vram")
    )


def _is_place(path: Path) -> bool:
    return values.whole(path[-1]) is not None and (len(path) == 1 or path == ("gpu_data", path[-1]))


_JSON_FIELDS: tuple[tuple[str, tuple[Path, ...]], ...] = (
    ("gpu.names", (("asic", "market_name"),)),
    ("gpu.uuids", (("uuid",),)),
    ("gpu.memory_total_mib", (("mem_usage", "total_vram"), ("vram", "size"))),
    ("gpu.memory_used_mib", (("mem_usage", "used_vram"),)),
)


def parse_json(cells: Mapping[Path, Said]) -> Capture | None:
    """GPUs by the entries of the list; processes where the command was `process`."""
    capture = Capture()
    entries = {path[:-1]: said for path, said in cells.items() if path[-1] == "gpu" and path[:-1] and _is_place(path[:-1])}
    for base, said in entries.items():
        if type(said.value) is int:
            gpu = Gpu(said.value, said.line)
            capture.gpus.append(gpu)
            _json_gpu(gpu, cells, base)
            _json_processes(capture, cells, base)
            driver = cells.get((*base, "driver", "version"))
            if driver and isinstance(driver.value, str):
                capture.say("gpu.driver", driver.value, driver.line, driver.position)
    return capture if capture.gpus else None


def _json_gpu(gpu: Gpu, cells: Mapping[Path, Said], base: Path) -> None:
    for name, keys in _JSON_FIELDS:
        for key in keys:
            said = cells.get((*base, *key)) or cells.get((*base, *key, "value"))
            if said is None:
                continue
            if isinstance(said.value, str):
                text = values.visible_name(said.value)
                gpu.say(name, None if name.endswith("_mib") else text, said.line, said.position)
            elif name.endswith("_mib"):
                gpu.say(name, _json_mib(cells, (*base, *key), said), said.line, said.position)


def _json_mib(cells: Mapping[Path, Said], path: Path, said: Said) -> int | None:
    unit = cells.get((*path, "unit"))
    if type(said.value) not in {int, float} or unit is None or not isinstance(unit.value, str):
        return None
    size = _mib(said.value, unit.value)
    return None if size is None else round(size)


def _json_processes(capture: Capture, cells: Mapping[Path, Said], base: Path) -> None:
    start = (*base, "process_list")
    found = [path for path in cells if path[: len(start)] == start]
    if not found:
        return
    capture.listed, capture.process_line = True, capture.process_line or cells[found[0]].line
    for path in found:
        said = cells[path]
        if path[-1] == "pid" and type(said.value) is int:
            info = path[:-1]
            name, vram = cells.get((*info, "name")), (*info, "memory_usage", "vram_mem")
            amount = cells.get((*vram, "value"))
            shown = values.visible_name(name.value) if name and isinstance(name.value, str) else None
            size = _json_mib(cells, vram, amount) if amount else None
            capture.processes.append(Process(capture.gpus[-1].key, said.value, shown, None, size or None, said.line))


def parse_csv(lines: list[TextLine]) -> Capture | None:
    """`amd-smi monitor --csv`: columns by header, first row of each GPU."""
    at = next((at for at, line in enumerate(lines) if CSV_HEADER.search(line.text)), None)
    if at is None:
        return None
    columns = [cell.strip() for cell in lines[at].text.split(",")]
    capture = Capture()
    for line in lines[at + 1 :]:
        cells = dict(zip(columns, (cell.strip() for cell in line.text.split(",")), strict=False))
        index = values.whole(cells.get("gpu", ""))
        if index is None or len(line.text.split(",")) != len(columns):
            continue
        if any(gpu.key == index for gpu in capture.gpus):
            capture.notes.append("several samples: the facts are of the first")
            break
        gpu = Gpu(index, line)
        gpu.say("gpu.memory_used_mib", values.mib(cells.get("vram_used", "")), line)
        gpu.say("gpu.memory_total_mib", values.mib(cells.get("vram_total", "")), line)
        capture.gpus.append(gpu)
    return capture if capture.gpus else None
