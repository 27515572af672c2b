"""Signs that a document is of another kind and only quotes log lines: it is one JSON value, or a markdown page.

Room: `parsers`, shared by the engines' recognition. Signs only; what an engine's own lines or own JSON records look like, and so
whether a sign counts, is the engine's own.
"""

from __future__ import annotations

import json

from kvaudit.patterns import LatePattern
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.source import Source

_FENCE = LatePattern(r"(?m)^(?:```|#{1,4} \S)")
_LEAST_FENCES = 3
"""A log may print one or two lines that look like a heading."""


def beginning(source: Source) -> str:
    """The head of a document without byte order mark and blank space in front."""
    return source.head.lstrip("\ufeff \t\r\n")


def is_json(source: Source) -> bool:
    """Whether the document is one JSON object or array, and not too long to be held. It is parsed once, whoever asks."""
    if source.json_keys is None:
        source.json_keys = _keys_of(source)
    return source.json_keys is not False


def json_keys(source: Source) -> frozenset[str]:
    """The keys of a document that is one JSON object; none for any other."""
    return source.json_keys if is_json(source) and isinstance(source.json_keys, frozenset) else frozenset()


def _keys_of(source: Source) -> frozenset[str] | bool:
    text = source.text() if beginning(source)[:1] in ("{", "[") else None
    if text is None:
        return False
    try:
        value = json.loads(without_half_pairs(text))
    except (ValueError, RecursionError):
        return False
    return frozenset(value) if isinstance(value, dict) else True


def markdown_marks(source: Source) -> list[int]:
    """Offsets of code fences and headings in the head of a markdown page; none where there are too few for a page."""
    marks = [match.start() for match in _FENCE.finditer(source.head)]
    return marks if len(marks) >= _LEAST_FENCES else []
