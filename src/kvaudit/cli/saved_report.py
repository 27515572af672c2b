"""A saved report as the source of `kvaudit why`.

Room: `cli`. Only documents that this program wrote are read; anything else is left to the parsers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kvaudit.errors import InputError

if TYPE_CHECKING:
    from kvaudit.record.model import Record

_LARGEST = 1 << 26


def arm_of_report(path: str, arm: str) -> Record | None:
    """The record of one arm of a saved report, None where the file is no saved report."""
    file = Path(path)
    if not file.is_file() or file.stat().st_size > _LARGEST:
        return None
    start = file.read_bytes()[:4096].replace(b" ", b"").replace(b"\n", b"")
    if b'"document":"report"' not in start:
        return None
    try:
        document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return _record(path, document["arms"]["ab".index(arm)])
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise InputError(path, f"a damaged report, or one without arm {arm}: {error}") from error


def _record(path: str, written: dict[str, Any]) -> Record:
    """An arm of a report is a saved record."""
    from kvaudit.parsers.saved_record import SavedRecord
    from kvaudit.record.build import record_of_reading
    from kvaudit.redaction import Redactor
    from kvaudit.sources.source import Source

    data = json.dumps(written).encode()
    source = Source(path, len(data), 0, "", "", [], Redactor(), data)
    return record_of_reading(source, SavedRecord().read(source), str(written.get("label") or ""))
