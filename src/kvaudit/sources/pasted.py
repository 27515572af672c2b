"""Pasted text that a terminal cut at its width: the lines as they were printed, joined again where that is safe.

Room: `sources`. A document counts as cut at a width only where many lines have exactly that length, none is longer, and log
records are among them; boxes and rules of one width are no such thing. Nothing is joined across a line that begins a record.
"""

from __future__ import annotations

from collections import Counter

from kvaudit.patterns import LatePattern
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import RawLine
from kvaudit.sources.unwrapping import readable

_NARROWEST, _WIDEST = 60, 320
_LEAST_FULL = 3
_MOST_JOINED = 400
_BEGINS = LatePattern(
    r"^\s*$|^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?::|\s)|^\((?:[\w.: -]{1,80} )?pid=\d+|^\[?\d{4}[-/]\d\d[-/]\d\d|"
    r"^\[\d\d[/:]\d\d[/:]|^\[(?:TensorRT-LLM|TRT-LLM)\]|^time=\d|^Traceback |^  File \"|"
    r"^(?:llama|ggml|print_info|load_tensors|srv|slot|common|clip|main|build|system_info)\w*:? "
)
_NO_TEXT = LatePattern(r"^\W*[|+=#*_~-]{2}|^\s*[|+]")


def width_of(head: bytes) -> int | None:
    """The width in characters at which a terminal cut the document, None where it did not."""
    lines = [readable(raw) for raw in head.split(b"\n")[:2_000]]
    if len(head) >= 1 << 16:
        lines = lines[:-1]
    width = max(map(len, lines), default=0)
    full = [index for index, line in enumerate(lines) if len(line) == width and not _NO_TEXT.search(line)]
    if not _NARROWEST <= width <= _WIDEST or len(full) < _LEAST_FULL or not any(_BEGINS.search(lines[index]) for index in full):
        return None
    followed = Counter(bool(_BEGINS.search(lines[index + 1])) for index in full if index + 1 < len(lines))
    return width if followed[False] >= _LEAST_FULL - 1 and followed[False] >= 4 * followed[True] else None


def rejoined(data: bytes, width: int, hints: Hints) -> list[RawLine]:
    """The hit lines of a document that was cut at `width`, each with the number of its first physical line."""
    hits, lines = [], data.split(b"\n")
    number = 0
    while number < len(lines):
        first, joined = number, lines[number].removesuffix(b"\r")
        number += 1
        while number < len(lines) and number - first < _MOST_JOINED and _goes_on(lines[number - 1], lines[number], width):
            joined += lines[number].removesuffix(b"\r")
            number += 1
        if hints.search(joined, 0) >= 0:
            hits.append(RawLine(first + 1, joined))
    return hits


def _goes_on(line: bytes, following: bytes, width: int) -> bool:
    """A full line goes on in the next one unless that begins a record."""
    text = readable(line)
    return len(text) == width and not _NO_TEXT.search(text) and not _BEGINS.search(readable(following))
