"""A small engine's log parser: tables of rows, an opener, a ready line, failures. No ranks, no second writer, no statistics.

Room: `parsers`, shared by the engines that are read for identity, KV element type, capacity and parallelism only (LMDeploy, TGI).
An engine brings its records, its tables and what it makes of a whole start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Reading, Start
from kvaudit.parsers.log_reading import all_records, first_records, note, reading_of
from kvaudit.parsers.tables import Match, Table
from kvaudit.sources.lines import Line
from kvaudit.sources.source import Source

_MOST_RECORDS = 400
_MOST_ERRORS = 100


@dataclass(frozen=True, slots=True)
class Record:
    """One log record. `own` says whether the engine's own loggers wrote it; `level` is in capitals, empty where none stands."""

    number: int
    line: str
    position: int
    message: str
    own: bool = False
    level: str = ""

    @property
    def stamped(self) -> bool:
        """Whether the engine's own logger wrote it."""
        return self.own


@dataclass(slots=True)
class PlainStart:
    """A start while the log is read. `kept` holds matches and dumps that the engine wants to see again at the end."""

    source: Source
    collector: Collector
    first_line: int
    last_line: int = 0
    opened: bool = False
    first_own: Record | None = None
    ready: Record | None = None
    failed: Record | None = None
    stopped: Record | None = None
    errors: list[Record] = field(default_factory=list)
    last_own: int = 0
    kept: dict[str, list[tuple[Any, Record]]] = field(default_factory=dict)

    def keep(self, name: str, value: Any, record: Record) -> None:
        """Remember something for the end of the start."""
        held = self.kept.setdefault(name, [])
        if len(held) < _MOST_RECORDS:
            held.append((value, record))

    def outcome(self) -> tuple[bool | None, str, Record | None]:
        """Whether the start became ready, in words, and the record of the cause where it did not."""
        cause = next((error for error in self.errors if self.ready is None or error.number > self.ready.number), None)
        if self.ready is not None:
            died = self.failed is not None and self.failed.number > self.ready.number and self.stopped is None
            return (True, "ready, then died", cause or self.failed) if died else (True, "ready", None)
        uncaught = bool(self.errors) and self.errors[-1].number > self.last_own and self.stopped is None
        if self.failed is not None or uncaught:
            return False, "failed before it was ready", cause or self.failed
        return None, "unknown", None


@dataclass(frozen=True, slots=True)
class Dialect:
    """What an engine brings. Names of rows in `life`: opener, ready, failed, stopped, exception; any other row is kept.

    `heard` sees every record with its kept matches; `settle` adds what needs the whole start; `weights` ranks rows.
    """

    name: str
    records: Callable[[Line], Iterator[Record]]
    marks: tuple[str, ...]
    """One of them stands in every line that the engine's own loggers wrote."""
    facts: Table
    notices: Table
    life: Table
    certain: Callable[[Record], bool]
    settle: Callable[[PlainStart], None]
    weights: dict[str, int] = field(default_factory=dict)

    @property
    def hints(self) -> tuple[bytes, ...]:
        """The hints of all tables."""
        return tuple(dict.fromkeys((*self.facts.hints, *self.notices.hints, *self.life.hints)))


def recognises(dialect: Dialect, source: Source) -> float:
    """Confidence by a line that only this engine's loggers write; documents that are one JSON value hold no such lines."""
    found = any(
        record.own and dialect.certain(record) for record in first_records(source, dialect.records, _MOST_RECORDS, dialect.marks)
    )
    return 0.9 if found and not _quotes(source) else 0.0


def _quotes(source: Source) -> bool:
    """Whether the document is a markdown page that quotes a log."""
    lines = source.head.split("\n")
    return sum(line.startswith(("```", "# ", "## ", "### ")) for line in lines) >= 3


def read(dialect: Dialect, source: Source) -> Reading:
    """Facts per start and notes of the source."""
    starts: list[PlainStart] = []
    for record in all_records(source, dialect.records):
        _take(dialect, source, starts, record)
    finished = [_finish(dialect, starts, index) for index in range(len(starts))]
    first = next((start for start in starts if start.first_own), None)
    named = [first.collector.origin(first.first_own, 0, "recognition")] if first and first.first_own else []
    return reading_of(source, dialect.name, finished, named=named)


def _take(dialect: Dialect, source: Source, starts: list[PlainStart], record: Record) -> None:
    life = [match for match in dialect.life.matches(record.message) if isinstance(match, Match)]
    facts = [match for match in dialect.facts.matches(record.message) if isinstance(match, Match)]
    opener = any(match.row.name == "opener" for match in life)
    if not starts and not (record.own or opener):
        return
    if not starts or (opener and (starts[-1].opened or starts[-1].ready)):
        starts.append(PlainStart(source, Collector(source, dialect.name), record.number))
    start = starts[-1]
    _join(start, record, opener)
    for match in life:
        _live(start, record, match)
    for match in facts:
        _feed(dialect, start, record, match)
    for notice in dialect.notices.matches(record.message):
        if isinstance(notice, Match):
            note(start.collector, record, notice, set(), frozenset())


def _join(start: PlainStart, record: Record, opener: bool) -> None:
    start.opened = start.opened or opener
    start.last_line = max(start.last_line, record.number)
    if record.own:
        start.first_own = start.first_own or record
        if record.level in ("DEBUG", "INFO", "WARNING"):
            start.last_own = record.number


def _live(start: PlainStart, record: Record, match: Match) -> None:
    name = match.row.name
    if name == "ready":
        start.ready = start.ready or record
    elif name == "stopped":
        start.stopped = start.stopped or record
    elif name in ("failed", "exception"):
        if start.stopped is None and len(start.errors) < _MOST_ERRORS:
            start.errors.append(record)
        if name == "failed" and start.stopped is None:
            start.failed = start.failed or record
    else:
        start.keep(name, match, record)


def _feed(dialect: Dialect, start: PlainStart, record: Record, match: Match) -> None:
    for name, value in match.values.items():
        origin = start.collector.origin(record, match.start, match.row.name)
        weight = dialect.weights.get(match.row.name, 0)
        start.collector.add(name, value, match.row.stage, [origin], pick=match.row.pick, weight=weight)


def _finish(dialect: Dialect, starts: list[PlainStart], index: int) -> Start:
    start = starts[index]
    last = starts[index + 1].first_line - 1 if index + 1 < len(starts) else start.source.lines
    ready, text, cause = start.outcome()
    dialect.settle(start)
    collector = start.collector
    if ready is not None:
        record = start.ready if ready else cause
        collector.add("engine.ready", ready, "observed", [collector.origin(record, 0, "lifecycle")] if record else [])
    shown = start.source.redactor.mask(cause.message[:300].strip()) if cause else None
    if cause is not None and shown:
        collector.add("engine.failure", shown, "observed", [collector.origin(cause, 0, "lifecycle")])
    return Start(
        first_line=start.first_line,
        last_line=max(start.last_line, last),
        outcome=text,
        cause=shown,
        ready=ready,
        facts=collector.facts(),
    )


class PlainLog:
    """The `Parser` protocol for an engine whose log is plain; a subclass names its dialect and the hints that feed no row."""

    kind = "engine-log"
    dialect: Dialect
    name: str
    hints: tuple[bytes, ...]
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """Confidence by content: a line that only this engine's loggers write."""
        return recognises(self.dialect, source)

    def read(self, source: Source) -> Reading:
        """Facts per start and notes."""
        return read(self.dialect, source)
