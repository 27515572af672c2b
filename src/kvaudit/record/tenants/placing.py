"""On which GPUs of the host the run sits, where its launch says so.

Room: `record.tenants`. The order of CUDA is that of speed, the order of `nvidia-smi` that of the bus: an index names the same
card only where all cards are alike. A UUID always does.
"""

from __future__ import annotations

from typing import Any

from kvaudit.record.table import FactTable
from kvaudit.record.tenants.evidence import Run


def with_places(tenants: list[dict[str, Any]], run: Run, table: FactTable) -> list[dict[str, Any]]:
    """The processes with `on_run_gpu` where the launch names the run's GPUs; unchanged where it does not."""
    gpus = _gpus(run, table)
    if gpus is None:
        return tenants
    return [{**one, "on_run_gpu": one["gpu"] in gpus} if isinstance(one.get("gpu"), int) else one for one in tenants]


def _gpus(run: Run, table: FactTable) -> set[int] | None:
    """Indices of the run's GPUs as the snapshot counts them."""
    if not run.devices:
        return None
    names, uuids = table.value("gpu.names"), table.value("gpu.uuids")
    if all(device.isdigit() and len(device) < 4 for device in run.devices):
        alike = isinstance(names, list) and len(set(map(str, names))) == 1
        return {int(device) for device in run.devices} if alike else None
    if not isinstance(uuids, list):
        return None
    found = {index for index, uuid in enumerate(uuids) for device in run.devices if _same(str(uuid), device)}
    return found if len(found) == len(run.devices) else None


def _same(uuid: str, device: str) -> bool:
    """CUDA takes the beginning of a UUID."""
    return device.startswith("GPU-") and len(device) >= 8 and uuid.startswith(device)
