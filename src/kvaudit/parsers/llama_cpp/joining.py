"""Long lines that a terminal or a paste cut in two: the line of the KV cache is read together with what continues it.

Room: physical lines of one document in, one text out. Only lines that begin no record of their own are joined.
"""

from __future__ import annotations

from kvaudit.parsers.continuation import following, pieces
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_MOST_LINES = 3
_RECORD = LatePattern(
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
    for count, readable in enumerate(pieces(following(text, number, _MOST_LINES), _RECORD), start=1):
        spaced, bare = f"{spaced.rstrip()} {readable.lstrip()}", bare + readable
        found += [(count, spaced), (count, bare)]
    return found
