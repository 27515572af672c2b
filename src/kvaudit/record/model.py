"""The resolved-run record: what one arm's evidence says of every field, and how far each value can be believed.

Room: `record`, shapes only. The JSON form of these models is the document `record` that users and saved files rely on.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kvaudit import __version__
from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Start, Unparsed

State = Literal["known", "absent", "unknown", "conflict"]

DOCUMENT_VERSION = 1
"""Of every JSON document: within one version keys are only added, never renamed, removed, or given another meaning."""


class FieldState(BaseModel):
    """What is known of one field. `because` says why nothing is known, or what settled it."""

    model_config = ConfigDict(frozen=True)

    state: State
    value: Any = None
    unit: str | None = None
    stage: Stage | None = None
    because: str | None = None
    facts: list[Fact] = []
    won: list[int] = Field(default=[], exclude=True)
    """Indices of the facts that decided."""


class SourceEntry(BaseModel):
    """One document of evidence, or a file that was found and not used (`kind` ignored)."""

    path: str
    kind: str
    engine: str | None = None
    sha256: str | None = None
    bytes: int | None = None
    lines: int | None = None
    wrapper: str | None = None
    notes: list[str] = []
    unparsed: list[Unparsed] = []


class Sessions(BaseModel):
    """The starts of the arm's log. `selected` is 1-based."""

    count: int = 0
    selected: int | None = None
    ready: bool | None = None
    starts: list[Start] = Field(default=[], serialization_alias="list")


class Record(BaseModel):
    """One arm."""

    document: Literal["record"] = "record"
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    label: str = ""
    sources: list[SourceEntry] = []
    sessions: Sessions = Sessions()
    fields: dict[str, FieldState] = {}
    clues: dict[str, list[Fact]] = {}

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
