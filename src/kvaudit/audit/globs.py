"""Patterns that a policy may use for names: `*` for any characters, `?` for one, everything else as it stands.

Room: `audit`. Matching takes linear time whatever the pattern and the text are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

_WILD = {"*": "(?s:.*)", "?": "(?s:.)"}


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text is of the pattern, case included."""
    return bool(_compiled(pattern).fullmatch(text))


@cache
def _compiled(pattern: str) -> Any:
    return re2.compile("".join(_WILD.get(letter, re2.escape(letter)) for letter in pattern))
