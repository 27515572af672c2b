"""The facts of one start of a log: per rank where ranks may differ, otherwise the one line that counts.

Room: `parsers`, shared by the engines' log parsers. Bookkeeping only: which lines feed what stands in the row tables; which of
several lines counts is decided by `weight` (the better source of two) and `pick` (first or last) alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kvaudit.fields import Stage, spelled
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import Pick, fact
from kvaudit.sources.source import Source

PER_RANK = frozenset(
    {
        "model.weights_gib",
        "kv_cache.tokens",
        "kv_cache.memory_gib",
        "kv_cache.blocks",
        "kv_cache.max_concurrency",
        "graphs.memory_gib",
        "memory.free_at_start_gib",
        "memory.total_gib",
    }
)
"""Fields that keep one fact per rank; repeats of one rank within a start get `#2`, `#3`, ... as scope."""

_MOST_NOTICES = 256
_MOST_RANKS = 64


class Placed(Protocol):
    """A log record, as far as an origin needs it: line number, readable line, and where the message begins in it."""

    @property
    def number(self) -> int:
        """1-based physical line."""

    @property
    def line(self) -> str:
        """The readable physical line."""

    @property
    def position(self) -> int:
        """Offset of the message in the line."""


@dataclass(slots=True)
class _Entry:
    fact: Fact
    weight: int


class Collector:
    """Facts of one start, in the order in which their fields were first seen. `reader` names the parser in origins."""

    def __init__(self, source: Source, reader: str) -> None:
        self.source = source
        self.reader = reader
        self._single: dict[tuple[str, str], _Entry] = {}
        self._ranked: dict[tuple[str, str], Fact] = {}
        self._listed: list[Fact] = []

    def origin(self, record: Placed, at: int, reader: str) -> Origin:
        """Where a value stands; `at` is the offset of the match in the message."""
        return Origin(
            file=self.source.path,
            line=record.number,
            excerpt=self.source.excerpt(record.line, record.position + at),
            reader=f"{self.reader}:{reader}",
        )

    def add(
        self,
        field: str,
        value: Any,
        stage: Stage,
        origins: Sequence[Origin],
        *,
        scope: str | None = None,
        how: str | None = None,
        pick: Pick = "first",
        weight: int = 0,
    ) -> None:
        """Take a value in: per rank for the fields of `PER_RANK`, else the best of its field and stage."""
        new = fact(field, spelled(field, value), stage, list(origins), scope=scope, how=how)
        if field in PER_RANK:
            self._add_ranked(new)
            return
        known = self._single.get((field, stage))
        if known is None or weight > known.weight or (weight == known.weight and pick == "last"):
            self._single[(field, stage)] = _Entry(new, weight)

    def _add_ranked(self, new: Fact) -> None:
        scope, number = new.scope or "", 1
        while (known := self._ranked.get((new.field, scope))) is not None:
            if known.value == new.value or number > _MOST_RANKS:
                return
            number += 1
            scope = f"{new.scope} #{number}" if new.scope else f"#{number}"
        self._ranked[(new.field, scope)] = replace(new, scope=scope or None)

    def append(self, field: str, value: Any, origins: Sequence[Origin], how: str | None = None) -> None:
        """An observed fact beside others of its field (milestones, notices, clues of several ranks)."""
        self._listed.append(fact(field, value, "observed", list(origins), how=how))

    def note(self, code: str, text: str, origins: Sequence[Origin]) -> None:
        """One of the engine's own warnings; each text once."""
        value = [{"code": code, "text": text}]
        if len(self._listed) < _MOST_NOTICES and all(known.value != value for known in self._listed):
            self.append("engine.notices", value, origins)

    def drop(self, field: str, stage: Stage) -> None:
        """Forget the single value of a field at a stage."""
        self._single.pop((field, stage), None)

    def value(self, field: str) -> Any:
        """The strongest single value of a field, or the first rank's; None where nothing was said."""
        found = self.fact(field)
        return None if found is None else found.value

    def fact(self, field: str) -> Fact | None:
        """The strongest single fact of a field, or the first rank's."""
        for stage in ("observed", "resolved", "inferred", "requested"):
            if entry := self._single.get((field, stage)):
                return entry.fact
        return next((known for (name, _), known in self._ranked.items() if name == field), None)

    def ranked(self, field: str) -> list[Fact]:
        """All ranks' facts of a field."""
        return [known for (name, _), known in self._ranked.items() if name == field]

    def facts(self) -> list[Fact]:
        """Everything collected."""
        return [*(entry.fact for entry in self._single.values()), *self._ranked.values(), *self._listed]
