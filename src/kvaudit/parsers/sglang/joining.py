"""The arguments line that a terminal, a paste or a collector cut into several: its pieces are joined again.

Room: physical lines of one document in, one text out. Docker cuts lines of more than 16 KiB into several JSON objects. Only
lines that carry no record of their own are joined, and only where the joined text is whole.
"""

from __future__ import annotations

from collections.abc import Callable

import re2

from kvaudit.parsers.sglang.unwrapping import unwrapped
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_MOST_LINES = 60
_RECORD = re2.compile(r"^\S{0,80}\s{0,20}\|?\s?\[(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d|^\s*$|^Traceback")


def continued(source: Source, number: int, body: str, is_whole: Callable[[str], bool]) -> tuple[str, int]:
    """The text of line `number` with the lines that continue it, and how many they are (0 where joining does not help)."""
    text = source.text()
    if text is None:
        return body, 0
    joined = body
    for count, line in enumerate(_following(text, number), start=1):
        readable = unwrapped(without_colours(line).rstrip("\r"))
        if _RECORD.search(readable[:200]):
            break
        joined += readable
        if is_whole(joined):
            return joined, count
    return body, 0


def _following(text: str, number: int) -> list[str]:
    """The physical lines behind line `number` (1-based), at most `_MOST_LINES`."""
    start = 0
    for _ in range(number):
        start = text.find("\n", start) + 1
        if not start:
            return []
    end = start
    for _ in range(_MOST_LINES):
        end = text.find("\n", end) + 1
        if not end:
            return text[start:].split("\n")
    return text[start:end].split("\n")
