"""Which defaults of an engine moved between two releases.

Room: `record`. The moves are data, `moved_defaults` of `rules/engines/<engine>.yaml`; a move lies between two arms only where one
of them is clearly before it and the other clearly not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from kvaudit.record.engine_table import engine_table, span_of_names
from kvaudit.record.model import Record
from kvaudit.record.versions import Bounds, bounds

_BUILD_NUMBERED = frozenset({"llama_cpp"})
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Move:
    """One default that moved: the field, the release, the values on both sides (any of them; empty for any value), the flag."""

    field: str
    since: str
    was: tuple[Any, ...]
    now: tuple[Any, ...]
    flag: str
    source: str

    def explains(self, older: Any, newer: Any) -> bool:
        """Whether these are the values of the default before and after; one side at least must be written in the table."""
        return bool(self.was or self.now) and _is_one(older, self.was) and _is_one(newer, self.now)


def moves_between(a: Record, b: Record) -> Iterator[tuple[Move, bool]]:
    """The defaults that moved between the releases of two arms of one engine, and whether arm a is the older one."""
    engine = a.value("engine.name")
    sides = release_of(a), release_of(b)
    if engine != b.value("engine.name") or None in sides:
        return
    for row in engine_table(str(engine)).get("moved_defaults", []):
        since, last = Version(row["since"]), Version(row["last"]) if "last" in row else None
        first, second = (_is_after(side, since, last) for side in sides if side)
        if first is not None and second is not None and first is not second:
            yield _move(row), second


def release_of(record: Record) -> Bounds | None:
    """The releases an arm's engine lies between: by its printed version, else by the names of its launch arguments."""
    printed = record.value("engine.version")
    engine = str(record.value("engine.name"))
    if isinstance(printed, str):
        number = printed.split(" ", 1)[0] if engine in _BUILD_NUMBERED else printed
        return bounds(number)
    held = [clue.value for clue in record.clues.get("clue.raw_configuration", []) if isinstance(clue.value, dict)]
    arguments = next((raw["server_args"] for raw in held if isinstance(raw.get("server_args"), dict)), None)
    return None if arguments is None else span_of_names(engine, arguments)


def shows_defaults(engine: Any) -> bool:
    """Whether the engine prints every launch argument, so that a value in the arguments proves nobody's wish."""
    return bool(engine_table(str(engine)).get("arguments_show_defaults"))


def _is_after(side: Bounds, since: Version, last: Version | None) -> bool | None:
    """Whether a build has the new default, None where it may be on either side."""
    if side.low >= since:
        return True
    before = side.high <= last if last is not None else side.high < since
    return False if before else None


def _move(row: dict[str, Any]) -> Move:
    return Move(row["field"], row["since"], _values(row.get("was")), _values(row.get("now")), row["flag"], row["source"])


def _values(given: Any) -> tuple[Any, ...]:
    return () if given is None else tuple(given) if isinstance(given, list) else (given,)


def _is_one(value: Any, wanted: tuple[Any, ...]) -> bool:
    return not wanted or any(_same(value, one) for one in wanted)


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, int | float) and isinstance(wanted, int | float):
        return abs(value - wanted) <= _TOLERANCE * max(1.0, abs(wanted))
    return str(value).lower() == str(wanted).lower()
