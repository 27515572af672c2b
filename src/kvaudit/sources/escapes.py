"""Escapes of JSON that name half a surrogate pair: decoded they are texts that no encoding can write and no pattern can search.

Room: `sources`, plain strings only.
"""

from __future__ import annotations

from typing import Any

from kvaudit.patterns import LatePattern

# Whole pairs and every other escape are kept: a backslash that is itself escaped begins none.
_ESCAPE = LatePattern(r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u])|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def without_half_pairs(text: str) -> str:
    """JSON in which each such escape is that of the replacement character; offsets stay the same."""
    return str(_ESCAPE.sub(_replaced, text)) if "\\ud" in text or "\\uD" in text else text


def _replaced(match: Any) -> str:
    return match.group(1) or "\\ufffd"
