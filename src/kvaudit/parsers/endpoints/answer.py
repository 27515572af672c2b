"""One answer as a JSON object: its keys as facts with pointer and line.

Room: `parsers.endpoints`, shared by its modules. Reading and places come from the strict JSON reader of checkpoints; nothing is
known here about any engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kvaudit.errors import InputError
from kvaudit.fields import Stage
from kvaudit.parsers.checkpoint.json_document import JsonDocument, load
from kvaudit.parsers.checkpoint.keys import upper_keys
from kvaudit.parsers.facts import Origin, Reading
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

KIND = "endpoint"
_LONGEST_ANSWER = 1 << 20


class AnswerParser:
    """What all parsers of answers share; a subclass sets `name` and gives `recognises` and `read`."""

    name = ""
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()


@dataclass(slots=True)
class Answer:
    """Facts of one JSON object, collected with the pointers they stand at; `reader` is the name of the parser."""

    document: JsonDocument
    reader: str
    _rows: list[tuple[str, Any, Stage, tuple[str, ...], str | None, str | None]] = field(default_factory=list)

    @property
    def value(self) -> dict[str, Any]:
        """The object."""
        return self.document.value

    def say(self, name: str, value: Any, stage: Stage, *pointers: str, how: str | None = None, scope: str | None = None) -> None:
        """State `value` of a field or clue, read at `pointers`; None states nothing."""
        if value is not None:
            self._rows.append((name, value, stage, pointers or ("",), how, scope))

    def reading(self, engine: str | None, notes: Iterable[str] = ()) -> Reading:
        """Everything that was stated."""
        origins = self.document.origins([pointer for row in self._rows for pointer in row[3]], self.reader)
        facts = [
            fact(name, value, stage, [origins[pointer] for pointer in pointers], how=how, scope=scope)
            for name, value, stage, pointers, how, scope in self._rows
        ]
        return Reading(kind=KIND, engine=engine, facts=facts, notes=list(notes))


def answer_of(source: Source, reader: str) -> Answer:
    """The JSON object of a source. Raises `InputError` where it is damaged."""
    return Answer(load(source), reader)


def head_keys(source: Source) -> dict[str, set[str]]:
    """The keys of a JSON object and those one level below, as far as the head shows them; empty for any other document."""
    head = source.head.removeprefix("\ufeff").lstrip()
    return upper_keys(head) if head.startswith("{") else {}


def listed(source: Source, reader: str) -> tuple[list[Any], Origin]:
    """The JSON array of a source, and where it stands. Raises `InputError` where it is none."""
    text = source.text()
    if text is None or source.size > _LONGEST_ANSWER:
        raise InputError(source.path, "too large for an answer of this endpoint")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(source.path, f"damaged JSON: {error}") from error
    if not isinstance(value, list):
        raise InputError(source.path, "not a JSON array")
    return value, Origin(file=source.path, line=1, pointer="", excerpt=source.excerpt(text.split("\n", 1)[0]), reader=reader)


def whole(value: Any, least: int = 1) -> int | None:
    """A whole number of at least `least`, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and least <= value < 1 << 53 else None


def number(value: Any) -> float | None:
    """A positive finite number."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float(1 << 62) else None


def text(value: Any) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value.strip() else None


def as_object(value: Any) -> dict[str, Any]:
    """A JSON object, empty for anything else."""
    return value if isinstance(value, dict) else {}
