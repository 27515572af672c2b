"""The llama.cpp log parser: its hints, how sure it is of a log, and reading one.

Room: the `Parser` protocol for llama.cpp, nothing else, and thin: what reads a log is loaded when one is read.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.llama_cpp import recognition, rows
from kvaudit.sources.source import Source


class LlamaCppLog:
    """Logs of llama.cpp and its forks, late 2023 to b11549: llama-server, command-line tools, the library in process."""

    name = "llama_cpp"
    kind = "engine-log"
    hints: tuple[bytes, ...] = rows.HINTS
    periodic_hints: tuple[bytes, ...] = rows.PERIODIC

    def recognises(self, source: Source) -> float:
        """Confidence by content: the engine's own lines anywhere in the document."""
        return recognition.score(source)

    def read(self, source: Source) -> Reading:
        """Facts per start, unparsed lines and notes."""
        from kvaudit.parsers.llama_cpp.document import read

        return read(source)
