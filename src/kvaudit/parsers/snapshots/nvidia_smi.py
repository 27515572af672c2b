"""The parsers of nvidia-smi's own forms.

Room: `parsers.snapshots`. Each class joins a form's name with the module that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from kvaudit.parsers.snapshots import accounted, csv_apps, csv_gpus, listing, monitors, query, table, xml_log
from kvaudit.parsers.snapshots.base import SnapshotParser
from kvaudit.parsers.snapshots.capture import Capture
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.supplement import supplement
from kvaudit.sources.source import Source


class NvidiaSmiTable(SnapshotParser):
    """The box table of plain `nvidia-smi`, drivers 375 to 610."""

    name, form = "nvidia-smi:table", "table"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first box of the document, with what a device list or log beside it adds."""
        capture = table.parse(lines)
        if capture is not None:
            supplement(capture, lines)
        return capture

    def later(self, lines: list[TextLine], source: Source) -> Iterator[Capture]:
        """The boxes behind the first."""
        yield from islice(table.captures(lines), 1, None)


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


class NvidiaSmiQuery(SnapshotParser):
    """The text of `nvidia-smi -q`."""

    name, form = "nvidia-smi:query", "query"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first log."""
        return query.parse(lines)

    def later(self, lines: list[TextLine], source: Source) -> Iterator[Capture]:
        """The logs behind the first."""
        yield from islice(query.captures(lines), 1, None)


class NvidiaSmiXml(SnapshotParser):
    """The XML of `nvidia-smi -x -q`."""

    name, form = "nvidia-smi:xml", "xml"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first log; the text is read again as a whole because elements are no lines."""
        return xml_log.parse(source.text() or "", source.path)

    def later(self, lines: list[TextLine], source: Source) -> Iterator[Capture]:
        """The documents behind the first."""
        yield from islice(xml_log.captures(source.text() or "", source.path), 1, None)


class NvidiaSmiAccountedApps(SnapshotParser):
    """`nvidia-smi --query-accounted-apps`."""

    name, form = "nvidia-smi:accounted-apps", "accounted-apps"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """No facts, one note."""
        return accounted.parse(lines)


class NvidiaSmiPmon(SnapshotParser):
    """`nvidia-smi pmon`."""

    name, form = "nvidia-smi:pmon", "pmon"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The processes of the first sample."""
        return monitors.parse_pmon(lines)


class NvidiaSmiDmon(SnapshotParser):
    """`nvidia-smi dmon`."""

    name, form = "nvidia-smi:dmon", "dmon"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Clocks under load and used memory."""
        return monitors.parse_dmon(lines)


class NvidiaSmiList(SnapshotParser):
    """`nvidia-smi -L`."""

    name, form = "nvidia-smi:list", "list"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Names and UUIDs."""
        return listing.parse_list(lines)


class NvidiaSmiTopology(SnapshotParser):
    """`nvidia-smi topo -m`."""

    name, form = "nvidia-smi:topology", "topology"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The number of GPUs."""
        return listing.parse_topology(lines)


class NvidiaSmiVersion(SnapshotParser):
    """`nvidia-smi --version`."""

    name, form = "nvidia-smi:version", "version"

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """Driver and CUDA version."""
        return listing.parse_version(lines)
