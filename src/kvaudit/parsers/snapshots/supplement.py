"""What the sections around a table add to it, where one file holds several commands of one moment.

Room: `parsers.snapshots`. Only what the box cannot show: full names, UUIDs, throttle reasons, reserved memory, clocks and link.
A device list counts anywhere before the second box, a `-q` log only between the first and the second: later ones are of another
moment.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots import listing, query
from kvaudit.parsers.snapshots.capture import Capture, Gpu
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.table import HEADER

_FROM_QUERY = ("gpu.uuids", "gpu.throttle_reasons", "gpu.memory_reserved_mib", "gpu.clocks_mhz", "gpu.pcie")


def supplement(capture: Capture, lines: list[TextLine]) -> None:
    """Add to the table's capture what the device list and the log beside it say of the same GPUs."""
    boxes = [at for at, line in enumerate(lines) if HEADER.search(line.text)] or [0]
    end = boxes[1] if len(boxes) > 1 else len(lines)
    listed = listing.parse_list(lines[:end])
    logged = query.parse(lines[boxes[0] : end])
    if logged is not None and len(logged.gpus) == len(capture.gpus):
        _add(capture, logged, (*_FROM_QUERY, "gpu.names"))
    if listed is not None and [gpu.key for gpu in listed.gpus] == [gpu.key for gpu in capture.gpus]:
        _add(capture, listed, ("gpu.uuids", "gpu.names"))


def _add(capture: Capture, other: Capture, names: tuple[str, ...]) -> None:
    for gpu, same in zip(capture.gpus, other.gpus, strict=True):
        for name in names:
            if name == "gpu.names":
                _full_name(gpu, same)
            elif name in same.said:
                gpu.said.setdefault(name, same.said[name])


def _full_name(gpu: Gpu, same: Gpu) -> None:
    """A name that the box cut with dots is replaced by the whole one that begins alike."""
    cut, whole = gpu.get("gpu.names"), same.get("gpu.names")
    if whole and (cut is None or (cut.endswith("...") and whole.startswith(cut[:-3].rstrip()))):
        gpu.said["gpu.names"] = same.said["gpu.names"]
