"""Python reprs and `k=v, k=v` lines become JSON values: quote- and bracket-aware, never evaluated, cut lines survive.

Room: `parsers`, shared by all engines. Text in, values out; no key is known here. Engine lines, `Namespace(...)` dumps and
argument dicts hold nested class reprs and enums, which no literal parser reads. A cut value is dropped, what stands before it
is kept.
"""

from __future__ import annotations

import math
from typing import Any

from kvaudit.patterns import LatePattern

_DEEPEST = 40
_LONGEST = 1 << 18
_CONSTANTS: dict[str, Any] = {"None": None, "null": None, "True": True, "true": True, "False": False, "false": False}
_INT = LatePattern(r"^[+-]?\d{1,100}$")
_FLOAT = LatePattern(r"^[+-]?(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d{1,3})?|\d+[eE][+-]?\d{1,3})$")
_NAME = LatePattern(r"^[A-Za-z_][\w.]*$")
_CALL = LatePattern(r"^(?:[A-Za-z_][\w.]*\(|<)")
_KEY = LatePattern(r"^[A-Za-z_]\w*=")
_NEXT_KEY = LatePattern(r",?\s+[A-Za-z_]\w*=|,\s*$|\)\s*$")
_ENUM = LatePattern(r"^<(?P<name>[\w.]+)(?:: .*)?>$")
_STRING_START = LatePattern(r"""^[bru]{0,2}['"]""")
_CLOSERS = {"[": "]", "(": ")", "{": "}"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_CODES = {"x": 2, "u": 4, "U": 8}


class _CutError(Exception):
    """The text ends inside a value."""


class _Reader:
    """A cursor over the text."""

    def __init__(self, text: str) -> None:
        self.text = text[:_LONGEST]
        self.at = 0

    def skip(self, characters: str = " \t\r\n") -> None:
        while self.at < len(self.text) and self.text[self.at] in characters:
            self.at += 1

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def value(self, ends: str, depth: int) -> Any:
        """The value at the cursor, up to one of `ends` at this depth. Raises `_CutError` at the end of the text."""
        self.skip()
        if depth > _DEEPEST:
            raise _CutError
        first = self.peek()
        if first and first in "[(":
            return self.items(first, depth)
        if first == "{":
            return self.mapping(depth)
        if first and first in "bru'\"" and _STRING_START.search(self.text[self.at : self.at + 4]):
            return self.string()
        return self.bare(ends, depth)

    def string(self) -> str:
        while self.peek() not in "'\"":
            self.at += 1
        quote = self.peek()
        self.at += 1
        parts: list[str] = []
        while (character := self.peek()) != quote:
            if not character:
                raise _CutError
            self.at += 1
            parts.append(self.escaped() if character == "\\" else character)
        self.at += 1
        return "".join(parts)

    def escaped(self) -> str:
        """The character behind a backslash; an escape that is none keeps its backslash."""
        kind = self.peek()
        self.at += 1
        if digits := _CODES.get(kind):
            try:
                code = int(self.text[self.at : self.at + digits], 16)
                character = "" if 0xD800 <= code <= 0xDFFF else chr(code)
            except (ValueError, OverflowError):
                return f"\\{kind}"
            self.at += digits
            return character
        return _ESCAPES.get(kind, kind if kind in "\\'\"" else f"\\{kind}")

    def items(self, opener: str, depth: int) -> list[Any]:
        closer = _CLOSERS[opener]
        self.at += 1
        found: list[Any] = []
        while True:
            self.skip(" \t\r\n,")
            if not self.peek():
                raise _CutError
            if self.peek() == closer:
                self.at += 1
                return found
            before = self.at
            found.append(self.value("," + closer, depth + 1))
            if self.at == before:
                raise _CutError

    def mapping(self, depth: int) -> dict[str, Any]:
        """A dict repr; a set repr comes back as a dict of its members and None."""
        self.at += 1
        found: dict[str, Any] = {}
        while True:
            self.skip(" \t\r\n,")
            if not self.peek():
                raise _CutError
            if self.peek() == "}":
                self.at += 1
                return found
            before = self.at
            key = self.value(":,}", depth + 1)
            self.skip()
            value = None
            if self.peek() == ":":
                self.at += 1
                value = self.value(",}", depth + 1)
            if self.at == before:
                raise _CutError
            found.setdefault(key if isinstance(key, str) else str(key), value)

    def bare(self, ends: str, depth: int) -> Any:
        """A name, number, enum repr or class repr."""
        start = self.at
        while (character := self.peek()) and character not in ends:
            if character == "(" and _NAME.search(name := self.text[start : self.at].strip()):
                self.at += 1
                return self.call(name, depth)
            if character == "<":
                self.angle()
            else:
                self.at += 1
        text = self.text[start : self.at].strip()
        if not self.peek() and ends:
            raise _CutError
        return constant(text)

    def angle(self) -> None:
        """Skip `<...>`, which may hold brackets: `<CUDAGraphMode.FULL_AND_PIECEWISE: (2, 1)>`."""
        end = self.text.find(">", self.at)
        if end < 0:
            raise _CutError
        self.at = end + 1

    def call(self, name: str, depth: int) -> Any:
        """`Name(field=value, ...)` as an object with its class name; positional arguments under `_args`."""
        found: dict[str, Any] = {"_class": name}
        arguments: list[Any] = []
        while True:
            self.skip(" \t\r\n,")
            if not self.peek():
                raise _CutError
            if self.peek() == ")":
                self.at += 1
                break
            before = self.at
            key = _KEY.search(self.text[self.at : self.at + 200])
            if key:
                self.at += key.end()
                found.setdefault(key.group(0)[:-1], self.value(",)", depth + 1))
            else:
                arguments.append(self.value(",)", depth + 1))
            if self.at == before:
                raise _CutError
        if arguments:
            found["_args"] = arguments
        return found


def constant(text: str) -> Any:
    """A bare token as a JSON value; anything that is no constant or number stays text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.search(text):
        return int(text)
    if _FLOAT.search(text) and math.isfinite(number := float(text)):
        return number
    if enum := _ENUM.search(text):
        return enum.group("name")
    return text


def mapping(text: str) -> tuple[dict[str, Any], bool]:
    """`{'k': v, ...}` at the start of `text`: the values that are certain, and whether the text holds the whole dict."""
    return _top(text, "{", "}")


def namespace(text: str) -> tuple[dict[str, Any], bool]:
    """`Namespace(k=v, ...)` at the start of `text`: the values that are certain, and whether it is whole."""
    return _top(text, "(", ")")


def _top(text: str, opener: str, closer: str) -> tuple[dict[str, Any], bool]:
    start = text.find(opener)
    found: dict[str, Any] = {}
    if start < 0:
        return found, False
    reader = _Reader(text)
    reader.at = start + 1
    try:
        while True:
            reader.skip(" \t\r\n,")
            if reader.peek() == closer:
                return found, True
            key = _read_key(reader, closer)
            found.setdefault(key, reader.value("," + closer, 1))
    except _CutError:
        return found, False


def _read_key(reader: _Reader, closer: str) -> str:
    if closer == "}":
        key = reader.value(":", 1)
        if reader.peek() != ":" or not isinstance(key, str):
            raise _CutError
        reader.at += 1
        return key
    match = _KEY.search(reader.text[reader.at : reader.at + 200])
    if not match:
        raise _CutError
    reader.at += match.end()
    return str(match.group(0)[:-1])


def assignments(text: str) -> tuple[dict[str, tuple[Any, int]], bool]:
    """`k=v, k=v` (an engine line's body): per key the value and where the key stands, and whether the line is whole.

    Tolerates double spaces, a missing comma between two keys, a stray `)` at the end and unquoted text.
    """
    reader = _Reader(text)
    found: dict[str, tuple[Any, int]] = {}
    try:
        while True:
            reader.skip(" \t,")
            key = _KEY.search(reader.text[reader.at : reader.at + 200])
            if not key:
                return found, not reader.text[reader.at :].strip(" ,)")
            position = reader.at
            reader.at += key.end()
            value = _assigned(reader)
            found.setdefault(key.group(0)[:-1], (value, position))
    except _CutError:
        return found, False


def _assigned(reader: _Reader) -> Any:
    first = reader.peek()
    if first and first in "'\"[{(":
        return reader.value(",", 1)
    rest = reader.text[reader.at :]
    if _CALL.search(rest[:200]):
        return reader.value(", ", 1)
    ahead = _NEXT_KEY.search(rest)
    token = rest[: ahead.start()] if ahead else rest.rstrip()
    if not ahead and token.strip() not in _CONSTANTS:
        raise _CutError
    reader.at += len(token)
    return constant(token.strip())
