"""The TensorRT-LLM log parser: its hints, how sure it is of a log, and reading one.

Room: the `Parser` protocol for TensorRT-LLM, nothing else, and thin: what reads a log is loaded when one is read.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.tensorrt_llm import recognition, rows
from kvaudit.sources.source import Source


class TensorRtLlmLog:
    """TensorRT-LLM server, benchmark and offline logs, 0.5 to 1.3."""

    name = "tensorrt_llm"
    kind = "engine-log"
    hints: tuple[bytes, ...] = tuple(
        dict.fromkeys((*rows.FACTS.hints, *rows.POOLS.hints, *rows.LIFECYCLE.hints, *rows.NOTICES.hints, *rows.TRITON_HINTS))
    )
    periodic_hints: tuple[bytes, ...] = rows.GRAPHS.hints

    def recognises(self, source: Source) -> float:
        """Confidence by content: the engine's own lines anywhere in the document."""
        return recognition.score(source)

    def read(self, source: Source) -> Reading:
        """Facts per start, unparsed lines and notes."""
        from kvaudit.parsers.tensorrt_llm.document import read

        return read(source)
