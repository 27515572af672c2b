"""nvitop and npu-smi, recognised and read for identity only: versions and, for NPUs, how many there are.

Room: `parsers.snapshots`. Their columns were not seen often enough to claim memory or processes.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots.capture import Capture, Gpu
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.patterns import LatePattern

NVITOP = LatePattern(r"NVITOP\s+\d[\d.]*\S*\s.*?Driver Version:\s*(\d+(?:\.\d+)+)(?:.*CUDA (?:Driver )?Version:\s*(\d+\.\d+))?")
NPU = LatePattern(r"npu-smi\s+(\d\S*)\s.*?Version:\s*(\d\S*)")
_NPU_ROW = LatePattern(r"^\s*(\d{1,3})\s+((?:Ascend)?\s?\d{3}\S*)\s+(?:OK|Warning|Alarm|Critical|UNKNOWN)\s")
_IDENTITY = "the format is known, but only its identity is read: no memory, no processes"


def parse_nvitop(lines: list[TextLine]) -> Capture | None:
    """Driver and CUDA version of the head line."""
    for line in lines:
        head = NVITOP.search(line.text)
        if head:
            capture = Capture(notes=[_IDENTITY])
            capture.say("gpu.driver", head.group(1), line, max(0, line.raw.find(head.group(1))))
            capture.say("gpu.cuda", head.group(2), line)
            return capture
    return None


def parse_npu(lines: list[TextLine]) -> Capture | None:
    """Driver version and names of the NPUs of `npu-smi info`."""
    capture = Capture(notes=[_IDENTITY])
    for line in lines:
        head = NPU.search(line.text)
        if head:
            capture.say("gpu.driver", head.group(2), line, max(0, line.raw.find(head.group(2))))
        row = _NPU_ROW.search(line.text.replace("|", " "))
        if row and not any(gpu.key == int(row.group(1)) for gpu in capture.gpus):
            gpu = Gpu(int(row.group(1)), line)
            gpu.say("gpu.names", row.group(2), line, max(0, line.raw.find(row.group(2))))
            capture.gpus.append(gpu)
    return capture if capture.host else None
