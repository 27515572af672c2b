"""The GPU snapshot that a capture takes through NVML where no tool is installed.

Room: `parsers.endpoints`; the shape of a capture and the judgement of who can be seen are those of `parsers.snapshots`. The
document `nvml-snapshot` of this program. A GPU without a list of processes hides them.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.checkpoint.json_document import load
from kvaudit.parsers.endpoints.answer import as_object, number, text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.snapshots.capture import KIND, Capture, Gpu, Process, reading
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.sources.source import Source

DOCUMENT, VERSION = "nvml-snapshot", 1
_HIDDEN = "NVML lists no processes of a GPU here"
_MOST_GPUS = 256


class NvmlSnapshot:
    """Reads the snapshot."""

    name = "kvaudit:nvml"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A JSON object that says `"document": "nvml-snapshot"` at its start."""
        head = source.head.lstrip()[:200].replace(" ", "").replace("\n", "")
        return 1.0 if head.startswith('{"document":"nvml-snapshot"') else 0.0

    def read(self, source: Source) -> Reading:
        """GPUs and processes. Raises `InputError` where the document is damaged."""
        document = load(source)
        line = TextLine(1, source.head.split("\n", 1)[0], source.head.split("\n", 1)[0])
        capture = Capture(listed=True, process_line=line)
        capture.say("gpu.driver", text(document.value.get("driver")), line)
        capture.say("gpu.cuda", text(document.value.get("cuda")), line)
        listed = document.value.get("gpus")
        for gpu in listed[:_MOST_GPUS] if isinstance(listed, list) else []:
            _take(capture, as_object(gpu), line)
        capture.empty = capture.listed and not capture.processes
        return reading(capture, source, self.name)


def _take(capture: Capture, gpu: dict[str, Any], line: TextLine) -> None:
    index = whole(gpu.get("index"), 0)
    found = Gpu(index, line)
    found.say("gpu.names", text(gpu.get("name")), line)
    found.say("gpu.uuids", text(gpu.get("uuid")), line)
    found.say("gpu.memory_total_mib", whole(gpu.get("memory_total_mib")), line)
    found.say("gpu.memory_used_mib", whole(gpu.get("memory_used_mib"), 0), line)
    found.say("gpu.power_limit_w", number(gpu.get("power_limit_w")), line)
    capture.gpus.append(found)
    processes = gpu.get("processes")
    if not isinstance(processes, list):
        capture.listed = False
        capture.hidden.append(_HIDDEN)
        return
    for one in map(as_object, processes):
        pid = whole(one.get("pid"))
        if pid is not None:
            row = Process(index, pid, text(one.get("name")), text(one.get("type")), whole(one.get("mib"), 0), line)
            capture.processes.append(row)
