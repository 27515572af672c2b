"""`rocm-smi` as JSON (`--json`), as its `GPU[n] : key: value` lines, and as the concise table.

Room: `parsers.snapshots`. Names of keys moved between ROCm 4.3 and 6.4; memory is in bytes. KFD processes name a number of GPUs,
never which: their tenants carry no GPU index, and processes without any memory are none.
"""

from __future__ import annotations

from collections.abc import Mapping

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.json_cells import Path
from kvaudit.patterns import LatePattern

KEYED = LatePattern(r"^GPU\[(\d{1,3})\]\s*:\s*([^:]+?)\s*:\s*(.+?)\s*$")
CONCISE = LatePattern(r"^(?:GPU|Device)\s.*\bPerf\s+PwrCap\s+VRAM%\s+GPU%")
_CARD = LatePattern(r"^card(\d{1,3})$")
_PID = LatePattern(r"^PID(\d{1,10})$")
_DRIVER = LatePattern(r"^Driver version\s*:\s*(\S+)$")
CONCISE_ROW = LatePattern(r"^(\d{1,3})\s.*?\s(?:(\d+(?:\.\d+)?)W|N/A|[Uu]nsupported)\s+(?:\d+%|N/A)\s+(?:\d+%|N/A)\s*$")
RULE = LatePattern(r"^=+(?: .* =+)?$|^\(DID,\s+GUID\)")
"""Rules with and without words, and the second line of the table's head since ROCm 6."""
_NAMES = ("Device Name", "Card Series", "Card series", "Card model", "Card Model")
_POWER = ("Max Graphics Package Power (W)", "Max Graphics Package Power")
_KEYS = ("VRAM ", "GPU ", "Card ", "Temperature ", "Device ", "Average ", "Current ", "Max ", "VBIOS ")
_MEBIBYTE = 1 << 20


def is_json(cells: Mapping[Path, Said]) -> bool:
    """Whether the cells are those of `rocm-smi --json`."""
    return any(len(path) == 2 and _CARD.search(path[0]) and path[1].startswith(_KEYS) for path in cells)


def parse_json(cells: Mapping[Path, Said]) -> Capture | None:
    """The cards and the KFD processes."""
    cards: dict[int, dict[str, Said]] = {}
    system: dict[str, Said] = {}
    for path, said in cells.items():
        card = _CARD.search(path[0]) if len(path) == 2 else None
        if card and isinstance(said.value, str):
            cards.setdefault(int(card.group(1)), {})[path[1].rstrip(":")] = said
        elif len(path) == 2 and path[0] == "system" and isinstance(said.value, str):
            system[path[1]] = said
    return _capture(cards, system)


def parse_text(lines: list[TextLine]) -> Capture | None:
    """Key lines of `--showmeminfo`, `--showproductname` and others; else the concise table, of which count and power cap."""
    cards: dict[int, dict[str, Said]] = {}
    system: dict[str, Said] = {}
    for line in lines:
        row, driver = KEYED.search(line.text), _DRIVER.search(line.text)
        if row:
            said = Said(row.group(3), line, max(0, line.raw.find(row.group(3))))
            cards.setdefault(int(row.group(1)), {}).setdefault(row.group(2), said)
        elif driver:
            system.setdefault("Driver version", Said(driver.group(1), line))
    return _capture(cards, system) if cards else _concise(lines)


def _concise(lines: list[TextLine]) -> Capture | None:
    start = next((at for at, line in enumerate(lines) if CONCISE.search(line.text)), None)
    capture = Capture()
    for line in lines[start or 0 :]:
        row = CONCISE_ROW.search(line.text)
        if row and int(row.group(1)) == len(capture.gpus):
            gpu = Gpu(int(row.group(1)), line)
            if row.group(2):
                gpu.say("gpu.power_limit_w", values.positive(row.group(2)), line, max(0, line.raw.find(row.group(2))))
            capture.gpus.append(gpu)
    return capture if start is not None and capture.gpus else None


def _capture(cards: Mapping[int, dict[str, Said]], system: Mapping[str, Said]) -> Capture | None:
    capture = Capture()
    for index in sorted(cards):
        capture.gpus.append(_card(index, cards[index]))
    driver = system.get("Driver version")
    if driver and driver.value[:1].isdigit():
        capture.say("gpu.driver", driver.value, driver.line, driver.position)
    for name, said in system.items():
        pid = _PID.search(name)
        if pid:
            _process(capture, int(pid.group(1)), said)
    return capture if capture.gpus else None


def _card(index: int, cells: Mapping[str, Said]) -> Gpu:
    first = next(iter(cells.values()))
    gpu = Gpu(index, first.line)
    for key in _NAMES:
        said = cells.get(key)
        if said and not said.value.lower().startswith(("0x", "n/a")):
            gpu.say("gpu.names", said.value, said.line, said.position)
    for name, key in (
        ("gpu.memory_total_mib", "VRAM Total Memory (B)"),
        ("gpu.memory_used_mib", "VRAM Total Used Memory (B)"),
    ):
        said = cells.get(key)
        if said:
            gpu.say(name, _mebibytes(said.value), said.line, said.position)
    for key in _POWER:
        if key in cells:
            gpu.say("gpu.power_limit_w", values.positive(cells[key].value), cells[key].line, cells[key].position)
    return gpu


def _mebibytes(text: str) -> float | int | None:
    count = values.number(text)
    if count is None or count < 0:
        return None
    mib = count / _MEBIBYTE
    return int(mib) if mib.is_integer() else round(mib, 4)


def _process(capture: Capture, pid: int, said: Said) -> None:
    """`name, gpus, vram, sdma, cu`; the name may hold commas."""
    parts = [part.strip() for part in said.value.rsplit(",", 4)]
    if len(parts) != 5:
        return
    vram = _mebibytes(parts[2])
    if not values.whole(parts[1]) and not vram:
        return
    capture.listed, capture.process_line = True, said.line
    name = values.visible_name(None if parts[0] == "UNKNOWN" else parts[0])
    capture.processes.append(Process(None, pid, name, None, None if vram is None else round(vram), said.line))
