"""The parsers of tools beside nvidia-smi: gpustat, rocm-smi, amd-smi, nvitop, npu-smi.

Room: `parsers.snapshots`. Each class joins a form's name with the module that reads it.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots import amd_smi, amd_smi_text, gpustat, others, rocm_smi
from kvaudit.parsers.snapshots.base import SnapshotParser
from kvaudit.parsers.snapshots.capture import Capture
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.json_cells import json_cells
from kvaudit.sources.source import Source


class Gpustat(SnapshotParser):
    """`gpustat` as text."""

    name, form = "gpustat:text", "gpustat"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first listing."""
        return gpustat.parse_text(lines)


class GpustatJson(SnapshotParser):
    """`gpustat --json`."""

    name, form = "gpustat:json", "gpustat-json"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """GPUs and processes."""
        cells = json_cells(source.text() or "")
        return gpustat.parse_json(cells) if cells else None


class RocmSmi(SnapshotParser):
    """`rocm-smi` as text."""

    name, form = "rocm-smi:text", "rocm-smi"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Key lines or the concise table."""
        return rocm_smi.parse_text(lines)


class RocmSmiJson(SnapshotParser):
    """`rocm-smi --json`."""

    name, form = "rocm-smi:json", "rocm-smi-json"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Cards and KFD processes."""
        cells = json_cells(source.text() or "")
        return rocm_smi.parse_json(cells) if cells else None


class AmdSmi(SnapshotParser):
    """The box table of plain `amd-smi`, and the text of its commands."""

    name, form = "amd-smi:table", "amd-smi"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """GPUs and processes."""
        return amd_smi.parse_table(lines) or amd_smi_text.parse(lines)


class AmdSmiJson(SnapshotParser):
    """`amd-smi list|static|metric|process --json`."""

    name, form = "amd-smi:json", "amd-smi-json"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """What the command printed of each GPU."""
        cells = json_cells(source.text() or "")
        return amd_smi.parse_json(cells) if cells else None


class AmdSmiCsv(SnapshotParser):
    """`amd-smi monitor --csv`."""

    name, form = "amd-smi:csv", "amd-smi-csv"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first sample."""
        return amd_smi.parse_csv(lines)


class Nvitop(SnapshotParser):
    """`nvitop -1`, identity only."""

    name, form = "nvitop:table", "nvitop"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Driver and CUDA version."""
        return others.parse_nvitop(lines)


class NpuSmi(SnapshotParser):
    """`npu-smi info`, identity only."""

    name, form = "npu-smi:table", "npu-smi"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Driver version and names."""
        return others.parse_npu(lines)
