"""A whole TensorRT-LLM log: hit lines to records, records to starts, starts to facts.

Room: `parsers.tensorrt_llm`, loaded when a log of this engine is read; every step has its own module.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.parsers.facts import Origin, Reading
from kvaudit.parsers.log_reading import Sieve, all_records, last_lines, note, reading_of
from kvaudit.parsers.tables import Match, Row, fact
from kvaudit.parsers.tensorrt_llm import llm_args, rows
from kvaudit.parsers.tensorrt_llm.messages import Record, records
from kvaudit.parsers.tensorrt_llm.splitter import Splitter
from kvaudit.parsers.tensorrt_llm.start import StartBuilder
from kvaudit.sources.source import Source

_OPENERS = ("banner", "launch", "triton-launch")


def read(source: Source) -> Reading:
    """The facts, starts, unparsed lines and notes of one log."""
    return _Reader(source).read()


class _Reader:
    """One pass over the hit lines of one source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.splitter = Splitter(source)
        self.sieve = Sieve(source, rows.LOUD)
        self.builds = False
        terminated = source.data is None or source.data.endswith(b"\n")
        self.cut_line = 0 if terminated else source.lines

    def read(self) -> Reading:
        for record in all_records(self.source, records):
            self._take(record)
        starts = self._starts()
        ends = last_lines([start.first_line for start in starts], self.source.lines)
        finished = [start.finish(end) for start, end in zip(starts, ends, strict=False)]
        named, unparsed = self._origin_of_name(starts), self.sieve.unparsed
        reading = reading_of(self.source, "tensorrt_llm", finished, named=named, unparsed=unparsed)
        if self.builds and not finished:
            reading.starts, reading.facts = [], [*reading.facts[:1], fact("engine.starts", 0, "observed", [])]
            reading.notes.append("this is the log of building an engine; nothing served")
        return reading

    def _starts(self) -> list[StartBuilder]:
        """The starts, without one that only built an engine."""
        return [start for start in self.splitter.starts if not self.builds or start.has_content or start.banners]

    def _take(self, record: Record) -> None:
        facts = self._matched(rows.FACTS.matches(record.message), record)
        pools = self._matched(rows.POOLS.matches(record.message), record)
        lifecycle = self._matched(rows.LIFECYCLE.matches(record.message), record)
        notices = [match for match in rows.NOTICES.matches(record.message) if isinstance(match, Match)]
        graphs = [match for match in rows.GRAPHS.matches(record.message) if isinstance(match, Match)]
        if not self.splitter.starts and not (record.writer or facts or pools or lifecycle):
            return
        opener = next((match.row.name for match in lifecycle if match.row.name in _OPENERS), None)
        if opener == "banner" and record.writer != "banner":
            opener = None
        start = self.splitter.assign(record, opener)
        start.life.saw(record)
        for match in lifecycle:
            self._lifecycle(start, record, match)
        start.read_facts(record, facts)
        for match in pools:
            start.read_pool(record, match)
        for match in graphs:
            start.graph(record, int(match.groups["batch"]))
        for match in notices:
            note(start.collector, record, match, start.noted, rows.ONCE)

    def _matched(self, found: Iterator[Match | Row], record: Record) -> list[Match]:
        """Matched rows. On a last line that is not terminated, what touches its end may be cut: left out."""
        matches = self.sieve.matches(found, record)
        return [match for match in matches if record.number != self.cut_line or not _touches_end(match, record)]

    def _lifecycle(self, start: StartBuilder, record: Record, match: Match) -> None:
        name = match.row.name
        if name == "llm-args" and not record.stamped:
            start.dumps.append((llm_args.of_arguments(record.message), record))
            start.mark("arguments", record)
        elif name == "torch-config" and record.stamped:
            start.dumps.append((llm_args.of_class(record.message), record))
            start.mark("arguments", record)
        elif name == "engine-args":
            start.dumps.append((llm_args.of_dict(record.message), record))
            start.mark("arguments", record)
        elif name == "worker":
            start.workers += 1
        elif name == "built":
            self.builds = True
        else:
            start.life.read(record, match)

    def _origin_of_name(self, starts: list[StartBuilder]) -> list[Origin]:
        for start in starts:
            if start.first_own is not None:
                return [start.collector.origin(start.first_own, 0, "recognition")]
        return []


def _touches_end(match: Match, record: Record) -> bool:
    """Whether a group of the match ends where the line ends."""
    return any(text and record.message.endswith(text) for text in match.groups.values())
