"""The one protocol of all parsers.

Room: contract only. A parser turns one source into a `Reading`; it never opens files, never compares arms, never infers
across sources.
"""

from __future__ import annotations

from typing import Protocol

from kvaudit.parsers.facts import Reading
from kvaudit.sources.source import Source


class Parser(Protocol):
    """One source format.

    `hints` are literal byte strings for the single scan of a log; document formats (JSON, XML, CSV) have none and read
    `source.text()`. Hints survive ANSI colours, JSON escaping and carriage returns: ASCII, no quotes.
    """

    name: str
    kind: str
    hints: tuple[bytes, ...]
    periodic_hints: tuple[bytes, ...]

    def recognises(self, source: Source) -> float:
        """Confidence between 0 and 1 that this source is of this format, by content and never by name."""

    def read(self, source: Source) -> Reading:
        """Facts, starts, unparsed lines and notes of the source."""
