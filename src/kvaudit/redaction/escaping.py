"""Characters that would act instead of being read, as escapes that can be read.

Room: `redaction`, plain strings only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories: control, format, surrogate, private use, not assigned, line and paragraph separators."""


def escape(text: str) -> str:
    """Control, format, bidirectional and zero-width characters as visible escapes; tab and newline included."""
    if text.isprintable():  # none of the categories above, by the same table
        return text
    return "".join(_visible(text))


def _visible(text: str) -> Iterable[str]:
    for character in text:
        if character == " " or unicodedata.category(character) not in _ACTING:
            yield character
        else:
            code = ord(character)
            yield f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
