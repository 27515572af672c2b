"""The Ollama log parser: its hints, how sure it is of a log, and reading one.

Room: the `Parser` protocol for Ollama, nothing else, and thin: what reads a log is loaded when one is read.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.llama_cpp import rows as llama_cpp_rows
from kvaudit.parsers.ollama import recognition, rows
from kvaudit.sources.source import Source


class OllamaLog:
    """Logs of `ollama serve`, v0.1.2x to v0.30, with the lines of its runners."""

    name = "ollama"
    kind = "engine-log"
    hints: tuple[bytes, ...] = tuple(dict.fromkeys((*rows.HINTS, *llama_cpp_rows.HINTS)))
    periodic_hints: tuple[bytes, ...] = llama_cpp_rows.PERIODIC

    def recognises(self, source: Source) -> float:
        """Confidence by content: the server's own lines anywhere in the document."""
        return recognition.score(source)

    def read(self, source: Source) -> Reading:
        """Facts per start, unparsed lines and notes."""
        from kvaudit.parsers.ollama.document import read

        return read(source)
