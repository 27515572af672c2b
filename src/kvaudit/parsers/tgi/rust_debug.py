"""Rust's debug output of a struct, on one line or many: `Args { model_id: "acme/tiny", num_shard: Some(2), quantize: None }`.

Room: text in, JSON values out; no key is known here. A cut value is dropped, what stands before it is kept. Never evaluated.
"""

from __future__ import annotations

from typing import Any

from kvaudit.patterns import LatePattern

_DEEPEST = 20
_LONGEST = 1 << 16
_NUMBER = LatePattern(r"^-?\d{1,18}(?:\.\d{1,18})?$")
_KEY = LatePattern(r"^\s*(?P<key>[a-z_][a-z0-9_]*): ?")
_WORD = LatePattern(r"^[A-Za-z_][\w:]*")
_BLANKS = " \t\r\n,"


class _CutError(Exception):
    """The text ends inside a value."""


def fields(text: str) -> tuple[dict[str, Any], bool]:
    """The fields of the first `Name { ... }` in a text, and whether it is whole. `Some(x)` is x, an enum's variant its name."""
    start = text.find("{")
    found: dict[str, Any] = {}
    if start < 0:
        return found, False
    reader = _Reader(text[:_LONGEST], start + 1)
    try:
        while not reader.ends("}"):
            key = reader.key()
            found.setdefault(key, reader.value(0))
    except _CutError:
        return found, False
    return found, True


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def ends(self, closer: str) -> bool:
        """Whether the closer is next; blanks and commas before it are passed over."""
        while self.at < len(self.text) and self.text[self.at] in _BLANKS:
            self.at += 1
        if self.at >= len(self.text):
            raise _CutError
        if self.text[self.at] != closer:
            return False
        self.at += 1
        return True

    def key(self) -> str:
        """The key before a value."""
        match = _KEY.search(self.text[self.at : self.at + 200])
        if match is None:
            raise _CutError
        self.at += match.end()
        return str(match.group("key"))

    def value(self, depth: int) -> Any:
        """The value at the cursor."""
        if depth > _DEEPEST or self.ends("\0"):
            raise _CutError
        first = self.text[self.at]
        if first == '"':
            return self.string()
        if first == "[":
            self.at += 1
            return self.items("]", depth)
        word = _WORD.search(self.text[self.at : self.at + 200])
        return self.named(word.group(0), depth) if word else self.number()

    def string(self) -> str:
        """A quoted string; escapes keep their letter."""
        self.at += 1
        parts = []
        while self.at < len(self.text) and self.text[self.at] != '"':
            self.at += self.text[self.at] == "\\"
            parts.append(self.text[self.at : self.at + 1])
            self.at += 1
        if self.at >= len(self.text):
            raise _CutError
        self.at += 1
        return "".join(parts)

    def items(self, closer: str, depth: int) -> list[Any]:
        """Values up to the closer."""
        found = []
        while not self.ends(closer):
            found.append(self.value(depth + 1))
        return found

    def named(self, word: str, depth: int) -> Any:
        """None, a boolean, a variant, `Some(x)`, or a nested struct."""
        self.at += len(word)
        if word in ("None", "true", "false"):
            return {"None": None, "true": True, "false": False}[word]
        following = self.text[self.at : self.at + 2]
        if following.startswith("("):
            self.at += 1
            inner = self.items(")", depth)
            return inner[0] if len(inner) == 1 else inner
        if following == " {":
            self.at += 2
            return self.struct(depth)
        return word

    def struct(self, depth: int) -> dict[str, Any]:
        """The fields of a nested struct."""
        found: dict[str, Any] = {}
        while not self.ends("}"):
            key = self.key()
            found.setdefault(key, self.value(depth + 1))
        return found

    def number(self) -> int | float:
        """A number."""
        end = self.at
        while end < len(self.text) and (self.text[end].isdigit() or self.text[end] in "-."):
            end += 1
        token = self.text[self.at : end]
        if end >= len(self.text) or not _NUMBER.search(token):
            raise _CutError
        self.at = end
        return float(token) if "." in token else int(token)
