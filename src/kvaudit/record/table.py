"""The working table of one arm while its record is built: facts by field, clues by name, states on demand.

Room: `record`. Inference modules add facts here; nothing else changes a record.
"""

from __future__ import annotations

from typing import Any

from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState
from kvaudit.record.resolve import resolve


class FactTable:
    """All facts and clues of one arm."""

    def __init__(self, facts: list[Fact]) -> None:
        self.fields: dict[str, list[Fact]] = {}
        self.clues: dict[str, list[Fact]] = {}
        self.reasons: dict[str, str] = {}
        self.settled: dict[str, FieldState] = {}
        for one in facts:
            self.add(one)

    def add(self, one: Fact) -> None:
        """Add a fact or clue."""
        (self.fields if one.field in FIELDS else self.clues).setdefault(one.field, []).append(one)

    def add_once(self, one: Fact) -> None:
        """Add a fact that a saved record may hold already."""
        if one not in self.fields.get(one.field, []):
            self.add(one)

    def infer(self, name: str, value: Any, how: str, origins: list[Origin], scope: str | None = None) -> None:
        """Add an inferred fact whose origins are those of its inputs."""
        self.add_once(fact(name, value, "inferred", _unique(origins), scope=scope, how=how))

    def state(self, name: str) -> FieldState:
        """The state of a field as of now."""
        if name in self.settled:
            return self.settled[name]
        return resolve(name, self.fields.get(name, []), self.reasons.get(name))

    def value(self, name: str) -> Any:
        """The effective value as of now, None unless known."""
        state = self.state(name)
        return state.value if state.state == "known" else None

    def origins(self, name: str) -> list[Origin]:
        """The origins of the facts that decide a field."""
        state = self.state(name)
        return [origin for index in state.won[:2] for origin in state.facts[index].origins[:1]]

    def clue(self, name: str) -> Any:
        """The value of the first clue of this name, None where there is none."""
        held = self.clues.get(name)
        return held[0].value if held else None

    def clue_origins(self, name: str) -> list[Origin]:
        """The origins of the clues of this name."""
        return [origin for one in self.clues.get(name, []) for origin in one.origins]


def _unique(origins: list[Origin]) -> list[Origin]:
    return list(dict.fromkeys(origins))
