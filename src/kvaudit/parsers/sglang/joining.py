"""The arguments line that a terminal, a paste or a collector cut into several: its pieces are joined again.

Room: physical lines of one document in, one text out. Docker cuts lines of more than 16 KiB into several JSON objects. Only
lines that carry no record of their own are joined, and only where the joined text is whole.
"""

from __future__ import annotations

from collections.abc import Callable

from kvaudit.parsers.continuation import following, joined
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_MOST_LINES = 60
_RECORD = LatePattern(r"^\S{0,80}\s{0,20}\|?\s?\[(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d|^\s*$|^Traceback")


def continued(source: Source, number: int, body: str, is_whole: Callable[[str], bool]) -> tuple[str, int]:
    """The text of line `number` with the lines that continue it, and how many they are (0 where joining does not help)."""
    text = source.text()
    return (body, 0) if text is None else joined(body, following(text, number, _MOST_LINES), _RECORD, is_whole)
