"""Which record belongs to which start of a llama.cpp log.

Room: restarts in one file, and a router with the servers it spawned. A start begins with its build or verbosity line, with the
model it is told to load, or with a loader line after the previous start is over; programs that hold the library in process load
one model after another. A router passes on the lines of its children behind `[port]`: each child has its own starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.llama_cpp import command
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.start import Found, StartBuilder
from kvaudit.sources.source import Source

_OPENERS = ("initializing", "build", "build-info", "verbosity", "argument-error")
_PRELUDES = frozenset({"parallel-auto", "devices-found"})
_MOST_WORDS = 500


@dataclass(slots=True)
class _Spawn:
    """The command line with which a router starts a child."""

    record: Record
    words: list[str] = field(default_factory=list)


class Splitter:
    """The starts of one source, in order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._starts: list[tuple[str, StartBuilder]] = []
        self._current: dict[str, StartBuilder] = {}
        self._opened: dict[str, set[str]] = {}
        self._spawns: dict[str, _Spawn] = {}
        self._last_spawn: _Spawn | None = None

    def assign(self, record: Record, found: Found) -> StartBuilder:
        """The start a record belongs to; a new one where it begins one."""
        names, child = found.names, record.child
        self._spawned(record, found)
        current = self._current.get(child)
        if current is None or _begins(current, names, self._opened[child]):
            current = self._open(record)
        self._opened[child] |= names
        return current

    def _open(self, record: Record) -> StartBuilder:
        start = StartBuilder(Collector(self.source, "llama_cpp"), first_line=record.number)
        self._starts.append((record.child, start))
        self._current[record.child] = start
        self._opened[record.child] = set()
        if spawn := self._spawns.get(record.child):
            start.command = (command.flags_of_words(spawn.words), spawn.record)
        return start

    def _spawned(self, record: Record, found: Found) -> None:
        for match in found.process:
            if match.row.name == "spawn":
                self._last_spawn = _Spawn(record)
                self._spawns[match.groups["port"]] = self._last_spawn
            elif match.row.name == "spawn-argument" and self._last_spawn and len(self._last_spawn.words) < _MOST_WORDS:
                self._last_spawn.words.append(match.groups["word"].strip())

    def finish(self) -> list[tuple[StartBuilder, int]]:
        """The starts with their last lines; a router that loads no model itself is no start beside its children."""
        served = [(child, start) for child, start in self._starts if child or not start.is_router] or self._starts
        last: dict[str, int] = {}
        ends = []
        for child, start in reversed(served):
            ends.append(last.get(child, self.source.lines))
            last[child] = start.first_line - 1
        return [(start, end) for (_, start), end in zip(served, reversed(ends), strict=True)]


def _again(start: StartBuilder) -> bool:
    """Whether a program without a server loads another model after it made a context of the last one."""
    if "loading-model" in start.process.seen or start.draft_next or not start.loads:
        return False
    last = start.loads[-1]
    return last.counts and any(context.holds_cache for context in last.contexts)


def _begins(start: StartBuilder, names: set[str], opened: set[str]) -> bool:
    """Whether a record with these rows begins another start of the same process or child."""
    done = start.life.over or start.life.ready is not None
    if opener := next((name for name in _OPENERS if name in names), None):
        return opener in opened or start.loading or start.life.over
    if "loading-model" in names:
        return "loading-model" in opened and done
    if "loader" in names:
        return start.life.over or (done and not start.draft_next) or _again(start)
    return bool(names & _PRELUDES) and start.life.over
