"""Lines that a terminal, a paste or a collector cut into several: their pieces are joined again.

Room: `parsers`, shared by the engines' log parsers. Physical lines of one document in, one text out; which line begins a record
of its own is the engine's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kvaudit.sources.lines import without_colours

_LOOKED_AT = 200
"""Letters of a line that are looked at for a record's beginning."""


def following(text: str, number: int, most: int) -> list[str]:
    """The physical lines behind line `number` (1-based), at most `most`, without splitting the whole text."""
    start = 0
    for _ in range(number):
        start = text.find("\n", start) + 1
        if not start:
            return []
    end = start
    for _ in range(most):
        end = text.find("\n", end) + 1
        if not end:
            return text[start:].split("\n")[:most]
    return text[start : end - 1].split("\n")


def pieces(lines: Iterable[str], is_record: Any) -> Iterable[str]:
    """The readable lines up to the first that begins a record of its own."""
    for line in lines:
        readable = without_colours(line).rstrip("\r")
        if is_record.search(readable[:_LOOKED_AT]):
            return
        yield readable


def joined(body: str, lines: Iterable[str], is_record: Any, is_whole: Callable[[str], bool]) -> tuple[str, int]:
    """`body` with the lines that continue it until it is whole, and how many they are; 0 where joining does not help."""
    whole = body
    for count, piece in enumerate(pieces(lines, is_record), start=1):
        whole += piece
        if is_whole(whole):
            return whole, count
    return body, 0
