"""A whole SGLang log: hit lines to records, records to starts, starts to facts.

Room: `parsers.sglang`, loaded when a log of this engine is read; every step has its own module.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Origin, Reading
from kvaudit.parsers.log_reading import Sieve, all_records, last_lines, note, reading_of
from kvaudit.parsers.sglang import arguments, rows, statistics
from kvaudit.parsers.sglang.joining import continued
from kvaudit.parsers.sglang.messages import Record, records
from kvaudit.parsers.sglang.splitter import Splitter
from kvaudit.parsers.sglang.start import StartBuilder
from kvaudit.parsers.tables import Match
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_OPENERS = frozenset({"banner", "launch-path", "arguments", "argument-error"})
_RETRACTED = LatePattern(r"#retracted_reqs: (?P<count>\d{1,9})")


def read(source: Source) -> Reading:
    """The facts, starts, unparsed lines and notes of one log."""
    return _Reader(source).read()


class _Reader:
    """One pass over the hit lines of one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.splitter = Splitter(source)
        self.sieve = Sieve(source, rows.LOUD)
        self.joined: list[str] = []

    def read(self) -> Reading:
        for record in all_records(self.source, records):
            self._take(record)
        starts = self.splitter.starts
        ends = last_lines([start.first_line for start in starts], self.source.lines)
        finished = [start.finish(end, self.source.sampled) for start, end in zip(starts, ends, strict=False)]
        named, unparsed = self._origin_of_name(), self.sieve.unparsed
        return reading_of(self.source, "sglang", finished, named=named, unparsed=unparsed, notes=self.joined)

    def _take(self, record: Record) -> None:
        if statistics.is_statistics(record):
            start = self.splitter.assign(record, None)
            start.statistics.read(record)
            start.life.saw(record)
            if start.statistics.decoded is not None:
                start.life.ready = start.life.ready or record
            return
        facts = self.sieve.matches(rows.FACTS.matches(record.message), record)
        lifecycle = self.sieve.matches(rows.LIFECYCLE.matches(record.message), record)
        noted = [match for match in rows.NOTICES.matches(record.message) if isinstance(match, Match)]
        if not (facts or lifecycle or noted):
            return
        opener = next((match.row.name for match in lifecycle if match.row.name in _OPENERS), None)
        start = self.splitter.assign(record, opener)
        start.life.saw(record)
        for match in lifecycle:
            self._lifecycle(start, record, match)
        start.read_facts(record, facts)
        for match in noted:
            note(start.collector, record, match, start.noted, rows.ONCE)
            if match.row.name == "requests-preempted" and (found := _RETRACTED.search(record.message)):
                start.retracted += int(found.group("count"))
                start.retraction = record

    def _lifecycle(self, start: StartBuilder, record: Record, match: Match) -> None:
        name = match.row.name
        if name == "arguments":
            self._arguments(start, record, match.groups["body"])
        elif name == "launch-path":
            start.launch_path = start.launch_path or match.groups["path"]
        elif name != "banner":
            start.life.read(record, match)

    def _arguments(self, start: StartBuilder, record: Record, body: str) -> None:
        if start.arguments is not None:
            return
        found = arguments.parse(body)
        if not found.whole:
            joined, count = continued(self.source, record.number, body, lambda text: arguments.parse(text).whole)
            found = arguments.parse(joined)
            if count:
                self.joined.append(f"line {record.number} was read together with the {count} lines that continue it")
        start.arguments = found
        start.arguments_text = record.message
        start.mark("arguments", record)

    def _origin_of_name(self) -> list[Origin]:
        for start in self.splitter.starts:
            if start.reached:
                record = next(iter(start.reached.values()))
                return [start.collector.origin(record, 0, "recognition")]
        return []
