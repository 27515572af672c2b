"""The redactor of one call: masks texts and documents, makes excerpts.

Room: `redaction`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from kvaudit.redaction.escaping import escape
from kvaudit.redaction.judging import Guard, is_login, is_packed_login, is_private, is_random, is_value
from kvaudit.redaction.masks import Masks
from kvaudit.redaction.names import may_mean_secret, means_owner, means_secret
from kvaudit.redaction.patterns import FULL, PATTERNS, Pattern
from kvaudit.redaction.spans import LEAD, Judging, Span, enders, passing, secrets_in, standing_alone

Level = Literal["default", "full"]

EXCERPT_LIMIT = 200
"""Longest excerpt, in characters."""

_LINE_LIMIT = 1 << 16
"""A longer line is cut around the match before it is masked; more context names no secret better."""
_LONGEST_KNOWN, _MOST_KNOWN = 512, 50_000
"""Documents say the same short texts over and over: so many of them are looked at once."""
_LEAST_NUMBER = 1000
"""Smaller numbers beside a name such as `secrets` are counts."""
_LOGIN_FLAGS = ("-u", "--user", "--proxy-user")
_PACKED_KEYS = ("auth", "_auth")


class Redactor:
    """Masks of one call: equal secrets get equal masks, `<secret-1>`, or with a `key` masks that only its holder can test."""

    def __init__(self, level: Level = "default", key: bytes | None = None) -> None:
        self.level = level
        self._masks = Masks(key)
        self._known: dict[str, str] = {}
        self._full = FULL if level == "full" else ()

    def mask(self, text: str) -> str:
        """The text with every secret replaced by its mask."""
        known = self._known.get(text)
        if known is None:
            known = self._mask_around(text, 0)[0]
            if len(text) <= _LONGEST_KNOWN and len(self._known) < _MOST_KNOWN:
                self._known[text] = known
        return known

    def secret(self, text: str) -> str:
        """The mask of a text that is known to be a secret."""
        return self._masks.of(text)

    def _mask_around(self, text: str, position: int) -> tuple[str, int]:
        """The masked text, and where the character at `position` went."""
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # half a surrogate pair, which no pattern can look at
        for telltale, patterns in PATTERNS:
            if _compiled(telltale).search(text):
                for pattern in patterns:
                    text, position = self._masked_once(text, position, pattern)
        for pattern in self._full:
            text, position = self._masked_once(text, position, pattern)
        return text, max(0, min(position, len(text)))

    def _masked_once(self, text: str, position: int, pattern: Pattern) -> tuple[str, int]:
        compiled, group = _with_group(pattern.expression)
        pieces: list[str] = []
        done, moved = 0, position
        for match in compiled.finditer(text):
            value, offset = match.group(group), match.start(group)
            for first, last in self._spans(value, pattern, text[max(0, match.start() - LEAD) : match.start()]):
                start, end = offset + first, offset + last
                mask = self._masks.of(text[start:end])
                pieces += [text[done:start], mask]
                if end <= position:
                    moved += len(mask) - (end - start)
                done = end
        return ("".join([*pieces, text[done:]]), moved) if pieces else (text, position)

    def _spans(self, value: str, pattern: Pattern, lead: str) -> Iterator[Span]:
        if pattern.whole:
            return passing(value, [(0, len(value))], pattern.guard)
        if pattern.alone:
            return standing_alone(value, Judging(pattern.guard, self._guard_of, enders("")))
        return secrets_in(value, Judging(pattern.guard, self._guard_of, enders(lead)))

    def _guard_of(self, name: str) -> Guard | None:
        """The guard of the value behind `name=`."""
        if means_secret(name):
            return is_value
        return is_random if may_mean_secret(name) else None

    def excerpt(self, line: str, position: int = 0) -> str:
        """At most 200 masked and escaped characters of a line, centred on `position`."""
        if len(line) > _LINE_LIMIT:
            start = max(0, position - _LINE_LIMIT // 2)
            line, position = line[start : start + _LINE_LIMIT], position - start
        masked, position = self._mask_around(line, position)
        if len(masked) > EXCERPT_LIMIT:
            start = max(0, min(position - EXCERPT_LIMIT // 3, len(masked) - EXCERPT_LIMIT + 2))
            end = start + EXCERPT_LIMIT - 2
            masked = ("…" if start else "") + masked[start:end] + ("…" if end < len(masked) else "")
        return escape(masked.strip())[:EXCERPT_LIMIT]

    def document(self, value: Any, key: str = "") -> Any:
        """A JSON document with every secret masked, by key name and by shape, and every string escaped."""
        return self._document(value, key, bool(key) and means_secret(key))

    def _document(self, value: Any, key: str, secret: bool) -> Any:
        if isinstance(value, dict):
            return {escape(self.mask(str(name))): self._document(*held) for name, *held in self._members(value, secret)}
        if isinstance(value, list | tuple):
            return type(value)(self._document(item, key, secret or flagged) for item, flagged in self._after_flags(list(value)))
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, str):
            hidden = is_value(value) if secret else bool(key) and self._told_by_key(key, value)
            return self._masks.of(value) if hidden else escape(self.mask(value))
        return self._masks.of(str(value)) if secret and value >= _LEAST_NUMBER else value

    def _told_by_key(self, key: str, value: str) -> bool:
        if self.level == "full" and is_private(value) and means_owner(key):
            return True
        if key.lower() in _PACKED_KEYS:
            return is_packed_login(value)
        return is_random(value) and may_mean_secret(key)

    def _members(self, held: dict[Any, Any], secret: bool) -> Iterator[tuple[Any, Any, str, bool]]:
        """Name, value, key and secrecy of each member; `{"name": "HF_TOKEN", "value": …}` names its secret in a value."""
        named = held.get("name") or held.get("key")
        by_name = isinstance(named, str) and means_secret(_readable(named))
        for name, item in held.items():
            written = _readable(str(name))
            hidden = secret or means_secret(written) or (by_name and written.lower() == "value")
            yield name, item, written, hidden

    def _after_flags(self, items: list[Any]) -> Iterator[tuple[Any, bool]]:
        """Each item of a list, and whether it is the value of a flag that means a secret: `["--api-key", …]`."""
        hidden = soft = login = False
        for item in items:
            text = _readable(item) if isinstance(item, str) else ""
            is_flag = text.startswith("-")
            told = hidden or (soft and is_random(text)) or (login and is_login(text))
            yield item, isinstance(item, str) and not is_flag and told
            hidden = is_flag and means_secret(text)
            soft = is_flag and may_mean_secret(text)
            login = text in _LOGIN_FLAGS


def _readable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@cache
def _with_group(pattern: str) -> tuple[Any, int]:
    """The compiled pattern, and the number of the group `value`."""
    compiled = _compiled(pattern)
    return compiled, compiled.groupindex["value"]


@cache
def _compiled(pattern: str) -> Any:
    import re2

    return re2.compile(pattern)
