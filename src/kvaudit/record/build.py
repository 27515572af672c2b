"""From paths to a record: scan, recognise, read, choose the start, infer, resolve.

Room: `record`, its entry point. One arm in, one record out; nothing here compares or judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kvaudit.errors import InputError, InputErrors, UsageError
from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import RUN_CLUE, Fact, Reading
from kvaudit.parsers.interface import Parser
from kvaudit.parsers.registry import all_hints, recognise, tried
from kvaudit.parsers.within import printed_beside, with_manager_lines
from kvaudit.patterns import LatePattern
from kvaudit.record.choosing import choose
from kvaudit.record.model import FieldState, Record, Sessions, SourceEntry
from kvaudit.record.resolve import resolve
from kvaudit.record.steps import settled
from kvaudit.record.table import FactTable
from kvaudit.redaction import Redactor
from kvaudit.shapes import checked
from kvaudit.sources.arm import Evidence, Found, collect
from kvaudit.sources.source import Source

LOG_NOT_READ = "looks like a log, but no parser knows it"
_LOG_LINE = LatePattern(r"(?m)^.{0,80}(?:\b(?:INFO|WARNING|WARN|ERROR)\b|\d\d:\d\d:\d\d)")
_LOG_LINES = 5


@dataclass(slots=True)
class Options:
    """How an arm is read. `session` is `serving` or a 1-based number."""

    session: str = "serving"
    local_checkpoint: bool = True


@dataclass(slots=True)
class _Read:
    """The readings of one arm with the sources they came from, and the entries for the record."""

    readings: list[tuple[Source, Reading]] = field(default_factory=list)
    entries: list[SourceEntry] = field(default_factory=list)
    errors: list[InputError] = field(default_factory=list)
    shared: list[Fact] = field(default_factory=list)
    """Facts of the checkpoint that was found because a log names it."""

    def servers(self) -> list[tuple[Source, Reading]]:
        """The engine logs of the arm: each is a server of its own."""
        return [(source, reading) for source, reading in self.readings if reading.kind == "engine-log" and reading.starts]


def read_arm(arguments: Sequence[str], redactor: Redactor, options: Options | None = None) -> Record:
    """The record of one arm. Raises `InputErrors` naming every piece of evidence that cannot be used."""
    options = options or Options()
    evidence = collect(arguments, all_hints(), redactor)
    read = _read(evidence)
    if not read.readings and not read.errors:
        read.errors.append(InputError(evidence.label, "no recognised evidence in it", tried()))
    if read.errors:
        raise InputErrors(read.errors)
    sessions, facts = _facts_of_start(read, options)
    if options.local_checkpoint and (extra := _local(read, facts, redactor)):
        facts += extra
        read.shared += extra
    return _record(evidence.label, read, sessions, facts, options)


def record_of_reading(source: Source, reading: Reading, label: str) -> Record:
    """The record of one saved document, settled again from its facts; nothing is looked up."""
    read = _Read(readings=[(source, reading)], entries=_recorded(source, reading))
    sessions, facts = _facts_of_start(read, Options())
    return _record(label, read, sessions, facts, Options())


def _read(evidence: Evidence) -> _Read:
    read = _Read(errors=list(evidence.errors))
    several: dict[str, bool] = {}
    for found in evidence.found:
        try:
            recognised = _read_one(found, read)
        except InputError as error:
            read.errors.append(error)
            recognised = True
        if found.document_of:
            several[found.document_of] = several.get(found.document_of, False) or recognised
    read.errors += [InputError(name, _why_not(None), tried()) for name, recognised in several.items() if not recognised]
    return read


def _read_one(found: Found, read: _Read) -> bool:
    """Whether the document was recognised and read, with the documents of another kind that stand in it."""
    source = found.source
    parser = recognise(source) if source else None
    if source is None or parser is None:
        if found.named:
            raise InputError(found.shown, _why_not(source), tried())
        notes = [found.why_ignored or _why_ignored(source)]
        read.entries.append(SourceEntry(path=found.shown, kind="ignored", notes=notes))
        return False
    reading = with_manager_lines(source, parser.read(source))
    read.readings.append((source, reading))
    read.entries += [_entry(source, parser, reading), *_recorded(source, reading)]
    if printed := printed_beside(source, reading):
        read.readings.append((source, printed))
        read.entries.append(_entry(source, parser, printed))
    for part in source.parts:
        inner = recognise(part)
        if inner is not None and inner.kind != parser.kind:
            beside = inner.read(part)
            read.readings.append((part, beside))
            read.entries.append(_entry(part, inner, beside))
    return True


def _why_not(source: Source | None) -> str:
    if source is not None and _looks_binary(source.head):
        return "the file is binary"
    return "not recognised as evidence: no engine log, checkpoint file, GPU snapshot, metrics dump or saved record"


def _why_ignored(source: Source | None) -> str:
    stamped = len(_LOG_LINE.findall(source.head)) if source else 0
    return LOG_NOT_READ if stamped >= _LOG_LINES else "not recognised"


def _looks_binary(head: str) -> bool:
    """Many bytes that are no text: NUL holes are already gone from the head, colours and carriage returns are text."""
    odd = sum(character == "\ufffd" or (character < " " and character not in "\t\n\r\x1b\x08\x0c") for character in head)
    return odd > len(head) // 10


def _entry(source: Source, parser: Parser, reading: Reading) -> SourceEntry:
    return SourceEntry(
        path=source.path,
        kind=reading.kind,
        engine=reading.engine,
        sha256=source.sha256 or None,
        bytes=source.size,
        lines=source.lines,
        wrapper=source.wrapper or reading.wrapper,
        notes=[*source.notes, *reading.notes],
        unparsed=reading.unparsed,
    )


def _recorded(source: Source, reading: Reading) -> list[SourceEntry]:
    """What a saved record was made of, listed after it: a record of a snapshot alone says no more than the snapshot."""
    if not reading.recorded:
        return []
    from pydantic import ValidationError

    try:
        return checked(list[SourceEntry], reading.recorded)
    except ValidationError as error:
        raise InputError(source.path, f"a damaged record: {str(error).splitlines()[0]}") from error


def _facts_of_start(read: _Read, options: Options) -> tuple[Sessions, list[Fact]]:
    """The facts of the chosen start of each log and of every other document; sessions are those of the first log."""
    sessions, facts = Sessions(), []
    for source, reading in read.readings:
        serving = _serving(read, source, reading)
        of_this, index = (Sessions(), None) if reading.kind == "record" else choose(reading, options.session, serving)
        if reading.kind == "record" and reading.starts:
            of_this = _saved_sessions(reading, options)
        if of_this.count and not sessions.count:
            sessions = of_this
        facts += reading.facts
        if index is not None:
            facts += reading.starts[index].facts
    return sessions, facts


def _serving(read: _Read, source: Source, reading: Reading) -> int | None:
    """The start of a log during which the arm's benchmark ran, with a note on the log that says so."""
    if reading.kind != "engine-log" or len(reading.starts) < 2:
        return None
    runs = [one for _, other in read.readings for one in other.facts if one.field == RUN_CLUE]
    if not runs:
        return None
    from kvaudit.record.window import serving_start

    index = serving_start(source, reading, runs)
    if index is not None:
        note = f"start {index + 1} served when the benchmark ran, by the date in its results"
        _note(read, {source.path: [note]})
    return index


