"""How values, locations and excerpts are written for people.

Room: `reports`, plain strings only. Nothing here knows a terminal; widths are in characters.
"""

from __future__ import annotations

import math
from typing import Any

from kvaudit.fields import FIELDS
from kvaudit.reports.cells import beginning, ending, width_of

_SHORTEST_PATH = 8
_DIGEST = 12
_HEX = frozenset("0123456789abcdef")


def written(value: Any, unit: str | None = None) -> str:
    """A value as people read it; a `unit` is appended to numbers. Thousands are separated unless the unit is None."""
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return _with_unit(_number(value, unit), unit)
    if isinstance(value, list | tuple):
        return _list(value, unit)
    if isinstance(value, dict):
        return ", ".join(f"{key}={written(item)}" for key, item in value.items()) or "none"
    return str(value)


def value_of(field: str, value: Any, state: str = "known") -> str:
    """The value of a field in the field's unit, or the words for a state in which it has none."""
    if state != "known":
        return "not set" if state == "absent" else state
    if field == "engine.ready":
        return "yes" if value else "no"
    if field == "engine.notices" and isinstance(value, list):
        return ", ".join(dict.fromkeys(str(one.get("code")) if isinstance(one, dict) else str(one) for one in value)) or "none"
    row = FIELDS.get(field)
    return written(value, None if row is None or field == "run.seed" else row.unit or "")


def _number(value: float, unit: str | None) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number"
    if isinstance(value, int):
        return str(value) if unit is None else f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 100_000 else f"{value:,.6g}" if abs(value) >= 1000 else f"{value:.6g}"


def _with_unit(text: str, unit: str | None) -> str:
    return f"{text} {unit}" if unit and unit != "fraction" else text


def _list(values: list[Any] | tuple[Any, ...], unit: str | None) -> str:
    if not values:
        return "none"
    if len(values) > 1 and all(one == values[0] for one in values):
        return f"{len(values)} × {written(values[0], unit)}"
    if any(isinstance(one, dict) for one in values):
        return "; ".join(written(one) for one in values)
    return _with_unit(", ".join(written(one) for one in values), unit if _all_numbers(values) else None)


def _all_numbers(values: list[Any] | tuple[Any, ...]) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def short_digest(text: str) -> str:
    """A digest or commit by its first characters; anything else as it is."""
    return f"{text[:_DIGEST]}…" if len(text) >= 40 and set(text) <= _HEX else text


def times(ratio: float) -> str:
    """A ratio to four digits: 1.775, 0.0123, 12.5."""
    if not math.isfinite(ratio):
        return "not a number"
    return f"{ratio:.3f}" if 0.1 <= abs(ratio) < 10 else f"{ratio:.4g}"


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def location(file: str | None, line: int | None, pointer: str | None, room: int) -> str:
    """`file:line`, or `file#/pointer`; a path longer than `room` is shortened in the middle, the line number never."""
    mark = f":{line}" if line is not None else f"#{pointer}" if pointer else ""
    if width_of(mark) > room // 2 and line is None:
        mark = shorten(mark, room // 2)
    return shorten(file or "(no file)", max(_SHORTEST_PATH, room - width_of(mark))) + mark


def shorten(path: str, room: int) -> str:
    """A path of at most `room` terminal cells: the file name stays whole as long as it fits, the middle goes."""
    if width_of(path) <= room:
        return path
    name = path[path.rstrip("/").rfind("/") + 1 :]
    wanted = width_of(name) + 1
    tail = ending(path, wanted if wanted + 3 <= room else room * 2 // 3)
    return f"{beginning(path, room - width_of(tail) - 1)}…{tail}"
