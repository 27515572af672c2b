"""From a raw hit to readable text: wrapper, colours and NUL bytes removed, the original line number kept.

Room: `sources`. Only hits are decoded, never the whole file. Carriage returns stay: what they separate is the parser's
business, because progress bars and engine records share physical lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import re2

from kvaudit.sources.source import RawLine, Source

_ANSI = re2.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")


@dataclass(slots=True, frozen=True)
class Line:
    """A physical line as text: `number` is 1-based in the original file."""

    number: int
    text: str


def hit_lines(source: Source) -> Iterator[Line]:
    """The lines that held a hint, in file order, readable."""
    for raw in source.hits:
        yield readable(raw)


def readable(raw: RawLine) -> Line:
    """One raw line without colours, NUL bytes and the newline."""
    text = raw.data.decode("utf-8", "replace").replace("\0", "")
    return Line(raw.number, without_colours(text))


def without_colours(text: str) -> str:
    """The text without ANSI escape sequences."""
    return str(_ANSI.sub("", text)) if "\x1b" in text else text
