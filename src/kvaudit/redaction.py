"""Masks secrets and disarms control characters: the one choke point before anything is written.

Room: far left of the pipeline, next to `fields` and `errors`. It imports nothing of kvaudit. Excerpts are made here on the
whole line and cut afterwards, so a cut never separates a secret from the name that gives it away; documents pass through
`Redactor.document` once more before they leave the program.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any, Literal

Level = Literal["default", "full"]

EXCERPT_LIMIT = 200
"""Longest excerpt, in characters."""

_LINE_LIMIT = 1 << 16
"""A longer line is cut around the match before it is masked; more context names no secret better."""

# A key name whose value is a secret. Word parts may stand before the telling one: HF_TOKEN, openai_api_key, X-Api-Key.
_SECRET_NAME = (
    r"[A-Za-z0-9_.-]*?(?:api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|"
    r"(?:hf|access|auth|bearer|github|gitlab|api|refresh|session|id|slack|ngrok|wandb|personal)[_-]?token|"
    r"password|passwd|passphrase|secret|credential|credentials|client[_-]?secret)"
)
# Environment style names end in _TOKEN or _KEY; lower-case words such as max_token or pad_token are no secrets.
_SECRET_ENV = r"[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|PASSWORD|PASSWD|SECRET|CREDENTIALS|PAT)"
_VALUE = r"""(?:"[^"\n]+"|'[^'\n]+'|\\"[^"\\\n]+\\"|\[[^\]\n]*\]|[^\s,;'"&)}\]]+)"""
_KEYED = rf"""(?P<head>(?:\b(?i:{_SECRET_NAME})|\b{_SECRET_ENV})(?:\\?["'])?\s?(?:[=:]\s{{0,4}}|\s))(?P<value>{_VALUE})"""
_HEADER = r"""(?P<head>(?i:\b(?:bearer|basic|authorization:)\s{1,4}))(?P<value>[A-Za-z0-9+/=._~-]{8,})"""
_URL_LOGIN = r"""(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?P<value>[^/\s@'"]+:[^/\s@'"]+)@"""
_SHAPES = (
    r"(?P<value>\bhf_[A-Za-z0-9]{16,}|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|"
    r"\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|"
    r"\bAKIA[A-Z0-9]{16}|\bnvapi-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{30,}|"
    r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,})"
)
_FULL = (
    r"(?P<value>\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,24}\b|"
    r"/(?:home|Users|root|mnt|data|workspace|srv|scratch|opt|tmp|var)(?:/[A-Za-z0-9._@+=~-]+)+)"
)
_SECRET_KEYS = r"^(?:(?i:[-]*" + _SECRET_NAME + r")|" + _SECRET_ENV + r")$"
_UNSET = frozenset({"none", "null", "true", "false", "***", "", "[]", "{}", "0", "auto"})


class Redactor:
    """Masks of one call: equal secrets get equal ordinals (`<secret-1>`), never a hash that could be tried against guesses."""

    def __init__(self, level: Level = "default") -> None:
        import re2

        self._ordinals: dict[str, int] = {}
        patterns = [_KEYED, _HEADER, _URL_LOGIN, _SHAPES]
        if level == "full":
            patterns.append(_FULL)
        compiled = [re2.compile(pattern) for pattern in patterns]
        self._patterns = [(pattern, pattern.groupindex["value"]) for pattern in compiled]
        self._secret_key = re2.compile(_SECRET_KEYS)

    def mask(self, text: str) -> str:
        """The text with every secret replaced by its ordinal."""
        return self._mask_around(text, 0)[0]

    def _mask_around(self, text: str, position: int) -> tuple[str, int]:
        """The masked text, and where the character at `position` went."""
        for pattern, group in self._patterns:
            pieces: list[str] = []
            done, moved = 0, position
            for match in pattern.finditer(text):
                start, end = match.span(group)
                if start < done or _is_no_secret(_bare(text[start:end])):
                    continue
                mask = _quoted_like(text[start:end], self._ordinal(text[start:end]))
                pieces += [text[done:start], mask]
                if end <= position:
                    moved += len(mask) - (end - start)
                done = end
            if pieces:
                text, position = "".join([*pieces, text[done:]]), moved
        return text, max(0, min(position, len(text)))

    def _ordinal(self, secret: str) -> str:
        number = self._ordinals.setdefault(_bare(secret), len(self._ordinals) + 1)
        return f"<secret-{number}>"

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
        if isinstance(value, dict):
            return {escape(self.mask(str(name))): self.document(item, str(name)) for name, item in value.items()}
        if isinstance(value, list):
            return [self.document(item, key) for item in value]
        if not isinstance(value, str):
            return value
        if key and value.lower() not in _UNSET and not value.startswith("<secret-") and self._secret_key.match(key):
            return self._ordinal(value)
        return escape(self.mask(value))


def _is_no_secret(value: str) -> bool:
    """Unset values, and the masks of an earlier pass."""
    return value.lower() in _UNSET or value.startswith("<secret-")


def _bare(secret: str) -> str:
    return secret.strip("\\'\"[]")


def _quoted_like(secret: str, mask: str) -> str:
    quote = secret[0] if secret[:1] in "'\"" else ""
    return f"{quote}{mask}{quote}"


def escape(text: str) -> str:
    """Control, format, bidirectional and zero-width characters as visible escapes; tab and newline included."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(text))


def _visible(text: str) -> Iterable[str]:
    for character in text:
        if character == " " or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
            yield character
        else:
            code = ord(character)
            yield f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
