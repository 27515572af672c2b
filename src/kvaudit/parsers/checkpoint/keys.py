"""The keys of a JSON document that may be cut off, damaged or hostile.

Room: checkpoint parsers. Works on tokens only, in linear time and without recursion; it checks nothing and knows no key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from kvaudit.parsers.checkpoint.positions import after_spaces
from kvaudit.patterns import LatePattern

EventKind = Literal["open_object", "open_array", "close", "key"]

_DECODER = json.JSONDecoder()
_COLON = ord(":")
_KINDS: dict[bytes, EventKind] = {b"{": "open_object", b"[": "open_array", b"}": "close", b"]": "close"}
# A string with the colon that makes it a key, or a bracket. In JSON nothing but a key is followed by a colon.
_TOKEN = LatePattern(rb'"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}\[\]]')


class Event(NamedTuple):
    """A structural event: `start` is a byte offset, `token` the bracket or the quoted key with its colon."""

    kind: EventKind
    token: bytes
    start: int


def events(data: bytes) -> Iterator[Event]:
    """Objects, arrays and keys in the order of the document. Values that are no containers are passed over."""
    for match in _TOKEN.finditer(data):
        token = match.group()
        kind = _KINDS.get(token) or ("key" if token[-1] == _COLON else None)
        if kind is not None:
            yield Event(kind, token, match.start())


def upper_keys(text: str) -> dict[str, set[str]]:
    """The keys of the document and, for each that holds an object, the keys of that object. A cut or damaged end is ignored."""
    keys: dict[str, set[str]] = {}
    open_objects: list[bool] = []
    upper = ""
    for event in events(text.encode("utf-8", "replace")):
        depth = len(open_objects)
        if event.kind == "close":
            if depth <= 1:
                break
            open_objects.pop()
        elif event.kind != "key":
            open_objects.append(event.kind == "open_object")
        elif depth == 1:
            upper = _text(event.token)
            keys.setdefault(upper, set())
        elif depth == 2 and open_objects[1] and upper:
            keys[upper].add(_text(event.token))
    return keys


def decoded_keys(text: str) -> dict[str, set[str]]:
    """What `upper_keys` finds, at the speed of the JSON decoder, up to the first damage."""
    keys: dict[str, set[str]] = {}
    position = text.find("{") + 1
    try:
        while True:
            key, position = _DECODER.raw_decode(text, after_spaces(text, position))
            colon = after_spaces(text, position)
            value, position = _DECODER.raw_decode(text, after_spaces(text, colon + 1))
            keys[str(key)] = set(value) if isinstance(value, dict) else set()
            position = after_spaces(text, position) + 1
    except (ValueError, IndexError, RecursionError):
        return keys


def second_of_a_key(text: str) -> tuple[str, int] | None:
    """The first key that stands twice in one object, and the line of its second appearance."""
    data = text.encode("utf-8", "replace")
    seen: list[set[str]] = []
    for event in events(data):
        if event.kind == "close":
            if seen:
                seen.pop()
        elif event.kind != "key":
            seen.append(set())
        elif seen and (key := _text(event.token)) in seen[-1]:
            return key, data.count(b"\n", 0, event.start) + 1
        elif seen:
            seen[-1].add(key)
    return None


def _text(token: bytes) -> str:
    """The key as text, without its colon. A key that cannot be decoded is one that nobody looks for."""
    quoted = token.rstrip(b": \t\r\n\f\v")
    if b"\\" not in quoted:
        return quoted[1:-1].decode("utf-8", "replace")
    try:
        decoded: Any = json.loads(quoted)
    except ValueError:
        return ""
    return str(decoded)
