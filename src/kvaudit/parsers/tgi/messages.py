"""A physical line becomes a record: Rust's tracing, compact or JSON, of launcher and router.

Room: the first step of the TGI parser; nothing here knows what messages mean. Shards write through the launcher. The time in
front is RFC 3339, which collectors write too, so it may be gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.plain_log import Record
from kvaudit.patterns import LatePattern
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.lines import Line

_STAMP = LatePattern(
    r"(?:^|[\sZ])(?P<level>TRACE|DEBUG|INFO|WARN|ERROR) (?:[\w-]{1,40}(?:\{[^}]{0,1000}\})?: )?"
    r"text_generation_(?:launcher|router(?:_v\d)?)(?:::\w+)*: (?:[\w./-]{1,100}\.rs:\d{1,6}: )?"
)
_LEVELS = {"WARN": "WARNING", "TRACE": "DEBUG"}


def records(line: Line) -> Iterator[Record]:
    """The record of one physical line; a line without a stamp goes on with what another one began."""
    if line.text.startswith("{") and (record := _json_record(line)):
        yield record
        return
    stamp = _STAMP.search(line.text)
    if stamp is None:
        yield Record(line.number, line.text, 0, line.text.rstrip())
        return
    level = str(stamp.group("level"))
    message = line.text[stamp.end() :].rstrip()
    yield Record(line.number, line.text, stamp.end(), message, own=True, level=_LEVELS.get(level, level))


def _json_record(line: Line) -> Record | None:
    """One line of `--json-output`, or None."""
    try:
        document: Any = json.loads(without_half_pairs(line.text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not str(document.get("target", "")).startswith("text_generation_"):
        return None
    fields = document.get("fields")
    message = document.get("message") or (fields.get("message") if isinstance(fields, dict) else None)
    if not isinstance(message, str):
        return None
    level = str(document.get("level", ""))
    position = max(0, line.text.find(message[:20]))
    return Record(line.number, line.text, position, message.rstrip(), own=True, level=_LEVELS.get(level, level))
