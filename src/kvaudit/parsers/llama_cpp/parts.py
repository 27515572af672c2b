"""What one start is made of: model files that were loaded, and contexts made of them.

Room: bookkeeping. Vocabulary-only loads, dry runs of the memory fitting and draft models are loads too; which load and which
context are the served ones is decided here, by what they say of themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.fields import Stage
from kvaudit.parsers.llama_cpp.caches import Caches
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.tables import Match, Pick


@dataclass(frozen=True, slots=True)
class Value:
    """A field's value as one line said it."""

    field: str
    value: Any
    stage: Stage
    record: Record
    at: int
    row: str
    pick: Pick


@dataclass(slots=True)
class Part:
    """Values and raw numbers of one load or context, in order."""

    values: list[Value] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def take(self, record: Record, match: Match) -> None:
        """Keep what a matched row feeds, and its numbers by group name."""
        self.seen.add(match.row.name)
        for name, value in match.values.items():
            self.values.append(Value(name, value, match.row.stage, record, match.start, match.row.name, match.row.pick))
        for name, words in match.groups.items():
            if name.startswith("n_") and words.isdigit() and len(words) < 19:
                self.numbers[name] = int(words)

    def value(self, field: str) -> Any:
        """The last value said of a field, None where nothing was said."""
        return next((said.value for said in reversed(self.values) if said.field == field), None)


@dataclass(slots=True)
class Context(Part):
    """One context: its sizes and its caches."""

    caches: Caches = field(default_factory=Caches)

    def read(self, record: Record, match: Match) -> None:
        """Take one matched line in."""
        self.take(record, match)
        self.caches.read(record, match)

    @property
    def holds_cache(self) -> bool:
        """Whether it allocated a cache."""
        return bool(self.caches.sizes or self.caches.buffers) and not self.caches.not_allocated


@dataclass(slots=True)
class Load(Part):
    """One model file: `draft` where the log says that a draft model is loaded. `buffers` are MiB per buffer name."""

    draft: bool = False
    buffers: list[tuple[str, float, Record, int]] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)

    @property
    def path(self) -> str | None:
        """The file as the loader names it."""
        path = self.value("model.path")
        return path if isinstance(path, str) else None

    @property
    def counts(self) -> bool:
        """Whether a model was really loaded: no vocabulary alone, no dry run."""
        return "vocabulary-only" not in self.seen and "dry-run" not in self.seen

    def context(self) -> Context:
        """The context that lines belong to now."""
        if not self.contexts:
            self.contexts.append(Context())
        return self.contexts[-1]

    @property
    def served(self) -> Context | None:
        """The context that serves: the first with a cache (a later one drafts), else the last."""
        real = [context for context in self.contexts if not context.caches.not_allocated]
        return next((context for context in real if context.holds_cache), real[-1] if real else None)


def served_load(loads: list[Load], path: str | None) -> Load | None:
    """The load of the served model: the last real one of the file that the server names, else the first real one."""
    real = [load for load in loads if load.counts and not load.draft]
    named = [load for load in real if path and load.path and _same_file(load.path, path)]
    if named:
        return named[-1]
    return real[0] if real else None


def _same_file(left: str, right: str) -> bool:
    return left == right or left.replace("\\", "/").rpartition("/")[2] == right.replace("\\", "/").rpartition("/")[2]
