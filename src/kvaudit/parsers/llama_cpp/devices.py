"""Device and buffer names: which are GPUs, and of which platform.

Room: names only. Buffers of the host are `CPU`, `CPU_Mapped`, `CPU_REPACK`, `CUDA_Host` and the like, `BLAS` and `AMX`.
"""

from __future__ import annotations

from kvaudit.patterns import LatePattern

_NAME = LatePattern(r"^(?P<kind>[A-Za-z]+?)(?P<index>\d*)(?:_(?P<suffix>\w+))?$")
_PLATFORMS = {
    "cuda": "cuda",
    "rocm": "rocm",
    "hip": "rocm",
    "vulkan": "vulkan",
    "metal": "metal",
    "mtl": "metal",
    "sycl": "sycl",
    "cann": "cann",
    "musa": "musa",
    "opencl": "opencl",
    "gpuopencl": "opencl",
}
_HOST_KINDS = frozenset({"cpu", "blas", "amx", "host"})


def on_host(buffer: str) -> bool:
    """Whether a buffer lies in the memory of the host."""
    match = _NAME.match(buffer)
    if match is None:
        return False
    return match.group("kind").lower() in _HOST_KINDS or (match.group("suffix") or "").lower() == "host"


def platform(device: str) -> str | None:
    """The platform of a GPU device or buffer name; None for the host and for names that no platform owns."""
    match = _NAME.match(device)
    return _PLATFORMS.get(match.group("kind").lower()) if match else None
