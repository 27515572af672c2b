"""Long lines that a terminal or a paste cut in two: the line of the KV cache is read together with what continues it.

Room: physical lines of one document in, one text out. Only lines that begin no record of their own are joined.
"""

from __future__ import annotations

import re2

from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_MOST_LINES = 3
_RECORD = re2.compile(
    r"^\s*$|\b(?:llama_\w+|ggml_\w+|print_info|load_tensors|sched_reserve|common_\w+|srv|slot|main): |time=\d{4}-"
)


def continued(source: Source, number: int, message: str) -> list[tuple[int, str]]:
    """The message of line `number` joined with one, two and three lines behind it, as far as they continue it.

    A break may have taken a blank or not: both joins come, each with the number of lines that were joined.
    """
    text = source.text()
    if text is None:
        return []
    spaced, bare, found = message, message, list[tuple[int, str]]()
    for count, line in enumerate(_following(text, number), start=1):
        readable = without_colours(line).rstrip("\r")
        if _RECORD.search(readable[:200]):
            break
        spaced, bare = f"{spaced.rstrip()} {readable.lstrip()}", bare + readable
        found += [(count, spaced), (count, bare)]
    return found


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
            return text[start:].split("\n")[:_MOST_LINES]
    return text[start : end - 1].split("\n")
