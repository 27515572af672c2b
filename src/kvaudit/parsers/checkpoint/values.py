"""Small readers of untrusted JSON values: a value of the wrong type is no value.

Room: checkpoint parsers. No key of any format is named here.
"""

from __future__ import annotations

import json
from typing import Any

from kvaudit.patterns import LatePattern

_WORD = LatePattern(r"^[A-Za-z0-9][A-Za-z0-9_.+:/-]{0,119}$")
_LARGEST = 1 << 48


def as_object(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The list, or an empty one."""
    return value if isinstance(value, list) else []


def count_of(value: Any) -> int | None:
    """A whole number of zero or more; a boolean is none."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < _LARGEST else None


def positive(value: Any) -> int | None:
    """A whole number above zero."""
    return count_of(value) or None


def word(value: Any) -> str | None:
    """A name without spaces, at most 120 characters: the shape of methods, types and class names."""
    return value if isinstance(value, str) and _WORD.match(value) else None


def flag(value: Any) -> bool | None:
    """A boolean, or None for anything else."""
    return value if isinstance(value, bool) else None


def short(value: Any, limit: int = 120) -> str:
    """A value as JSON text, cut at `limit` characters."""
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def words(text: str) -> frozenset[str]:
    """The words of a table that is written as running text."""
    return frozenset(text.split())
