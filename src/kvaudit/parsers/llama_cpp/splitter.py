"""Which record belongs to which start of a llama.cpp log.

Room: restarts in one file. A start begins with its build or verbosity line, with the model it is told to load, or with a loader
line after the previous start is over; programs that hold the library in process load one model after another.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.start import Found, StartBuilder
from kvaudit.sources.source import Source

_OPENERS = ("initializing", "build", "build-info", "verbosity", "argument-error")
_PRELUDES = frozenset({"parallel-auto", "devices-found"})


class Splitter:
    """The starts of one source, in order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.starts: list[StartBuilder] = []
        self._opened: set[str] = set()

    def assign(self, record: Record, found: Found) -> StartBuilder:
        """The start a record belongs to; a new one where it begins one."""
        names = found.names
        if not self.starts or self._begins(self.starts[-1], found, names):
            self.starts.append(StartBuilder(Collector(self.source, "llama_cpp"), first_line=record.number))
            self._opened = set()
        self._opened |= names
        return self.starts[-1]

    def _begins(self, start: StartBuilder, found: Found, names: set[str]) -> bool:
        done = start.life.over or start.life.ready is not None
        if opener := next((name for name in _OPENERS if name in names), None):
            return opener in self._opened or start.loading or start.life.over
        if "loading-model" in names:
            return "loading-model" in self._opened and done
        if "loader" in names:
            return start.life.over or (done and not start.draft_next) or _again(start, found)
        return bool(names & _PRELUDES) and start.life.over


def _again(start: StartBuilder, found: Found) -> bool:
    """Whether a program without a server loads another model after it made a context of the last one."""
    if "loading-model" in start.process.seen or start.draft_next or not start.loads:
        return False
    last = start.loads[-1]
    return last.counts and any(context.holds_cache for context in last.contexts)
