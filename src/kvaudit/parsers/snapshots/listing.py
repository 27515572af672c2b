"""`nvidia-smi -L`, `topo -m` and `--version`: who is there, how it is wired, which driver.

Room: `parsers.snapshots`. None of them shows memory or processes.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots.capture import Capture, Gpu
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.patterns import LatePattern

GPU_LINE = LatePattern(r"^GPU (\d{1,3}): (\S.*?) \(UUID: (GPU-[0-9A-Za-z-]+)\)")
MIG_LINE = LatePattern(r"^\s*MIG \S+\s+Device\s+\d+: \(UUID: MIG-")
TOPOLOGY = LatePattern(r"^GPU0\b.*\b(?:CPU Affinity|NUMA Affinity)")
_TOPOLOGY_ROW = LatePattern(r"^GPU(\d{1,3})\s.*\bX\b")
VERSION = LatePattern(r"^(NVIDIA-SMI|NVML|DRIVER|KMD|CUDA UMD|CUDA) [Vv]ersion\s*:\s*(.*)$")
_NUMBER = LatePattern(r"^\d+(?:\.\d+)+$")


def parse_list(lines: list[TextLine]) -> Capture | None:
    """GPUs with names and UUIDs; MIG devices below a GPU say that MIG is on, none below it says nothing."""
    capture = Capture()
    for line in lines:
        row = GPU_LINE.search(line.text)
        if row:
            index = int(row.group(1))
            if any(gpu.key == index for gpu in capture.gpus):
                break
            gpu = Gpu(index, line)
            gpu.say("gpu.names", row.group(2), line, line.raw.find(row.group(2)))
            gpu.say("gpu.uuids", row.group(3), line, line.raw.find(row.group(3)))
            capture.gpus.append(gpu)
        elif capture.gpus and MIG_LINE.search(line.text):
            capture.gpus[-1].say("gpu.mig", "Enabled", line)
    return capture if capture.gpus else None


def parse_topology(lines: list[TextLine]) -> Capture | None:
    """The number of GPUs of the first matrix."""
    start = next((at for at, line in enumerate(lines) if TOPOLOGY.search(line.text)), None)
    if start is None:
        return None
    capture = Capture()
    for line in lines[start + 1 :]:
        row = _TOPOLOGY_ROW.search(line.text)
        if row and int(row.group(1)) == len(capture.gpus):
            capture.gpus.append(Gpu(int(row.group(1)), line))
        elif line.text.startswith(("Legend", "GPU0")):
            break
    named = lines[start].text.split()
    if f"GPU{len(capture.gpus)}" in named:
        capture.counted = False
        capture.notes.append("the matrix is cut: more GPUs in its head than rows below")
    return capture if capture.gpus else None


def parse_version(lines: list[TextLine]) -> Capture | None:
    """Driver and CUDA version; 610 prints them as KMD and CUDA UMD and the old names as deprecated."""
    capture = Capture()
    found: dict[str, tuple[str, TextLine]] = {}
    for line in lines:
        row = VERSION.search(line.text)
        if row and _NUMBER.search(row.group(2)):
            found.setdefault(row.group(1), (row.group(2), line))
    for name, keys in (("gpu.driver", ("KMD", "DRIVER")), ("gpu.cuda", ("CUDA UMD", "CUDA"))):
        for key in keys:
            if key in found:
                text, line = found[key]
                capture.say(name, text, line, line.raw.find(text))
    return capture if capture.host else None