def _saved_sessions(reading: Reading, options: Options) -> Sessions:
    selected = reading.selected or len(reading.starts)
    if options.session not in ("serving", str(selected)):
        raise UsageError(f"--session {options.session}: the saved record is of start {selected}; record the log again")
    chosen = reading.starts[selected - 1] if selected <= len(reading.starts) else reading.starts[-1]
    return Sessions(count=len(reading.starts), selected=selected, ready=chosen.ready, starts=reading.starts)


def _local(read: _Read, facts: list[Fact], redactor: Redactor) -> list[Fact]:
    """Facts of the checkpoint that the log names, where no checkpoint was given and it is on this machine."""
    if any(reading.kind in ("checkpoint", "record") for _, reading in read.readings):
        return []
    log = next((source for source, reading in read.readings if reading.engine), None)
    model = resolve("model.path", [one for one in facts if one.field == "model.path"]).value
    revision = resolve("model.revision", [one for one in facts if one.field == "model.revision"]).value
    if log is None or not isinstance(model, str):
        return []
    from kvaudit.record.local_checkpoint import find_checkpoint

    paths = find_checkpoint(model, revision, log.folder)
    if not paths:
        return []
    local = _read(collect([str(path) for path in paths], all_hints(), redactor))
    for entry in local.entries:
        entry.notes.append("found on this machine, because the log names it")
    read.entries += local.entries
    return [one for _, reading in local.readings for one in reading.facts]


def _record(label: str, read: _Read, sessions: Sessions, facts: list[Fact], options: Options) -> Record:
    servers = read.servers()
    table = _settled(read, facts) if len(servers) < 2 else _of_servers(read, servers, options)
    names = [name for name in FIELDS if name in table.fields or name in table.settled or FIELDS[name].settles]
    fields: dict[str, FieldState] = {name: table.state(name) for name in names}
    return Record(label=label, sources=read.entries, sessions=sessions, fields=fields, clues=table.clues)


def _of_servers(read: _Read, servers: list[tuple[Source, Reading]], options: Options) -> FactTable:
    """Each server settled with the evidence that is of no server, then joined."""
    from kvaudit.record.servers import join, names_of

    logs = [source.path for source, _ in servers]
    beside = [
        one for source, reading in read.readings if _is_beside(source, reading, logs) for one in reading.facts
    ] + read.shared
    tables = {}
    for name, (source, reading) in zip(names_of(logs), servers, strict=True):
        _, index = choose(reading, options.session, _serving(read, source, reading))
        own = reading.starts[index].facts if index is not None else []
        tables[name] = _settled(read, [*reading.facts, *own, *beside], several=True)
    return join(tables)


def _is_beside(source: Source, reading: Reading, logs: list[str]) -> bool:
    """Whether a reading is of no server: another file, or the table of a client in a server's log."""
    return source.path not in logs or reading.kind == "results"


def _settled(read: _Read, facts: list[Fact], *, several: bool = False) -> FactTable:
    saved = any(reading.kind == "record" for _, reading in read.readings)
    table, notes = settled(facts, several=several, states=not saved or len(read.readings) > 1)
    _note(read, notes)
    return table


def _note(read: _Read, notes: dict[str, list[str]]) -> None:
    """Notes by file, on the entries of their files."""
    for entry in read.entries:
        entry.notes += [note for note in notes.get(entry.path, []) if note not in entry.notes]
