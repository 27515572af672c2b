"""The parsers of nvidia-smi's own forms.

Room: `parsers.snapshots`. Each class joins a form's name with the module that reads it.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots import csv_apps, csv_gpus, table
from kvaudit.parsers.snapshots.base import SnapshotParser
from kvaudit.parsers.snapshots.capture import Capture
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.sources.source import Source


class NvidiaSmiTable(SnapshotParser):
    """The box table of plain `nvidia-smi`, drivers 375 to 610."""

    name, form = "nvidia-smi:table", "table"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first box of the document."""
        return table.parse(lines)


class NvidiaSmiCsv(SnapshotParser):
    """`nvidia-smi --query-gpu=… --format=csv`, with or without units, one or many samples."""

    name, form = "nvidia-smi:csv", "csv"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first sample; clocks are the median under load."""
        return csv_gpus.parse(lines)


class NvidiaSmiComputeApps(SnapshotParser):
    """`nvidia-smi --query-compute-apps=… --format=csv`."""

    name, form = "nvidia-smi:compute-apps", "compute-apps"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The process rows."""
        return csv_apps.parse(lines)
