"""What became of a start: ready, ready then died, failed, stopped, or unknown; and the first root cause.

Room: lifecycle markers in, verdict out. Noise after a deliberate stop is no failure (SGLang kills its own children with SIGQUIT
then); a log that just ends proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.outcome import Outcome
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.tables import Match

_DELIBERATE = frozenset({0, -15, -2, 15, 143})
"""Exit codes of a child that somebody stopped."""

_WRAPPERS = ("scheduler is dead", "EOFError", "Broken pipe", "died unexpectedly", "Initialization failed")
"""Exceptions that only report another one."""

_MOST = 200


@dataclass(slots=True)
class Life:
    """The lifecycle markers of one start, in order."""

    ready: Record | None = None
    failed_at: Record | None = None
    stopped_at: Record | None = None
    errors: list[Record] = field(default_factory=list)
    uncaught: Record | None = None
    last_own_record: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing more is to come of this start."""
        return self.failed_at is not None or self.stopped_at is not None

    def read(self, record: Record, match: Match) -> None:
        """Take one lifecycle marker in."""
        name = match.row.name
        if name == "ready":
            self.ready = self.ready or record
        elif name == "stopped" or (name == "subprocess-exit" and int(match.groups["code"]) in _DELIBERATE):
            self.stopped_at = self.stopped_at or (None if self.failed_at else record)
        elif name in ("subprocess-exit", "child-failed", "scheduler-died", "warmup-failed", "watchdog"):
            self._failed(record)
        elif name in ("argument-error", "native-crash"):
            self._failed(record)
            self._error(record)
        elif name == "exception":
            self._error(record)

    def _failed(self, record: Record) -> None:
        if self.stopped_at is None:
            self.failed_at = self.failed_at or record

    def _error(self, record: Record) -> None:
        if self.stopped_at is None and len(self.errors) < _MOST:
            self.errors.append(record)
        if not record.stamped:
            self.uncaught = record

    def saw(self, record: Record) -> None:
        """Remember the last line of the engine's own logger."""
        if record.stamped:
            self.last_own_record = record.number

    def outcome(self) -> Outcome:
        """The verdict."""
        if self.ready is not None:
            if self.failed_at is not None and self.failed_at.number >= self.ready.number:
                record = self._cause(self.ready.number) or self.failed_at
                return Outcome(True, "ready, then died", _text(record), record, died=True)
            return Outcome(True, "ready")
        if self.failed_at is not None or self._ends_in_an_error():
            cause = self._cause(0) or self.failed_at or self.uncaught
            return Outcome(False, "failed before it was ready", _text(cause) if cause else None, cause)
        if self.stopped_at is not None:
            return Outcome(False, "stopped before it was ready")
        return Outcome(None, "unknown")

    def _ends_in_an_error(self) -> bool:
        """Whether the main process let an exception go and wrote nothing more."""
        return self.uncaught is not None and self.stopped_at is None and self.uncaught.number > self.last_own_record

    def _cause(self, after: int) -> Record | None:
        """The first root cause: the first exception behind the first sign of failure, else the last one before it."""
        errors = [error for error in self.errors if error.number >= after and not _is_wrapper(error.message)]
        if self.failed_at is None:
            return errors[-1] if errors else None
        behind = [error for error in errors if error.number >= self.failed_at.number]
        return behind[0] if behind else (errors[-1] if errors else None)


def _is_wrapper(message: str) -> bool:
    return any(words in message for words in _WRAPPERS)


def _text(record: Record) -> str:
    return record.message[:300].strip()
