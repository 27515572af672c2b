"""`nvidia-smi --query-accounted-apps`: processes of the past, never a list of tenants.

Room: `parsers.snapshots`. Needs accounting mode. It proves nothing about the moment; the report is told that it was read.
"""

from __future__ import annotations

from kvaudit.parsers.snapshots.capture import Capture
from kvaudit.parsers.snapshots.csv_rows import find_header, rows
from kvaudit.parsers.snapshots.document import TextLine


def parse(lines: list[TextLine]) -> Capture | None:
    """A capture without facts and a note with the number of processes."""
    header = find_header([line.text for line in lines])
    if header is None or header.kind != "accounted":
        return None
    read, odd = rows(lines, header)
    capture = Capture()
    capture.notes.append(f"{len(read)} accounted processes: they may have ended before this moment, so they are no tenants")
    if odd:
        capture.notes.append(f"{len(odd)} rows do not fit the header")
    return capture
