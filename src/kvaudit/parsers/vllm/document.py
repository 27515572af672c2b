"""A whole vLLM log: hit lines to records, records to starts, starts to facts.

Room: `parsers.vllm`, loaded when a log of this engine is read; every step has its own module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kvaudit.parsers.facts import Origin, Reading
from kvaudit.parsers.log_reading import Sieve, all_records, last_lines, note, reading_of
from kvaudit.parsers.tables import Match
from kvaudit.parsers.vllm import arguments, engine_line, rows, statistics
from kvaudit.parsers.vllm.messages import Record, records
from kvaudit.parsers.vllm.readiness import accepts_startup_complete
from kvaudit.parsers.vllm.splitter import MOST_STARTS, Splitter
from kvaudit.parsers.vllm.start import StartBuilder
from kvaudit.sources.source import Source

_OPENERS = {
    "api-version": "banner",
    "server-version": "banner",
    "logo-version": "banner",
    "batch-version": "banner",
    "arguments": "arguments",
    "namespace": "arguments",
    "engine-line": "engine",
    "argument-error": "argument-error",
    **dict.fromkeys(
        (
            "platform",
            "platform-plugin",
            "architecture",
            "max-model-len",
            "batched-tokens",
            "dtype-cast",
            "kv-dtype-notice",
            "async-scheduling",
            "unknown-environment-variable",
            "slower-quantization-kernel",
        ),
        "prelude",
    ),
}
_MOST_STARTS_SHOWN = 20


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
        terminated = source.data is None or source.data.endswith(b"\n")
        self.cut_line = 0 if terminated else source.lines

    def read(self) -> Reading:
        for record in all_records(self.source, records):
            self._take(record)
        starts = self.splitter.starts
        ends = last_lines([start.first_line for start in starts], self.source.lines)
        finished = [
            start.finish(end, is_last=start is starts[-1], sampled=self.source.sampled)
            for start, end in zip(starts, ends, strict=False)
        ]
        begins = [start.collector.origin(start.first, 0, "start") for start in starts[:_MOST_STARTS_SHOWN] if start.first]
        return reading_of(
            self.source,
            "vllm",
            finished,
            named=self._origin_of_name(),
            begins=begins,
            unparsed=self.sieve.unparsed,
            notes=self._notes(starts),
        )

    def _take(self, record: Record) -> None:
        if statistics.is_statistics(record):
            start = self.splitter.assign(record, None)
            if start.statistics.read(record):
                start.life.ready = start.life.ready or record
            return
        record = self._mended(record)
        facts = self._facts(record)
        lifecycle = self.sieve.matches(rows.LIFECYCLE.matches(record.message), record)
        noted = [match for match in rows.NOTICES.matches(record.message) if isinstance(match, Match)]
        opener = next((_OPENERS[match.row.name] for match in (*lifecycle, *facts, *noted) if match.row.name in _OPENERS), None)
        platform = record.source_name.encode() + b":" in rows.PLATFORM_HINTS
        if not (facts or lifecycle or noted or platform):
            return
        if not self.splitter.starts and not (record.stamped or record.process or opener or _may_begin((*facts, *lifecycle))):
            return
        start = self.splitter.assign(record, opener)
        start.life.saw(record)
        start.dummy_expected = start.dummy_expected or any(match.row.name == "config-not-set" for match in facts)
        for match in lifecycle:
            self._lifecycle(start, record, match)
        start.read_facts(record, facts)
        for match in noted:
            note(start.collector, record, match, start.noted, rows.ONCE)

    def _mended(self, record: Record) -> Record:
        """An engine line that was cut into lines before its configuration begins, joined again."""
        message = record.message
        if not message.startswith("Initializing a") or "LLM engine" not in message or "with config: " in message:
            return record
        return replace(record, message=self._joined(record, message, _is_whole_engine_line))

    def _facts(self, record: Record) -> list[Match]:
        """Matched rows that feed facts. On a last line that is not terminated, what touches its end may be cut: left out."""
        found = self.sieve.matches(rows.FACTS.matches(record.message), record)
        if not found or record.number != self.cut_line:
            return found
        longer = {match.row: match.values for match in rows.FACTS.matches(f"{record.message}9x") if isinstance(match, Match)}
        return [match for match in found if longer.get(match.row) == match.values]

    def _lifecycle(self, start: StartBuilder, record: Record, match: Match) -> None:
        name = match.row.name
        if name in ("arguments", "namespace"):
            self._arguments(start, record, match)
        elif name == "engine-line":
            start.engine_names.add(record.process.name if record.process else "")
            if start.engine is None:
                self._engine_line(start, record, match)
        elif name == "crash-dump":
            if start.engine is None:
                self._engine_line(start, record, match)
        elif name == "startup-complete":
            if accepts_startup_complete(start, record):
                start.life.ready = start.life.ready or record
        else:
            start.life.read(record, match)

    def _arguments(self, start: StartBuilder, record: Record, match: Match) -> None:
        if start.arguments is not None:
            return
        only_typed, body = match.row.name == "arguments", match.groups["body"]
        found = arguments.parse(body, only_typed)
        if not found.whole:
            joined = self._joined(record, body, lambda text: arguments.parse(text, only_typed).whole)
            found = arguments.parse(joined, only_typed)
        start.arguments = found
        start.mark("arguments", record)

    def _engine_line(self, start: StartBuilder, record: Record, match: Match) -> None:
        core, version, body = match.groups.get("core"), match.groups.get("version"), match.groups["body"]
        line = engine_line.parse(core, version, body)
        if not line.whole:
            joined = self._joined(record, body, lambda text: engine_line.parse(core, version, text).whole)
            line = engine_line.parse(core, version, joined)
        start.engine = line
        start.mark("engine", record)

    def _joined(self, record: Record, body: str, is_whole: Callable[[str], bool]) -> str:
        joined, count = self.splitter.document.continued(record.number, body, is_whole)
        if count:
            self.joined.append(f"line {record.number} was read together with the {count} lines that continue it")
        return joined

    def _origin_of_name(self) -> list[Origin]:
        for start in self.splitter.starts:
            if start.reached:
                record = next(iter(start.reached.values()))
                return [start.collector.origin(record, 0, "recognition")]
        return []

    def _notes(self, starts: list[StartBuilder]) -> list[str]:
        notes = [*self.joined]
        if len(starts) >= MOST_STARTS:
            notes.append(f"more than {MOST_STARTS} starts; the later ones were read as one")
        return notes


def _may_begin(matches: tuple[Match, ...]) -> bool:
    """Lines of a script around the engine that may stand before its first own line: its version, its progress bar."""
    return any(match.row.name in ("stated-version", "prompts-processed") for match in matches)


def _is_whole_engine_line(text: str) -> bool:
    return engine_line.parse(None, None, text.partition("with config: ")[2]).whole and "with config: " in text
