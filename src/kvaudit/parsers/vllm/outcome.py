"""What became of a start: ready, ready then died, failed, or unknown; and the first root cause.

Room: lifecycle markers in, verdict out. Errors of single requests and noise after a deliberate stop are no failures; a log
that just ends proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.outcome import Outcome, failure_class
from kvaudit.parsers.tables import Match
from kvaudit.parsers.vllm.messages import Record

_WRAPPERS = (
    "Engine core initialization failed",
    "Engine process failed to start",
    "WorkerProc initialization failed",
    "EngineCore encountered an issue",
    "Background loop",
    "Executor failed",
    "Engine loop",
    "cancelled",
    "Worker failed with error",
    "EngineDeadError",
    "Broken pipe",
)
"""Messages of exceptions that only report another one."""

CLASSES = (
    ("out of memory", "out of memory"),
    ("OutOfMemory", "out of memory"),
    ("GiB KV cache is needed", "not enough KV memory"),
    ("No available memory for the cache blocks", "not enough KV memory"),
    ("larger than the maximum number of tokens that can be stored", "not enough KV memory"),
    ("Free memory on device", "not enough free memory"),
    ("Available memory on node", "not enough free memory"),
    ("Error in memory profiling", "memory changed while profiling"),
    ("ddress already in use", "address in use"),
    ("unrecognized arguments", "bad arguments"),
    ("error: ", "bad arguments"),
    ("max_model_len", "context length refused"),
    ("FP8 KV cache", "FP8 KV cache not supported"),
    ("placement group", "no placement group"),
    ("CUDA error", "CUDA error"),
)
_BAD_REQUEST = ("Error in preprocessing prompt", "validation error for", "is longer than the maximum model length")


@dataclass(slots=True)
class Life:
    """The lifecycle markers of one start, in order."""

    ready: Record | None = None
    failed_at: Record | None = None
    died_at: Record | None = None
    stopped_at: Record | None = None
    server_starting: bool = False
    finished: bool = False
    server_pids: list[int] = field(default_factory=list)
    errors: list[Record] = field(default_factory=list)
    uncaught: Record | None = None
    traced: bool = False
    """Whether a traceback was printed: an exception line without one is a library's noise."""
    last_engine_record: int = 0

    @property
    def failed(self) -> bool:
        """Whether the start gave up before it was ready."""
        return self.failed_at is not None and self.ready is None

    @property
    def over(self) -> bool:
        """Whether the start has ended: it failed, its server shut down, or an exception was its last word."""
        last_word = self.uncaught is not None and self.uncaught.number > self.last_engine_record
        crashed = last_word and self.traced and self.ready is None
        return self.failed or self.finished or crashed

    def read(self, record: Record, match: Match) -> None:
        """Take one lifecycle marker in."""
        name = match.row.name
        if name == "server-starting":
            self.server_starting = True
        elif name == "server-process":
            self.server_pids.append(int(match.groups["pid"]))
        elif name == "prompts-processed" and int(match.groups["percent"]) > 0:
            self.ready = self.ready or record
        elif name in ("shutdown", "server-finished"):
            self.stopped_at = self.stopped_at or record
            self.finished = self.finished or name == "server-finished" or "shutdown complete" in record.message
        else:
            self._trouble(name, record)

    def _trouble(self, name: str, record: Record) -> None:
        self.traced = self.traced or name == "traceback"
        if name in ("engine-failed", "argument-error"):
            self.failed_at = self.failed_at or record
        if name in ("engine-died", "engine-dead") and not self._was_stopped(record):
            self.died_at = self.died_at or record
        if name in ("exception", "validation-error", "argument-error"):
            self._error(record)

    def _was_stopped(self, record: Record) -> bool:
        return self.stopped_at is not None and self.stopped_at.number <= record.number

    def _error(self, record: Record) -> None:
        if len(self.errors) < 200 and not self._was_stopped(record):
            self.errors.append(record)
        if not record.stamped:
            self.uncaught = record

    def saw(self, record: Record) -> None:
        """Remember the last line of the engine's own logger that is no error."""
        if record.stamped and record.level in ("INFO", "DEBUG"):
            self.last_engine_record = record.number

    def outcome(self, headless: bool, goes_on: bool) -> Outcome:
        """The verdict.

        `headless`: the start's own beginning is not in the log, so its serving may be missing too. `goes_on`: the log goes on
        behind the last uncaught exception, which was noise then.
        """
        if self.ready is not None:
            if self.died_at is not None and self.died_at.number > self.ready.number:
                cause = self._cause(self.ready.number)
                record = cause or self.died_at
                return Outcome(True, "ready, then died", record.message[:300].strip(), record, died=True)
            return Outcome(True, "ready")
        silent_since = self.uncaught is not None and self.uncaught.number > self.last_engine_record and not goes_on
        gave_up = self.failed_at is not None or (silent_since and self._fatal_uncaught())
        if not gave_up and (self.died_at is None or self.stopped_at is not None):
            return Outcome(None, "unknown")
        last = self._cause(0) or self.died_at or self.failed_at or self.uncaught
        text = last.message[:300].strip() if last else ""
        if headless and self.failed_at is None:
            return Outcome(None, f"died: {failure_class(text, CLASSES)}", text or None, last)
        return Outcome(False, f"failed: {failure_class(text, CLASSES)}", text or None, last)

    def _fatal_uncaught(self) -> bool:
        return self.stopped_at is None or (self.uncaught is not None and self.uncaught.number < self.stopped_at.number)

    def _cause(self, after: int) -> Record | None:
        """The first error that is no mere wrapper, from the traceback that ended the start."""
        usable = [error for error in self.errors if error.number > after and not is_wrapper(error.message)]
        if self.died_at is not None and after:
            usable = [error for error in usable if not any(words in error.message for words in _BAD_REQUEST)] or usable
        fatal = [error for error in usable if error.level in ("ERROR", "CRITICAL") or error.process or not error.stamped]
        near = self.failed_at or self.died_at
        if near is not None:
            behind = [error for error in fatal if error.number >= near.number]
            before = [error for error in fatal if near.number - 400 <= error.number < near.number and error.stamped]
            return next(iter(before or behind), next(iter(fatal), None))
        return fatal[-1] if fatal else None


def is_wrapper(message: str) -> bool:
    """Whether an exception only reports another one."""
    return any(words in message for words in _WRAPPERS)
