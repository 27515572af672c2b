"""What `nvidia-smi -q` says of a GPU, in its text and its XML spelling, as one table.

Room: `parsers.snapshots`. Text keys are `heading/key` by the last heading above, so lost indentation does no harm; XML keys are
paths below `<gpu>`. Drivers 418 to 610: power limits moved twice, throttle reasons were renamed in 535.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kvaudit.parsers.snapshots import values
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Said
from kvaudit.parsers.snapshots.condition import note_conditions

Spelling = Literal["text", "xml"]


@dataclass(frozen=True, slots=True)
class Key:
    """A field, how its cell is read, and where it stands in either spelling, the best first."""

    field: str
    read: Callable[[str], Any]
    text: tuple[str, ...]
    xml: tuple[str, ...]


_KEYS: tuple[Key, ...] = (
    Key("gpu.names", values.visible_name, ("Product Name",), ("product_name",)),
    Key("gpu.uuids", values.visible_name, ("GPU UUID",), ("uuid",)),
    Key("gpu.memory_total_mib", values.mib, ("FB Memory Usage/Total",), ("fb_memory_usage/total",)),
    Key("gpu.memory_used_mib", values.mib, ("FB Memory Usage/Used",), ("fb_memory_usage/used",)),
    Key("gpu.memory_reserved_mib", values.mib, ("FB Memory Usage/Reserved",), ("fb_memory_usage/reserved",)),
    Key("gpu.mig", values.switch, ("MIG Mode/Current",), ("mig_mode/current_mig",)),
    Key("gpu.ecc", values.switch, ("ECC Mode/Current", "Ecc Mode/Current"), ("ecc_mode/current_ecc",)),
    Key("gpu.persistence", values.switch, ("Persistence Mode",), ("persistence_mode",)),
    Key("gpu.compute_mode", values.compute_mode, ("Compute Mode",), ("compute_mode",)),
    Key(
        "gpu.power_limit_w",
        values.positive,
        (
            "GPU Power Readings/Current Power Limit",
            "GPU Ceiling Power Limit/Current Power Limit",
            "GPU Power Readings/Power Limit",
            "Power Readings/Power Limit",
        ),
        (
            "gpu_power_readings/current_power_limit",
            "gpu_power_readings/gpu_ceiling_power_limit/current_power_limit",
            "gpu_power_readings/power_limit",
            "power_readings/power_limit",
        ),
    ),
)
_USE = {"text": "Utilization/GPU", "xml": "utilization/gpu_util"}
_OLD_USE = {"text": "Utilization/Gpu", "xml": "utilization/gpu_util"}
_CLOCK = {"text": "Clocks/SM", "xml": "clocks/sm_clock"}
_LINK = {
    "text": ("PCIe Generation/Current", "Link Width/Current"),
    "xml": ("pci/pci_gpu_link_info/pcie_gen/current_link_gen", "pci/pci_gpu_link_info/link_widths/current_link_width"),
}
_REASONS = {
    "text": ("Clocks Event Reasons/", "Clocks Throttle Reasons/"),
    "xml": ("clocks_event_reasons/", "clocks_throttle_reasons/"),
}
_MODEL = {"text": "Driver Model/Current", "xml": "driver_model/current_dm"}
_VIRTUAL = {
    "text": "GPU Virtualization Mode/Virtualization Mode",
    "xml": "gpu_virtualization_mode/virtualization_mode",
}


def fill(gpu: Gpu, cells: Mapping[str, Said], spelling: Spelling) -> None:
    """Say of the GPU what its cells (texts by key) hold."""
    for key in _KEYS:
        for name in key.text if spelling == "text" else key.xml:
            if name in cells:
                cell = cells[name]
                gpu.say(key.field, key.read(cell.value), cell.line, cell.position)
    reasons = [(name, cell) for name, cell in cells.items() if name.startswith(_REASONS[spelling])]
    if reasons:
        active = values.active_reasons((name.rsplit("/", 1)[-1], cell.value) for name, cell in reasons)
        gpu.say("gpu.throttle_reasons", active, reasons[0][1].line)
    _under_load(gpu, cells, spelling)


def _under_load(gpu: Gpu, cells: Mapping[str, Said], spelling: Spelling) -> None:
    """Clock and link mean something under load only: idle cards slow both down."""
    use = cells.get(_USE[spelling]) or cells.get(_OLD_USE[spelling])
    if use is None or (values.number(use.value) or 0.0) < values.LOADED:
        return
    clock = cells.get(_CLOCK[spelling])
    if clock:
        gpu.say("gpu.clocks_mhz", values.positive(clock.value), clock.line, clock.position)
    generation, width = (cells.get(name) for name in _LINK[spelling])
    if generation and width:
        gpu.say("gpu.pcie", values.pcie(generation.value, width.value), generation.line, generation.position)


def judge(capture: Capture, cells: Mapping[str, Said], spelling: Spelling) -> None:
    """What the driver model and virtualisation mode say about who can be seen, and the condition of the GPU."""
    note_conditions(capture, capture.gpus[-1], cells)
    model, virtual = cells.get(_MODEL[spelling]), cells.get(_VIRTUAL[spelling])
    if virtual and virtual.value.strip().upper() == "VGPU":
        capture.hidden.append("a vGPU guest does not see the other guests of its card")
    if model is None or model.value.strip() not in {"WDDM", "MCDM"}:
        return
    if capture.gpus[-1].get("gpu.persistence") in {"Enabled", "Disabled"}:
        capture.hidden.append("WSL: only processes of the guest are seen")
    elif not capture.processes:
        capture.hidden.append("WDDM lists no process")
    if any(process.mib is None for process in capture.processes):
        capture.limits.append("WDDM prints no memory per process")
