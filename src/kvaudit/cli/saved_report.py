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
        written = document["arms"]["ab".index(arm)]
        return _record(written)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise InputError(path, f"a damaged report, or one without arm {arm}: {error}") from error


def _record(written: dict[str, Any]) -> Record:
    from kvaudit.parsers.facts import Fact
    from kvaudit.record.model import FieldState, Record

    fields = {
        name: FieldState(**{**held, "facts": [Fact(**{**one, "field": name}) for one in held["facts"]]})
        for name, held in written["fields"].items()
    }
    return Record(label=written.get("label", ""), fields=fields)
