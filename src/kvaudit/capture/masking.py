"""Secrets out of what is about to be written, bytes that are no secret left as they were.

Room: `capture`. The patterns are those of `redaction`; here they meet whole documents: a log line by line in whatever encoding it
has, JSON also by the names of its keys.
"""

from __future__ import annotations

import json
from typing import Any

from kvaudit.redaction import Redactor
from kvaudit.redaction.lines import LineMasker


class MaskedLines:
    """The lines of one text, masked in order; bytes that are no UTF-8 stay as they are."""

    def __init__(self, redactor: Redactor) -> None:
        self._masker = LineMasker(redactor)

    def of(self, line: bytes) -> bytes:
        """The next line, without its newline."""
        try:
            text, encoding = line.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            text, encoding = line.decode("latin-1"), "latin-1"
        return self._masker.mask(text).encode(encoding)


def masked_text(data: bytes, redactor: Redactor) -> bytes:
    """A text, line by line."""
    lines = MaskedLines(redactor)
    return b"\n".join(lines.of(line) for line in data.split(b"\n"))


def masked_json(data: bytes, redactor: Redactor) -> bytes:
    """A JSON document: by its text, and where a key alone gives a secret away, by its structure.

    What is no JSON after all is masked as text. The text stays byte for byte where it holds no secret.
    """
    text = masked_text(data, redactor)
    try:
        value = json.loads(text)
        disarmed = redactor.document(value)
        merged = _merged(value, disarmed)
    except (ValueError, RecursionError):
        return text
    return text if merged == value else json.dumps(merged, ensure_ascii=False, indent=1).encode("utf-8")


def _merged(value: Any, disarmed: Any) -> Any:
    """The value, with the strings of `disarmed` where it masked a secret; its escapes are for reports, not for copies."""
    if isinstance(value, dict) and isinstance(disarmed, dict):
        pairs = zip(value.items(), disarmed.values(), strict=False)
        return {key: _merged(held, shown) for (key, held), shown in pairs}
    if isinstance(value, list) and isinstance(disarmed, list):
        return [_merged(held, shown) for held, shown in zip(value, disarmed, strict=False)]
    if isinstance(disarmed, str) and "<secret-" in disarmed and not (isinstance(value, str) and "<secret-" in value):
        return disarmed
    return value
