"""Numbers as the engines' argument parsers read them.

Room: `parsers.launch_command`.
"""

from __future__ import annotations

from kvaudit.patterns import LatePattern

_HUMAN = LatePattern(r"^(\d{1,12}(?:\.\d{1,6})?)([kKmMgG])$")
_SCALE = {"k": 10**3, "m": 10**6, "g": 10**9, "K": 2**10, "M": 2**20, "G": 2**30}
_PLAIN = LatePattern(r"^[-+]?\d{1,18}$")
_DECIMAL = LatePattern(r"^[-+]?(?:\d{1,15}\.\d{0,15}|\.\d{1,15})$")


def number(text: str) -> float | int | None:
    """A number, None for anything else; `32k` is 32,000 and `32K` 32,768, as vLLM 0.9 and newer read them."""
    if match := _HUMAN.search(text):
        return float(match.group(1)) * _SCALE[match.group(2)]
    if _PLAIN.search(text):
        return int(text)
    return float(text) if _DECIMAL.search(text) else None
