"""The copy of a weight file's header that a capture keeps: the ranges that its parser reads, and nothing else of the file.

Room: `parsers.endpoints`. The document `checkpoint-header` of this program, written compressed. The parser of the format reads
the ranges as it read the file; a range that was not kept is the end of what is known, never zeros.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, cast

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.header import SafetensorsHeader
from kvaudit.parsers.endpoints.answer import text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.gguf.parser import GgufHeader
from kvaudit.sources.source import Source
from kvaudit.sources.weights import Form, header_source

DOCUMENT, VERSION = "checkpoint-header", 1
_MOST_RANGES = 4096


class HeaderCopy:
    """Reads the copy of a header with the parser of its form."""

    name = "kvaudit:header-copy"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A JSON object that says `"document": "checkpoint-header"` at its start."""
        head = source.head.lstrip()[:200].replace(" ", "").replace("\n", "")
        return 1.0 if head.startswith('{"document":"checkpoint-header"') else 0.0

    def read(self, source: Source) -> Reading:
        """What the header states. Raises `InputError` where the copy is damaged."""
        copy = _parsed(source)
        form, size = text(copy.get("form")), whole(copy.get("bytes"))
        if form not in ("safetensors", "gguf") or size is None:
            raise InputError(source.path, "a damaged copy of a header: no form or no size")
        inner = header_source(source.path, size, cast(Form, form), source.redactor)
        inner.folder, inner.ranges = source.folder, Ranges(source.path, _kept(source, copy))
        return SafetensorsHeader().read(inner) if form == "safetensors" else GgufHeader().read(inner)


def _parsed(source: Source) -> dict[str, Any]:
    held = source.text()
    if held is None:
        raise InputError(source.path, "a copy of a header that is too large")
    try:
        value = json.loads(held)
    except (ValueError, RecursionError) as error:
        raise InputError(source.path, f"a damaged copy of a header: {error}") from error
    if not isinstance(value, dict) or value.get("version") != VERSION:
        raise InputError(source.path, "a copy of a header of another document version")
    return value


def _kept(source: Source, copy: dict[str, Any]) -> list[tuple[int, bytes]]:
    listed = copy.get("ranges")
    found = []
    for one in listed[:_MOST_RANGES] if isinstance(listed, list) else []:
        start = whole(one.get("start"), 0) if isinstance(one, dict) else None
        encoded = text(one.get("base64")) if isinstance(one, dict) else None
        if start is None or encoded is None:
            raise InputError(source.path, "a damaged copy of a header: a range without place or bytes")
        try:
            found.append((start, base64.b64decode(encoded, validate=True)))
        except (binascii.Error, ValueError) as error:
            raise InputError(source.path, f"a damaged copy of a header: {error}") from error
    return found


class Ranges:
    """Reads from the ranges that were kept. Raises `InputError` for bytes that were not."""

    def __init__(self, path: str, kept: list[tuple[int, bytes]]) -> None:
        self._path, self._kept = path, kept

    def __call__(self, start: int, length: int) -> bytes:
        """The bytes from `start`, at most `length`."""
        for first, data in self._kept:
            if first <= start < first + len(data) and (start - first) + length <= len(data):
                return data[start - first : start - first + length]
        exact = next((data for first, data in self._kept if first == start), None)
        if exact is None and length:
            raise InputError(self._path, f"the copy of the header holds nothing from byte {start:,} on")
        return (exact or b"")[:length]
