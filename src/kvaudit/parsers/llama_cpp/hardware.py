"""Platform and device memory of one start, from the devices and buffers it names.

Room: which device the run used, in falling strength: the devices the engine says it uses, buffers on a GPU, buffers on the host
alone, devices that were merely found. `offloaded N/N layers to GPU` is no evidence of a GPU: builds that find none print it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.parsers.llama_cpp.converters import MIB_PER_GIB
from kvaudit.parsers.llama_cpp.devices import on_host, platform
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.parts import Context, Load

if TYPE_CHECKING:
    from kvaudit.parsers.llama_cpp.start import StartBuilder


def add(start: StartBuilder, load: Load | None, context: Context | None) -> None:
    """Add `engine.platform`, `memory.total_gib` and `memory.free_at_start_gib`."""
    _platform(start, load, context)
    used = {device.name for device in start.devices if device.used}
    for device in sorted(start.devices, key=lambda one: not one.used):
        if on_host(device.name) or (used and device.name not in used):
            continue
        origin = start.collector.origin(device.record, device.at, "device")
        if device.total is not None:
            start.collector.add("memory.total_gib", device.total / MIB_PER_GIB, "observed", [origin], scope=device.name)
        if device.used or not used:
            start.collector.add("memory.free_at_start_gib", device.free / MIB_PER_GIB, "observed", [origin], scope=device.name)


def _platform(start: StartBuilder, load: Load | None, context: Context | None) -> None:
    for device in start.devices:
        if device.used and (name := platform(device.name)):
            _say(start, name, device.record, device.at, None)
            return
    buffers = [(name, record, at) for name, _, record, at in load.buffers] if load else []
    if context:
        buffers += [(name, said.record, said.at) for name, said in context.caches.buffers]
    for buffer, record, at in buffers:
        if not on_host(buffer) and (name := platform(buffer)):
            _say(start, name, record, at, None)
            return
    if buffers and all(on_host(buffer) for buffer, _, _ in buffers):
        _say(start, "cpu", buffers[0][1], buffers[0][2], "every buffer lies in host memory and no device is used")
        return
    for kind, record, at in start.found_kinds[:1]:
        if name := platform(kind):
            _say(start, name, record, at, "the only evidence is that devices were found")


def _say(start: StartBuilder, name: str, record: Record, at: int, how: str | None) -> None:
    start.collector.add("engine.platform", name, "observed", [start.collector.origin(record, at, "platform")], how=how)
