"""Words of a log line as values, for the row tables of every engine. A converter returns None to drop what it does not know.

Room: `parsers`. Pure functions of one string; what only one engine writes stands in that engine's own `converters`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

_MOST_DIGITS = 19


def integer(words: str) -> int | None:
    """A whole number, thousands commas and a sign allowed: `1,048,576` is 1048576."""
    digits = words.replace(",", "").strip()
    bare = digits[1:] if digits[:1] in ("+", "-") else digits
    return int(digits) if bare.isascii() and bare.isdigit() and len(bare) <= _MOST_DIGITS else None


def positive(words: str) -> int | None:
    """A whole number above zero: `-1` and 0 leave the decision to somebody else."""
    value = integer(words)
    return value if value is not None and value > 0 else None


def number(words: str) -> float | None:
    """A finite number, thousands commas allowed."""
    try:
        value = float(words.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def text(words: str) -> str | None:
    """The words without surrounding blanks and quotes."""
    return words.strip().strip("'\"") or None


def lower(words: str) -> str | None:
    """The words in small letters."""
    return words.strip().lower() or None


def always(value: Any) -> Callable[[str], Any]:
    """A converter for lines whose presence says it all."""
    return lambda _words: value
