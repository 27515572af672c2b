"""From a raw hit to readable text: wrapper, colours and NUL bytes removed, the original line number kept.

Room: `sources`. Only hits are decoded, never the whole file. Carriage returns stay inside a line: what they separate is the
parser's business, because progress bars and engine records share physical lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Line, RawLine, Source
from kvaudit.sources.unwrapping import Unwrapper, without_colours

__all__ = ["Line", "hit_lines", "readable", "without_colours"]


_ENTITY = LatePattern(r"&(?:#39|#x27|#34|quot|apos|lt|gt|amp);")


def hit_lines(source: Source) -> Iterator[Line]:
    """The lines that held a hint, in the order in which they were written, readable."""
    if source.read_lines is None:
        source.read_lines = [line for raw in source.hits for line in _lines(raw, source)]
    yield from source.read_lines


def readable(raw: RawLine, unwrapper: Unwrapper | None = None) -> Line:
    """One raw line without wrapper, colours, NUL bytes and the newline; the first where a wrapper holds several."""
    for number, piece in (unwrapper or Unwrapper()).pieces(raw.number, raw.data):
        return Line(number, piece.text)
    return Line(raw.number, "")


def _lines(raw: RawLine, source: Source) -> Iterator[Line]:
    for number, piece in source.unwrapper.pieces(raw.number, raw.data):
        if source.service is None or piece.service == source.service:
            yield Line(number, without_entities(piece.text))


def without_entities(text: str) -> str:
    """A line that was copied out of the source of a web page, with its quotes and brackets as characters again."""
    if "&" not in text or not _ENTITY.search(text):
        return text
    import html

    return html.unescape(text)
