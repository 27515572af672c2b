"""What `amd-smi list`, `static`, `metric` and `process` print without `--json`: `GPU: 0`, and keys indented below it.

Room: `parsers.snapshots`. The keys are those of the JSON in capitals, so the lines become its cells; `monitor` is a table whose
used and total memory stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.amd_smi import parse_json
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Said
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.json_cells import Path
from kvaudit.patterns import LatePattern

GPU = LatePattern(r"^GPU: (\d{1,3})\s*$")
KEY = LatePattern(r"^(?P<indent> {4,24})(?P<key>[A-Z][A-Z0-9_ ]{0,60}):(?: (?P<value>.*?))?\s*$")
_AMOUNT = LatePattern(r"^(\d{1,15}(?:\.\d{1,9})?) ([KMGT]?i?B)$")
MONITOR = LatePattern(r"^GPU\s.*\bVRAM_USED\s+VRAM_TOTAL\b")
MONITOR_ROW = LatePattern(r"^\s*(\d{1,3})\s+.*?\s(\d{1,9}) MB\s+(\d{1,9}) MB\b")
_LIST, _ENTRY = "process_list", "process_info"


def parse(lines: list[TextLine]) -> Capture | None:
    """The GPUs of the tree, or those of the first sample of `monitor`; None where there is neither."""
    return parse_json(dict(_cells(lines))) or _monitor(lines)


def _cells(lines: list[TextLine]) -> Iterator[tuple[Path, Said]]:
    """The values of the tree by the paths that they have in JSON."""
    place, processes = -1, 0
    above: list[tuple[int, Path]] = []
    for line in lines:
        if gpu := GPU.search(line.text):
            place, processes, above = place + 1, 0, []
            yield (str(place), "gpu"), Said(int(gpu.group(1)), line)
        elif place >= 0 and (row := KEY.search(line.raw)):
            indent, key = len(row.group("indent")), row.group("key").lower()
            above = [(width, path) for width, path in above if width < indent]
            base = above[-1][1] if above else (str(place),)
            if key == _ENTRY:
                base, processes = (*base, _LIST, str(processes)), processes + 1
            above.append((indent, (*base, key)))
            if row.group("value"):
                yield from _value((*base, key), row.group("value"), line)


def _value(path: Path, text: str, line: TextLine) -> Iterator[tuple[Path, Said]]:
    at = max(0, line.raw.find(text))
    if amount := _AMOUNT.search(text):
        yield (*path, "value"), Said(float(amount.group(1)), line, at)
        yield (*path, "unit"), Said(amount.group(2), line, at)
    else:
        whole = values.whole(text) if path[-1] == "pid" else None
        yield path, Said(text if whole is None else whole, line, at)


def _monitor(lines: list[TextLine]) -> Capture | None:
    start = next((at for at, line in enumerate(lines) if MONITOR.search(line.text)), None)
    capture = Capture()
    for line in lines[start + 1 :] if start is not None else []:
        row = MONITOR_ROW.search(line.text)
        if row is None or int(row.group(1)) != len(capture.gpus):
            break
        gpu = Gpu(int(row.group(1)), line)
        gpu.say("gpu.memory_used_mib", values.mib(row.group(2)), line, max(0, line.raw.find(row.group(2))))
        gpu.say("gpu.memory_total_mib", values.mib(row.group(3)), line, max(0, line.raw.find(row.group(3))))
        capture.gpus.append(gpu)
    return capture if capture.gpus else None
