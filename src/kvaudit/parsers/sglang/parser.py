"""The SGLang log parser: its hints, how sure it is of a log, and reading one.

Room: the `Parser` protocol for SGLang, nothing else, and thin: what reads a log is loaded when one is read.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.sglang import recognition, rows, statistics
from kvaudit.sources.source import Source


class SglangLog:
    """SGLang server logs and offline runs, 0.3 to 0.5.23."""

    name = "sglang"
    kind = "engine-log"
    hints: tuple[bytes, ...] = tuple(dict.fromkeys((*rows.FACTS.hints, *rows.NOTICES.hints, *rows.LIFECYCLE.hints)))
    periodic_hints: tuple[bytes, ...] = statistics.HINTS

    def recognises(self, source: Source) -> float:
        """Confidence by content: the engine's own lines anywhere in the document."""
        return recognition.score(source)

    def read(self, source: Source) -> Reading:
        """Facts per start, unparsed lines and notes."""
        from kvaudit.parsers.sglang.document import read

        return read(source)
