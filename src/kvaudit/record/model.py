"""The resolved-run record: what one arm's evidence says of every field, and how far each value can be believed.

Room: `record`, shapes only. The JSON form of these models is the document `record` that users and saved files rely on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kvaudit import __version__
from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Start, Unparsed
from kvaudit.shapes import HIDDEN, written_as

State = Literal["known", "absent", "unknown", "conflict"]

DOCUMENT_VERSION = 1
"""Of every JSON document: within one version keys are only added, never renamed, removed, or given another meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldState:
    """What is known of one field. `because` says why nothing is known, or what settled it."""

    state: State
    value: Any = None
    unit: str | None = None
    stage: Stage | None = None
    because: str | None = None
    facts: list[Fact] = field(default_factory=list)
    won: list[int] = field(default_factory=list, metadata=HIDDEN)
    """Indices of the facts that decided."""


@dataclass(slots=True, kw_only=True)
class SourceEntry:
    """One document of evidence, or a file that was found and not used (`kind` ignored)."""

    path: str
    kind: str
    engine: str | None = None
    sha256: str | None = None
    bytes: int | None = None
    lines: int | None = None
    wrapper: str | None = None
    notes: list[str] = field(default_factory=list)
    unparsed: list[Unparsed] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Sessions:
    """The starts of the arm's log. `selected` is 1-based."""

    count: int = 0
    selected: int | None = None
    ready: bool | None = None
    starts: list[Start] = field(default_factory=list, metadata=written_as("list"))


@dataclass(slots=True, kw_only=True)
class Record:
    """One arm."""

    document: Literal["record"] = "record"
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    label: str = ""
    sources: list[SourceEntry] = field(default_factory=list)
    sessions: Sessions = field(default_factory=Sessions)
    fields: dict[str, FieldState] = field(default_factory=dict)
    clues: dict[str, list[Fact]] = field(default_factory=dict)

    def state(self, name: str) -> State:
        """The state of a field; one that nothing speaks of is unknown."""
        held = self.fields.get(name)
        return held.state if held else "unknown"

    def value(self, name: str) -> Any:
        """The effective value of a field, None unless its state is known."""
        held = self.fields.get(name)
        return held.value if held and held.state == "known" else None

    def facts(self, name: str) -> list[Fact]:
        """Every fact of a field."""
        held = self.fields.get(name)
        return held.facts if held else []

    def deciding(self, name: str) -> list[Fact]:
        """The facts that decided a field; all of its facts where none did."""
        held = self.fields.get(name)
        if held is None:
            return []
        return [held.facts[index] for index in held.won if index < len(held.facts)] or held.facts

    def clue(self, name: str) -> Any:
        """The value of the first clue of this name, or None."""
        held = self.clues.get(name)
        return held[0].value if held else None

    def has_kind(self, kind: str) -> bool:
        """Whether a source of this kind was read."""
        return any(source.kind == kind for source in self.sources)
