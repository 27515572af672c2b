"""What became of a start: ready, ready then died, failed, or unknown; and the first root cause.

Room: lifecycle markers in, verdict out. A log that just ends proves nothing; what happens after a deliberate stop is no failure.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.tables import Match

_READY = frozenset({"model-loaded", "listening", "serving", "offline-run", "runner-started"})
_TERMINAL = frozenset({"gave-up", "crash", "argument-error", "load-failed", "runner-died"})
_CLASSES = (
    ("out of memory", "out of memory"),
    ("insufficient memory", "out of memory"),
    ("failed to allocate", "out of memory"),
    ("flash_attn", "quantized V cache without flash attention"),
    ("Flash Attention", "quantized V cache without flash attention"),
    ("does not divide", "KV cache type refused"),
    ("Unsupported cache type", "KV cache type refused"),
    ("different K", "KV cache type refused"),
    ("failed to open GGUF file", "model file missing"),
    ("No such file", "model file missing"),
    ("unknown model architecture", "model not supported"),
    ("ROCm error", "GPU error"),
    ("CUDA error", "GPU error"),
    ("server socket", "address in use"),
    ("HTTP server error", "address in use"),
    ("address already in use", "address in use"),
    ("GGML_ASSERT", "assertion failed"),
    ("argument", "bad arguments"),
)
_MOST_CAUSES = 50


@dataclass(frozen=True, slots=True)
class Cause:
    """A line that says what went wrong: its words and where they stand."""

    text: str
    record: Record
    at: int
    rank: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on one start; `cause` is None where no line says why."""

    ready: bool | None
    text: str
    cause: Cause | None = None
    died: bool = False


@dataclass(slots=True)
class Life:
    """The lifecycle markers of one start, in order."""

    ready: Record | None = None
    stopped: Record | None = None
    ended: Record | None = None
    causes: list[Cause] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the start has ended: it gave up, crashed, or shut down."""
        return self.ended is not None or self.stopped is not None

    def read(self, record: Record, match: Match) -> None:
        """Take one lifecycle marker in."""
        name = match.row.name
        if name in _READY:
            if self.ended is None:
                self.ready = self.ready or record
        elif name == "stopping":
            self.stopped = self.stopped or record
        else:
            self._trouble(record, match)

    def _trouble(self, record: Record, match: Match) -> None:
        name = match.row.name
        if self.stopped is not None and self.ready is not None:
            return
        if name in _TERMINAL:
            self.ended = self.ended or record
        rank = (
            0 if name == "cause" or (name == "argument-error" and "what" in match.groups) else 1 if "what" in match.groups else 2
        )
        if len(self.causes) < _MOST_CAUSES and name in (*_TERMINAL, "cause"):
            text = match.groups.get("what") or record.message[match.start :]
            self.causes.append(Cause(text.strip()[:300], record, match.start, rank))

    def outcome(self) -> Outcome:
        """The verdict."""
        if self.ended is None:
            return Outcome(True, "ready") if self.ready else Outcome(None, "unknown")
        after = self.ready.number if self.ready else 0
        usable = [cause for cause in self.causes if cause.record.number >= after]
        cause = min(usable, key=lambda one: one.rank) if usable else None
        if self.ready is not None:
            return Outcome(True, "ready, then died", cause, died=True)
        return Outcome(False, f"failed: {failure_class(cause.text if cause else '')}", cause)


def failure_class(text: str) -> str:
    """A short class of a failure text."""
    return next((name for words, name in _CLASSES if words in text), text[:60].strip() or "no cause printed")
