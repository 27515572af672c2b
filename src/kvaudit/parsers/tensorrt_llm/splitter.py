"""Which start a record belongs to: several starts in one file.

Room: openers and their order. The parent and every worker of a start print the version banner, and the backend line stands
between them; under Triton, helper models load beside the engine and print banners at any time.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.tensorrt_llm.messages import Record
from kvaudit.parsers.tensorrt_llm.start import StartBuilder
from kvaudit.sources.source import Source


class Splitter:
    """Assigns records to starts in file order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.starts: list[StartBuilder] = []

    def assign(self, record: Record, opener: str | None) -> StartBuilder:
        """The start of a record. `opener` is `banner`, `launch`, `triton-launch` or None."""
        if not self.starts or (opener and _begins(self.starts[-1], opener)):
            collector = Collector(self.source, "tensorrt_llm")
            self.starts.append(StartBuilder(collector, first_line=record.number, last_line=record.number))
        start = self.starts[-1]
        start.join(record)
        if opener == "banner":
            start.banners += 1
        elif opener is not None:
            start.launched = True
            start.triton = start.triton or opener == "triton-launch"
        return start


def _begins(start: StartBuilder, opener: str) -> bool:
    """Whether an opener begins a new start rather than going on with `start`."""
    if opener == "triton-launch":
        return start.has_content or start.launched
    if opener == "banner":
        return start.life.over or (start.has_content and not start.triton)
    return start.has_content and not start.triton
