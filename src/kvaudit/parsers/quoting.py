"""Signs that a document is of another kind and only quotes log lines: it is one JSON value, or a markdown page.

Room: `parsers`, shared by the engines' recognition. Signs only; what an engine's own lines or own JSON records look like, and so
whether a sign counts, is the engine's own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from kvaudit.patterns import LatePattern
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.source import Source

_FENCE = LatePattern(r"(?m)^(?:```|#{1,4} \S)")
_LEAST_FENCES = 3
"""A log may print one or two lines that look like a heading."""


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A document that is one JSON value: its text and the value."""

    text: str
    value: Any


def beginning(source: Source) -> str:
    """The head of a document without byte order mark and blank space in front."""
    return source.head.lstrip("\ufeff \t\r\n")


def json_document(source: Source) -> JsonDocument | None:
    """The document where it is one JSON object or array; None where it is not, or is too long to be held."""
    if beginning(source)[:1] not in "{[":
        return None
    text = source.text()
    if text is None:
        return None
    try:
        return JsonDocument(text, json.loads(without_half_pairs(text)))
    except (ValueError, RecursionError):
        return None


def markdown_marks(source: Source) -> list[int]:
    """Offsets of code fences and headings in the head of a markdown page; none where there are too few for a page."""
    marks = [match.start() for match in _FENCE.finditer(source.head)]
    return marks if len(marks) >= _LEAST_FENCES else []
