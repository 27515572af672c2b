"""Label values as what they mean: positive numbers, switches, words.

Room: `parsers`. None is a label that says nothing (`None`, empty, out of range).
"""

from __future__ import annotations

_GIB = 1 << 30


def integer(text: str) -> int | None:
    """A positive whole number of at most 15 digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 and int(text) > 0 else None


def positive(text: str) -> float | None:
    """A positive finite number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float(1 << 62) else None


def fraction(text: str) -> float | None:
    """A share above 0 and at most 1."""
    value = positive(text)
    return value if value is not None and value <= 1 else None


def switch(text: str) -> bool | None:
    """True and False, as Python or as JSON spells them."""
    return {"true": True, "false": False}.get(text.lower())


def gib(text: str) -> float | None:
    """Bytes as GiB."""
    amount = integer(text)
    return amount / _GIB if amount else None


def word(text: str) -> str | None:
    """A word that is set."""
    return text if text and text.lower() not in ("none", "unknown", "null") else None
