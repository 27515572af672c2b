"""`nvidia-smi --query-gpu`: one row per GPU and sample.

Room: `parsers.snapshots`. Rows are grouped by index, UUID or bus id. Without one of them the number of GPUs is not proven, and
the values are those of the first row. Facts are of the first sample, clocks are the median of the samples under load.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.capture import Capture, Gpu
from kvaudit.parsers.snapshots.csv_rows import Cells, find_header, rows
from kvaudit.parsers.snapshots.document import TextLine

_IDENTITIES = ("index", "uuid", "pci.bus_id")
_CHANGING = ("memory.used", "memory.free", "utilization.", "power.draw", "temperature.", "clocks.current", "fan.", "pstate")
_COLUMNS: tuple[tuple[str, tuple[str, ...], Callable[[str], Any]], ...] = (
    ("gpu.names", ("name",), values.visible_name),
    ("gpu.uuids", ("uuid",), values.visible_name),
    ("gpu.memory_total_mib", ("memory.total",), values.mib),
    ("gpu.memory_used_mib", ("memory.used",), values.mib),
    ("gpu.memory_reserved_mib", ("memory.reserved",), values.mib),
    ("gpu.mig", ("mig.mode.current",), values.switch),
    ("gpu.ecc", ("ecc.mode.current",), values.switch),
    ("gpu.persistence", ("persistence_mode",), values.switch),
    ("gpu.compute_mode", ("compute_mode",), values.compute_mode),
    ("gpu.power_limit_w", ("power.limit", "enforced.power.limit"), values.positive),
)


def parse(lines: list[TextLine]) -> Capture | None:
    """The first sample of the first header's rows. None where no row fits the header."""
    header = find_header([line.text for line in lines])
    if header is None or header.kind != "gpus":
        return None
    read, odd = rows(lines, header)
    if not read:
        return None
    capture = Capture(counted=False)
    if odd:
        capture.unread = odd
        capture.notes.append(f"{len(odd)} rows do not fit the header and were not read, the first on line {odd[0].number}")
    identity = next((column for column in _IDENTITIES if column in header.columns), None)
    samples = _by_gpu(read, identity)
    if samples is None:
        capture.notes.append("the column `index` repeats within one sample: header and columns do not agree, nothing was taken")
        return capture
    capture.counted = identity is not None
    _fill(capture, samples, read)
    return capture


def _by_gpu(read: list[Cells], identity: str | None) -> list[list[Cells]] | None:
    """Samples per GPU, GPUs in order. None where the identity contradicts itself."""
    if identity is None:
        return _without_identity(read)
    groups: dict[str, list[Cells]] = {}
    for cells in read:
        groups.setdefault(cells.get(identity), []).append(cells)
    if identity == "index" and _repeats_at_once(read):
        return None
    if identity == "index" and all(values.whole(key) is not None for key in groups):
        return [groups[key] for key in sorted(groups, key=int)]
    return list(groups.values())


def _repeats_at_once(read: list[Cells]) -> bool:
    """Whether an index stands twice under the first time stamp: the column is then no index, or holds the wrong cells."""
    stamp = read[0].get("timestamp")
    indexes = [cells.get("index") for cells in read if cells.get("timestamp") == stamp]
    return bool(stamp) and len(set(indexes)) < len(indexes)


def _without_identity(read: list[Cells]) -> list[list[Cells]]:
    """One unproven GPU; but rows of columns that never change are GPUs, since nobody samples those."""
    columns = read[0].texts
    if "timestamp" not in columns and not any(column.startswith(_CHANGING) for column in columns):
        return [[cells] for cells in read]
    if len(read) > 1 and "timestamp" not in columns:
        return []
    return [read]


def _fill(capture: Capture, samples: list[list[Cells]], read: list[Cells]) -> None:
    for order, own in enumerate(samples):
        capture.gpus.append(_gpu(own, order))
    _host(capture, read)
    most = max((len(own) for own in samples), default=0)
    if most > 1:
        capture.notes.append(f"{most} samples: the facts are of the first, clocks are the median of the samples under load")
    elif not samples:
        capture.notes.append("rows without index, UUID or time stamp: GPUs and samples cannot be told apart")


def _gpu(own: list[Cells], order: int) -> Gpu:
    first = own[0]
    index = values.whole(first.get("index"))
    gpu = Gpu(order if index is None else index, first.line)
    for name, columns, convert in _COLUMNS:
        text, position = first.first(*columns)
        gpu.say(name, convert(text) if text else None, first.line, position)
    gpu.say("gpu.throttle_reasons", _reasons(first), first.line, first.first("clocks_event_reasons.active")[1])
    _under_load(gpu, own)
    return gpu


def _reasons(cells: Cells) -> list[str] | None:
    mask = cells.get("clocks_event_reasons.active")
    if mask.lower().startswith("0x"):
        return values.mask_reasons(mask)
    return values.active_reasons((name, text) for name, text in cells.texts.items() if name.startswith("clocks_event_reasons."))


def _under_load(gpu: Gpu, own: list[Cells]) -> None:
    """Clock and link mean something under load only: idle cards slow both down."""
    loaded = [cells for cells in own if (values.number(cells.get("utilization.gpu")) or 0.0) >= values.LOADED]
    if not loaded:
        return
    clock = values.loaded_median((values.LOADED, values.number(cells.get("clocks.current.sm"))) for cells in loaded)
    line = loaded[0].line
    gpu.say("gpu.clocks_mhz", clock, line, loaded[0].first("clocks.current.sm")[1])
    generation, position = loaded[0].first("pcie.link.gen.current", "pcie.link.gen.gpucurrent")
    gpu.say("gpu.pcie", values.pcie(generation, loaded[0].get("pcie.link.width.current")), line, position)


def _host(capture: Capture, read: list[Cells]) -> None:
    """Driver and CUDA where all rows agree; the time of the first row; the number of GPUs where the column `count` says it."""
    for name, columns in (("gpu.driver", ("kmd_version", "driver_version")), ("gpu.cuda", ("cuda_version",))):
        printed = {cells.first(*columns)[0] for cells in read}
        text, position = read[0].first(*columns)
        if len(printed) == 1 and text[:1].isdigit():
            capture.say(name, text, read[0].line, position)
        elif len(printed) > 1:
            capture.notes.append(f"{name} differs between rows and was left out")
    count = values.whole(read[0].get("count"))
    if count is not None and capture.counted and count != len(capture.gpus):
        capture.counted = False
        capture.notes.append(f"rows of {len(capture.gpus)} GPUs, while the column `count` says {count}")
    else:
        capture.say("gpu.count", count, read[0].line, read[0].first("count")[1])
    capture.say("clue.snapshot_time", read[0].get("timestamp") or None, read[0].line)
