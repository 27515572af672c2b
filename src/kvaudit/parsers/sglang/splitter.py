"""Which start a record belongs to: several starts in one file.

Room: openers (container banner, launch warning, arguments line) and their order. Facts of two starts never mix. SGLang prints no
process ids, so the lines of two servers that write into one file at once cannot be told apart.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.sglang.start import StartBuilder
from kvaudit.sources.source import Source


class Splitter:
    """Assigns records to starts in file order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.starts: list[StartBuilder] = []

    def assign(self, record: Record, opener: str | None) -> StartBuilder:
        """The start of a record. `opener` is `banner`, `launch-path`, `arguments`, `argument-error` or None."""
        if not self.starts or (opener and _begins(self.starts[-1], record, opener)):
            start = StartBuilder(Collector(self.source, "sglang"), first_line=record.number, last_line=record.number)
            self.starts.append(start)
        start = self.starts[-1]
        start.join(record)
        if opener in ("banner", "launch-path"):
            start.banner = start.banner or opener
        return start


def _begins(start: StartBuilder, record: Record, opener: str) -> bool:
    """Whether an opener begins a new start rather than going on with `start`."""
    if opener == "arguments":
        doubled = start.arguments_text == record.message and not start.has_engine_content
        return (start.arguments is not None or start.has_engine_content) and not doubled
    if opener == "argument-error":
        return start.arguments is not None or start.has_engine_content
    if opener == "launch-path" and start.banner == "banner" and start.arguments is None:
        return False
    return start.arguments is not None or start.has_engine_content
