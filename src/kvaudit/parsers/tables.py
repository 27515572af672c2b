"""A line format is one row of a table: hint, pattern, which groups feed which fields, stage, versions, one real example.

Room: `parsers`, shared by all engines. Adding a line format means adding a row (and a fixture), never code here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import re2

from kvaudit.fields import FIELDS, Stage
from kvaudit.parsers.facts import CLUES, Fact, Origin

Pick = Literal["all", "first", "last"]
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Row:
    """One line format.

    `hint` is a literal part of the message for the byte scan. `feeds` maps group names of `pattern` to (field, converter);
    a converter returns None to drop the value. `since` and `until` say which versions print the line: they only decide what
    silence means, never whether the row is tried. `pick` says which occurrence counts within one start. `example` is a
    message that matches. A row without feeds is a clue or a marker handled by the engine's own code under its `name`.
    """

    name: str
    hint: bytes
    pattern: str
    feeds: tuple[tuple[str, str, Callable[[str], Any]], ...]
    stage: Stage
    example: str
    since: str = ""
    until: str = ""
    pick: Pick = "all"


def marker(name: str, hint: bytes, pattern: str, example: str) -> Row:
    """A row without feeds: a lifecycle marker, or one of the engine's own warnings (`name` is then the notice's code)."""
    return Row(name, hint, pattern, (), "observed", example)


@dataclass(frozen=True, slots=True)
class Match:
    """A row that matched a message: its facts' values, and where in the message the value that matters stands."""

    row: Row
    values: dict[str, Any]
    groups: dict[str, str]
    start: int


class Table:
    """The rows of one engine; a pattern is compiled when its hint is met, because no log meets more than a part of them."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        for row in rows:
            for _, name, _ in row.feeds:
                if name not in FIELDS and name not in CLUES:
                    raise KeyError(f"row {row.name!r} feeds an unknown field {name!r}")
        self.rows = rows
        self._hints = tuple(row.hint.decode("ascii") for row in rows)
        self._patterns: list[Any] = [None] * len(rows)

    @property
    def hints(self) -> tuple[bytes, ...]:
        """The hints of all rows, each once."""
        return tuple(dict.fromkeys(row.hint for row in self.rows))

    def matches(self, message: str) -> Iterator[Match | Row]:
        """Every row that matches `message`; a row whose hint is there but whose pattern is not comes back bare.

        So does one whose number has more digits than any engine counts to: nothing behind a row meets an integer that Python
        refuses to read.
        """
        for index, hint in enumerate(self._hints):
            if hint not in message:
                continue
            row, pattern = self.rows[index], self._pattern(index)
            match = pattern.search(message)
            if match is None:
                yield row
                continue
            groups = {name: text for name, text in match.groupdict().items() if text is not None}
            if any(map(is_absurd, groups.values())):
                yield row
                continue
            yield Match(row, _converted(row, groups), groups, _value_at(row, match, pattern))

    def _pattern(self, index: int) -> Any:
        if self._patterns[index] is None:
            self._patterns[index] = re2.compile(self.rows[index].pattern)
        return self._patterns[index]


def is_absurd(text: str) -> bool:
    """Whether a text is an integer of more than 18 digits: more than 64 bits hold, and beyond 4,300 Python reads none at all."""
    digits = text.lstrip("+-").replace(",", "") if len(text) > _MOST_DIGITS else ""
    return len(digits) > _MOST_DIGITS and digits.isdecimal()


def _value_at(row: Row, match: Any, pattern: Any) -> int:
    """Where the last fed group stands: in a long line the last value is the one the row is about."""
    groups = [pattern.groupindex[name] for name, _, _ in row.feeds if name in pattern.groupindex]
    starts = [match.start(group) for group in groups if match.start(group) >= 0]
    return int(starts[-1] if starts else match.start())


def _converted(row: Row, groups: dict[str, str]) -> dict[str, Any]:
    values = {}
    for group, name, convert in row.feeds:
        if group in groups and (value := convert(groups[group])) is not None:
            values[name] = value
    return values


def fact(
    field: str, value: Any, stage: Stage, origins: list[Origin], *, scope: str | None = None, how: str | None = None
) -> Fact:
    """A fact with the unit of its field."""
    unit = FIELDS[field].unit if field in FIELDS else None
    return Fact(field=field, stage=stage, value=value, unit=unit, scope=scope, how=how, origins=origins)
