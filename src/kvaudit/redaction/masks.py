"""What is written in place of a secret: an ordinal of this call, or, with a key, a mask that stays the same from call to call.

Room: `redaction`. Never an unkeyed digest: anybody could try guesses against it. With a key only who holds the key can.
"""

from __future__ import annotations

import hashlib
import hmac

from kvaudit.redaction.judging import MASK

_DIGITS = 16
"""Hexadecimal digits of a keyed mask: 64 bits, so that two secrets do not meet by chance."""
_PURPOSE = b"kvaudit mask 1\0"


class Masks:
    """The masks of one call: equal secrets get equal masks."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key
        self._known: dict[str, str] = {}

    def of(self, secret: str) -> str:
        """`<secret-1>` without a key, `<secret-k0f3a…>` with one."""
        bare = secret.strip("\\'\"")
        if bare not in self._known:
            self._known[bare] = f"{MASK}{self._name(bare)}>"
        return self._known[bare]

    def _name(self, secret: str) -> str:
        if self._key is None:
            return str(len(self._known) + 1)
        digest = hmac.new(self._key, _PURPOSE + secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
        return f"k{digest[:_DIGITS]}"
