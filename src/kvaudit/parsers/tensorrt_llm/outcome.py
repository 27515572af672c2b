"""What became of a start: ready, ready then died, failed, or unknown; and the first root cause.

Room: lifecycle markers in, verdict out. Errors of single requests are no death; a log that just ends proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.outcome import Outcome, failure_class
from kvaudit.parsers.tables import Match
from kvaudit.parsers.tensorrt_llm.messages import Record

_WRAPPERS = (
    "Executor worker",
    "Traceback (most recent call last)",
    "MpiSession",
    "cancelled",
    "Cancelled",
    "Broken pipe",
    "Event loop is closed",
)
"""Messages that only report another error."""

_CLASSES = (
    ("out of memory", "out of memory"),
    ("OutOfMemory", "out of memory"),
    ("insufficient GPU memory", "out of memory"),
    ("ddress already in use", "address in use"),
    ("validation error", "bad arguments"),
    ("CUDA runtime error", "CUDA error"),
    ("CUDA error", "CUDA error"),
    ("Segmentation fault", "segmentation fault"),
)
_MOST_ERRORS = 200


@dataclass(slots=True)
class Life:
    """The lifecycle markers of one start, in order."""

    ready: Record | None = None
    failed_at: Record | None = None
    died_at: Record | None = None
    stopped_at: Record | None = None
    finished: bool = False
    errors: list[Record] = field(default_factory=list)
    uncaught: Record | None = None
    last_own_record: int = 0

    @property
    def over(self) -> bool:
        """Whether the start has ended: it failed, died, or its server finished."""
        return self.finished or self.died_at is not None or (self.ready is None and (self.failed_at is not None or self._crashed))

    @property
    def _crashed(self) -> bool:
        """Whether an exception was the last word of the process."""
        return self.uncaught is not None and self.uncaught.number > self.last_own_record

    def read(self, record: Record, match: Match) -> None:
        """Take one lifecycle marker in."""
        name = match.row.name
        if name in ("ready", "results") or (name == "prompts-processed" and int(match.groups["percent"]) > 0):
            self.ready = self.ready or record
        elif name in ("shutdown", "finished"):
            self.stopped_at = self.stopped_at or record
            self.finished = self.finished or name == "finished"
        elif name in ("failed", "failed-wrapper", "died"):
            self._trouble(name, record)
        elif name in ("exception", "forward-error"):
            self._error(record)

    def _trouble(self, name: str, record: Record) -> None:
        if self.stopped_at is not None:
            return
        if name == "failed":
            self._error(record)
        if self.ready is None:
            self.failed_at = self.failed_at or record
        elif name == "died":
            self.died_at = self.died_at or record

    def _error(self, record: Record) -> None:
        if len(self.errors) < _MOST_ERRORS and self.stopped_at is None:
            self.errors.append(record)
        if not record.stamped:
            self.uncaught = record

    def saw(self, record: Record) -> None:
        """Remember the last line of the engine's own loggers that is no error."""
        if record.stamped and record.level in ("INFO", "DEBUG", "WARNING"):
            self.last_own_record = record.number

    def outcome(self) -> Outcome:
        """The verdict."""
        if self.ready is not None:
            if self.died_at is None:
                return Outcome(True, "ready")
            death = self._cause(self.ready.number, last=True) or self.died_at
            return Outcome(True, "ready, then died", text_of(death), death, died=True)
        if self.failed_at is None and not (self._crashed and self.stopped_at is None):
            return Outcome(None, "unknown")
        cause = self._cause(0, last=False) or self.failed_at or self.uncaught
        text = text_of(cause) if cause else ""
        return Outcome(False, f"failed: {failure_class(text, _CLASSES)}", text or None, cause)

    def _cause(self, after: int, *, last: bool) -> Record | None:
        """The first error that is no mere wrapper; of a server that died the last one before its death."""
        usable = [error for error in self.errors if error.number > after and not is_wrapper(error.message)]
        if last and self.died_at is not None:
            before = [error for error in usable if error.number <= self.died_at.number]
            return before[-1] if before else None
        return usable[0] if usable else None


def is_wrapper(message: str) -> bool:
    """Whether a message only reports another error."""
    return any(words in message for words in _WRAPPERS)


def text_of(record: Record) -> str:
    """The cause as it is shown: without the words in front of it."""
    for words in ("Failed to initialize executor on rank ", "Encountered an error in forward function: "):
        if record.message.startswith(words):
            rest = record.message[len(words) :]
            return (rest.partition(": ")[2] if words.endswith("rank ") else rest)[:300].strip()
    return record.message[:300].strip()
