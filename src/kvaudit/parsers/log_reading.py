"""What reading a log record by record has in common: pieces of a line, rows that count, notices, verdicts, the reading.

Room: `parsers`, shared by the engines' log parsers. No engine's words stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from kvaudit.parsers.collector import Collector, Placed
from kvaudit.parsers.facts import Origin, Reading, Start, Unparsed
from kvaudit.parsers.outcome import Outcome
from kvaudit.parsers.tables import Match, Row, fact
from kvaudit.parsers.tested import newer_notes
from kvaudit.sources.lines import Line, hit_lines, without_colours
from kvaudit.sources.source import Source

_MOST_UNPARSED = 20
_LONGEST = 300
_T = TypeVar("_T")


class Spoken(Placed, Protocol):
    """A log record: its place, its message, and whether it carries the engine's stamp."""

    @property
    def message(self) -> str:
        """The message without its stamp."""

    @property
    def stamped(self) -> bool:
        """Whether the engine's own logger wrote it."""


class Sieve:
    """Keeps what matched. A line whose hint one of the `loud` rows has and whose pattern fails is kept as unparsed, and shown."""

    def __init__(self, source: Source, loud: frozenset[str]) -> None:
        self._source = source
        self._loud = loud
        self.unparsed: list[Unparsed] = []

    def matches(self, found: Iterable[Match | Row], record: Spoken) -> list[Match]:
        """The matches among the rows that a table found in a record."""
        kept = []
        for item in found:
            if isinstance(item, Match):
                kept.append(item)
            elif item.name in self._loud and record.stamped and len(self.unparsed) < _MOST_UNPARSED:
                excerpt = self._source.excerpt(record.line, record.position)
                self.unparsed.append(Unparsed(line=record.number, excerpt=excerpt))
        return kept


def note(collector: Collector, record: Spoken, match: Match, seen: set[str], once: frozenset[str]) -> None:
    """Take one of the engine's own warnings in: its code for rules, its words for people.

    `seen` holds the codes already noted for this start; codes in `once` have texts that differ only in numbers, so that the first
    line speaks for all.
    """
    code = match.row.name
    if code in seen and code in once:
        return
    seen.add(code)
    text = collector.source.redactor.mask(record.message.strip())[:_LONGEST]
    collector.note(code, text, [collector.origin(record, match.start, code)])


def add_outcome(collector: Collector, outcome: Outcome, ready: Placed | None, stopped: Placed | None = None) -> None:
    """The facts of a verdict: readiness with its line, the first root cause, and the notice of an engine that died serving."""
    if outcome.ready is not None:
        record = ready if outcome.ready else (outcome.record or stopped)
        origins = [collector.origin(record, 0, "lifecycle")] if record else []
        collector.add("engine.ready", outcome.ready, "observed", origins)
    if outcome.record is None or not outcome.cause:
        return
    origin = collector.origin(outcome.record, 0, "lifecycle")
    cause = collector.source.redactor.mask(outcome.cause)
    collector.add("engine.failure", cause, "observed", [origin])
    if outcome.died:
        collector.note("died-while-serving", cause[:_LONGEST], [origin])


def segments(text: str) -> Iterator[tuple[str, int]]:
    """The pieces of a line between carriage returns that say something, each with its offset: progress bars hide lines."""
    offset = 0
    for segment in text.split("\r"):
        if segment.strip():
            yield segment, offset
        offset += len(segment) + 1


def all_records(source: Source, records: Callable[[Line], Iterator[_T]]) -> Iterator[_T]:
    """The records of every line that held a hint."""
    for line in hit_lines(source):
        yield from records(line)


def last_lines(first_lines: Sequence[int], lines: int) -> Iterator[int]:
    """The last line of each start: the one before the next start, at the end that of the document."""
    yield from (following - 1 for following in first_lines[1:])
    yield lines


def reading_of(
    source: Source,
    engine: str,
    starts: list[Start],
    *,
    named: list[Origin],
    begins: Sequence[Origin] = (),
    unparsed: list[Unparsed] | None = None,
    notes: Iterable[str] = (),
) -> Reading:
    """The reading of a log: its starts (the whole document where none was told apart), and what holds for all of them."""
    starts = starts or [Start(first_line=1, last_line=max(1, source.lines))]
    newer = newer_notes(engine, (one for start in starts for one in start.facts))
    facts = [fact("engine.name", engine, "observed", named), fact("engine.starts", len(starts), "observed", list(begins))]
    return Reading(kind="engine-log", engine=engine, starts=starts, facts=facts, unparsed=unparsed or [], notes=[*notes, *newer])


def first_records(
    source: Source, records: Callable[[Line], Iterator[_T]], most_lines: int, marks: tuple[str, ...] = ("",)
) -> Iterator[_T]:
    """The records of the first lines that held a hint, for recognition.

    One of the literal `marks` stands in every line that can tell: other lines are not even taken apart.
    """
    for count, line in enumerate(hit_lines(source)):
        if count > most_lines:
            return
        if any(mark in line.text for mark in marks):
            yield from records(line)


def share_of_own_lines(source: Source, pattern: Any) -> float:
    """The share of the head's lines that an engine's own logger wrote, by their stamp."""
    lines = [line for line in without_colours(source.head).split("\n") if line.strip()]
    return sum(1 for line in lines if pattern.search(line)) / len(lines) if lines else 0.0
