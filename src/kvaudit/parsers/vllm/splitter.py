"""Which start a record belongs to: several starts in one file, several processes in one start, two writers in one file.

Room: openers (banner, arguments, engine line), process ids and their order. Facts of two starts never mix; API servers,
data-parallel engines and workers of one start must not count as starts.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.vllm.following import Document
from kvaudit.parsers.vllm.messages import Record
from kvaudit.parsers.vllm.processes import Process
from kvaudit.parsers.vllm.start import StartBuilder
from kvaudit.sources.source import Source

MOST_STARTS = 10_000
"""A restart loop beyond this is told in a note; its later starts are read as one."""

_ERRORS = ("ERROR", "CRITICAL")
_COMPLAINTS = ("Traceback", "Error: ", "Exception: ")


class Splitter:
    """Assigns records to starts in file order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.document = Document(source)
        self.starts: list[StartBuilder] = []
        self._owner: dict[int, StartBuilder] = {}

    def assign(self, record: Record, opener: str | None) -> StartBuilder:
        """The start of a record. `opener` is `banner`, `arguments`, `engine`, `argument-error`, `prelude` or None."""
        start = self._start_of(record, opener)
        start.join(record)
        if opener and opener != "prelude":
            start.open(opener, record)
        if record.process is not None:
            self._owner[record.process.pid] = start
        return start

    def _start_of(self, record: Record, opener: str | None) -> StartBuilder:
        if not self.starts:
            return self._open(record)
        if opener and not (opener == "prelude" and record.process is not None):
            current = self._candidate(record, opener)
            if _begins(current, record, opener):
                return self._open(record)
            return current
        process = record.process
        if process is None:
            return self.starts[-1]
        return self._owner.get(process.pid) or self._of_new_process(record, process)

    def _candidate(self, record: Record, opener: str) -> StartBuilder:
        """The start that an opener may belong to: its process's, else the latest."""
        if record.process is not None and record.process.pid in self._owner:
            return self._owner[record.process.pid]
        if record.process is not None:
            return self._of_new_process(record, record.process, opener)
        return self.starts[-1]

    def _of_new_process(self, record: Record, process: Process, opener: str | None = None) -> StartBuilder:
        complains = record.level in _ERRORS or (not record.stamped and any(word in record.message for word in _COMPLAINTS))
        fits = [start for start in self.starts[-4:] if not _is_taken(start, process) and (complains or not start.life.over)]
        if not fits:
            return self.starts[-1] if complains else self._open(record)
        rivals = _rivals(fits)
        if complains or process.is_frontend or len(rivals) == 1:
            return fits[-1]
        if opener == "engine":
            rivals = [start for start in rivals if start.may_have_asked_for(record.message)]
        if len(rivals) > 1:
            rivals = [start for start in rivals if start.may_be_parent_of(process)]
        return rivals[0] if len(rivals) == 1 else self._open(record)

    def _open(self, record: Record) -> StartBuilder:
        if len(self.starts) >= MOST_STARTS:
            return self.starts[-1]
        previous = self._owner.get(record.process.pid) if record.process else (self.starts[-1] if self.starts else None)
        if previous is not None:
            self._owner = {pid: start for pid, start in self._owner.items() if start is not previous}
        start = StartBuilder(Collector(self.source, "vllm"), self.document, first_line=record.number, last_line=record.number)
        self.starts.append(start)
        return start


def _is_taken(start: StartBuilder, process: Process) -> bool:
    """Whether the start has another process of a name that it can have only once."""
    return process.is_unique and start.names.get(process.name, process.pid) != process.pid


def _rivals(fits: list[StartBuilder]) -> list[StartBuilder]:
    """Of the starts a new process may belong to: the newest, and those that went on loading beside it."""
    newest = fits[-1]
    if newest.life.ready is not None:
        return [newest]
    older = [start for start in fits[:-1] if start.life.ready is None and start.last_line > newest.first_line]
    return [*older, newest]


def _begins(start: StartBuilder, record: Record, opener: str) -> bool:
    """Whether an opener begins a new start rather than going on with `start`."""
    if opener == "argument-error":
        return bool(start.openers) or start.has_content
    if start.openers.get(opener) == record.time + record.message and not start.went_on(opener):
        return False
    name = record.process.name if record.process else ""
    if opener == "prelude":
        return start.life.over and record.process is None
    if name.startswith("ApiServer_"):
        return False
    if opener == "banner":
        return bool(start.openers) or start.has_content
    if opener == "arguments":
        return "arguments" in start.openers or start.has_content
    if record.process is not None and record.process.is_engine and name not in start.engine_names and not start.life.failed:
        return bool(start.engine_names) and not (record.process.scope or "").startswith("DP")
    return "engine" in start.openers or start.has_engine_content
