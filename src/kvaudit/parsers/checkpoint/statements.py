"""Collects what a checkpoint file states and turns it into facts, all places looked up in one pass.

Room: checkpoint parsers. Shapes only: nothing is read or decided here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.checkpoint.json_document import JsonDocument
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.tables import fact


@dataclass(slots=True)
class Statements:
    """Statements of one document. `reader` is the name of the parser."""

    document: JsonDocument
    reader: str
    _rows: list[tuple[str, Any, tuple[str, ...], str | None]] = field(default_factory=list)

    def add(self, name: str, value: Any, *pointers: str, how: str | None = None) -> None:
        """State `value` of a field or clue, read at `pointers`; None states nothing."""
        if value is not None:
            self._rows.append((name, value, pointers or ("",), how))

    def facts(self) -> list[Fact]:
        """All statements as facts, in the order they were made."""
        wanted = [pointer for _, _, pointers, _ in self._rows for pointer in pointers]
        origins = self.document.origins(wanted, self.reader)
        return [
            fact(name, value, "stated", [origins[pointer] for pointer in pointers], how=how)
            for name, value, pointers, how in self._rows
        ]
