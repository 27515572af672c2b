"""A snapshot through NVML, for images that hold the driver's library and no nvidia-smi. Needs the extra `gpu` (nvidia-ml-py).

Room: `capture`. It reads and sets nothing. What a driver or a card does not support is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.capture.endpoints import to_bytes
from kvaudit.parsers.endpoints.nvml_snapshot import DOCUMENT, VERSION

_MIB = 1 << 20


def snapshot() -> bytes | None:
    """The snapshot as a document; None where nvidia-ml-py is not installed or no driver answers."""
    try:
        import pynvml  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        return to_bytes(document(pynvml))
    finally:
        pynvml.nvmlShutdown()


def document(nvml: Any) -> dict[str, Any]:
    """What the library says: driver, and each GPU with its memory, limits and processes."""
    ask = _asker(nvml)
    count = ask(nvml.nvmlDeviceGetCount) or 0
    gpus = [_gpu(nvml, ask, index) for index in range(count)]
    return {
        "document": DOCUMENT,
        "version": VERSION,
        "driver": _text(ask(nvml.nvmlSystemGetDriverVersion)),
        "cuda": _cuda(ask(nvml.nvmlSystemGetCudaDriverVersion)),
        "gpus": [gpu for gpu in gpus if gpu],
    }


Ask = Callable[..., Any]


def _asker(nvml: Any) -> Ask:
    def ask(function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except nvml.NVMLError:
            return None

    return ask


def _gpu(nvml: Any, ask: Ask, index: int) -> dict[str, Any]:
    handle = ask(nvml.nvmlDeviceGetHandleByIndex, index)
    if handle is None:
        return {}
    memory = ask(nvml.nvmlDeviceGetMemoryInfo, handle)
    limit = ask(nvml.nvmlDeviceGetEnforcedPowerLimit, handle)
    return {
        "index": index,
        "name": _text(ask(nvml.nvmlDeviceGetName, handle)),
        "uuid": _text(ask(nvml.nvmlDeviceGetUUID, handle)),
        "memory_total_mib": memory.total // _MIB if memory else None,
        "memory_used_mib": memory.used // _MIB if memory else None,
        "power_limit_w": limit / 1000 if isinstance(limit, int) else None,
        "processes": _processes(nvml, ask, handle),
    }


def _processes(nvml: Any, ask: Ask, handle: Any) -> list[dict[str, Any]] | None:
    """The processes with their memory; None where the driver does not list them."""
    found: dict[int, dict[str, Any]] = {}
    for kind, function in (("C", nvml.nvmlDeviceGetComputeRunningProcesses), ("G", nvml.nvmlDeviceGetGraphicsRunningProcesses)):
        listed = ask(function, handle)
        if listed is None and kind == "C":
            return None
        for one in listed or ():
            used = one.usedGpuMemory // _MIB if isinstance(one.usedGpuMemory, int) else None
            known = found.setdefault(one.pid, {"pid": one.pid, "type": kind, "mib": used})
            if known["type"] != kind:
                known["type"] = "C+G"
            known["name"] = _text(ask(nvml.nvmlSystemGetProcessName, one.pid))
    return list(found.values())


def _text(value: Any) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _cuda(number: Any) -> str | None:
    """12040 as 12.4."""
    return f"{number // 1000}.{number % 1000 // 10}" if isinstance(number, int) else None
