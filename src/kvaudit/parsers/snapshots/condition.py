"""What `nvidia-smi -q` says of a GPU's health: it needs a reset, lost memory rows, has no licence, is held far below its power.

Room: `parsers.snapshots`. Text and XML spelling, drivers 450 to 610; a value that is not printed says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from kvaudit.parsers.snapshots.capture import Capture, Gpu, Said
from kvaudit.parsers.snapshots.values import positive

_CONDITIONS: tuple[tuple[str, str, str], ...] = (
    ("Reset Required", "gpu_reset_status/reset_required", "needs a reset"),
    ("Drain and Reset Recommended", "gpu_reset_status/drain_and_reset_recommended", "should be drained and reset"),
    ("Remapped Rows/Pending", "remapped_rows/remapped_row_pending", "waits for a reset to remap memory rows"),
)
"""Key in the text, path in the XML, and what `Yes` means."""

_RECOVERY = ("GPU Recovery Action", "gpu_recovery_action")
_LICENCE = ("License Status", "vgpu_software_licensed_product/license_status", "grid_licensed_product/license_status")
_DEFAULT_LIMIT = (
    "GPU Power Readings/Default Power Limit",
    "GPU Ceiling Power Limit/Default Power Limit",
    "Power Readings/Default Power Limit",
    "gpu_power_readings/default_power_limit",
    "gpu_power_readings/gpu_ceiling_power_limit/default_power_limit",
    "power_readings/default_power_limit",
)
_FAR_BELOW = 0.85
"""A power cap at this share of the default limit or less is no longer the card's own."""


def condition(kind: str, text: str, place: Said) -> Said:
    """One condition of a GPU where it is said."""
    return Said({"kind": kind, "text": text}, place.line, place.position)


def note_conditions(capture: Capture, gpu: Gpu, cells: Mapping[str, Said]) -> None:
    """Add what is wrong with a GPU to its capture, each with its line."""
    order = len(capture.gpus) - 1
    for text, path, meaning in _CONDITIONS:
        said = cells.get(text) or cells.get(path)
        if said is not None and str(said.value).strip().lower() == "yes":
            capture.conditions.append(condition("reset", f"GPU {order} {meaning}", said))
    action = next((cells[key] for key in _RECOVERY if key in cells), None)
    if action is not None and str(action.value).strip().lower() not in ("none", "n/a", ""):
        capture.conditions.append(condition("recovery", f"GPU {order} asks for recovery: {action.value}", action))
    licence = next((cells[key] for key in _LICENCE if key in cells), None)
    if licence is not None and "unlicensed" in str(licence.value).lower():
        capture.conditions.append(condition("unlicensed", f"the vGPU {order} is unlicensed and runs at reduced speed", licence))
    _power(capture, gpu, cells, order)


def _power(capture: Capture, gpu: Gpu, cells: Mapping[str, Said], order: int) -> None:
    """A software power cap is normal near the card's own limit, and a finding far below it."""
    default = next((positive(str(cells[key].value)) for key in _DEFAULT_LIMIT if key in cells), None)
    limit, reasons = gpu.get("gpu.power_limit_w"), gpu.get("gpu.throttle_reasons")
    if default and limit and isinstance(reasons, list) and "sw_power_cap" in reasons and limit <= _FAR_BELOW * default:
        place = gpu.said["gpu.throttle_reasons"]
        text = f"GPU {order} is held at {limit:g} W, {limit / default:.0%} of its default limit of {default:g} W"
        capture.conditions.append(condition("power-limit", text, place))
