"""A snapshot of this machine's GPUs with whatever tool is here: nvidia-smi, amd-smi, rocm-smi, or NVML without any tool.

Room: `capture`. nvidia-smi comes first because its XML holds every process and every limit; NVML (the extra `gpu`) is for images
that hold the driver's library and no tool.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kvaudit.capture.folder import RunFolder, Writing
from kvaudit.capture.masking import masked_json, masked_text
from kvaudit.capture.nvml import snapshot as nvml_snapshot
from kvaudit.capture.programs import found, output_of
from kvaudit.redaction import Redactor


@dataclass(frozen=True, slots=True)
class _Tool:
    """One command, and the file its output is kept as."""

    command: tuple[str, ...]
    file: str


_TOOLS: tuple[tuple[_Tool, ...], ...] = (
    (_Tool(("nvidia-smi", "-q", "-x"), "nvidia-smi.xml"),),
    (
        _Tool(("amd-smi", "metric", "--json"), "amd-smi-metric.json"),
        _Tool(("amd-smi", "process", "--json"), "amd-smi-process.json"),
        _Tool(("amd-smi", "static", "--json"), "amd-smi-static.json"),
    ),
    (
        _Tool(
            (
                "rocm-smi",
                "--showproductname",
                "--showmeminfo",
                "vram",
                "--showpids",
                "--showdriverversion",
                "--showmaxpower",
                "--json",
            ),
            "rocm-smi.json",
        ),
    ),
)
"""Families of tools, the best first; the first that is installed is used."""

_REMEDY = (
    "on the host of the GPUs: nvidia-smi -q -x > gpus.xml (or amd-smi process --json), while the server runs; "
    "in a container without these tools: pip install 'kvaudit[gpu]'"
)


def keep_gpus(
    folder: RunFolder, redactor: Redactor, suffix: str = "", nvml: Callable[[], bytes | None] = nvml_snapshot
) -> str | None:
    """Write the snapshot into `gpus/`; None where there is none, else the name of the file with the processes."""
    tools = next((tools for tools in _TOOLS if found(tools[0].command[0])), ())
    writing = Writing(folder, redactor, suffix)
    kept, why = [], ""
    for tool in tools:
        output = output_of(list(tool.command))
        why = why or output.why
        if output.data.strip():
            kept.append(_keep(writing, tool.file, output.data, " ".join(tool.command)))
    if not kept and (data := nvml()):
        kept.append(_keep(writing, "nvml.json", data, "NVML"))
    if not kept:
        folder.miss("GPU snapshot", why or "neither nvidia-smi, amd-smi, rocm-smi nor NVML is here", _REMEDY)
    return kept[0] if kept else None


def _keep(writing: Writing, file: str, data: bytes, source: str) -> str:
    mask = masked_json if file.endswith(".json") else masked_text
    stem, _, ending = file.rpartition(".")
    name = f"gpus/{stem}{writing.suffix}.{ending}"
    writing.folder.add(name, mask(data, writing.redactor), "GPU snapshot", source)
    return name
