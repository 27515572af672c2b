"""Where the keys of a JSON document stand: JSON pointer to physical line, and the keys near the top of a document.

Room: checkpoint parsers. Works on bytes and on tokens only, in linear time and without recursion, so it also runs on damaged
and hostile documents. It checks nothing and knows no key; whether a document is sound is decided in `json_document`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import re2

EventKind = Literal["open_object", "open_array", "close", "key"]

_KINDS: dict[bytes, EventKind] = {b"{": "open_object", b"[": "open_array", b"}": "close", b"]": "close"}
# A string, or one character that gives structure. The newline stands last: it can only match between tokens.
_TOKEN = re2.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],\n]')


class Event(NamedTuple):
    """A structural event: `line` is 1-based and split on newline only, `start` a byte offset, `token` the quoted key."""

    kind: EventKind
    token: bytes
    line: int
    start: int


class Place(NamedTuple):
    """Where a key stands: 1-based line and byte offset of its opening quote (of the brace for the whole document)."""

    line: int
    start: int


def events(data: bytes) -> Iterator[Event]:
    """Objects, arrays and keys in the order of the document. Values that are no containers are passed over."""
    line, expects_key = 1, False
    objects: list[bool] = []
    for match in _TOKEN.finditer(data):
        token = match.group()
        if token == b"\n":
            line += 1
        elif token == b",":
            expects_key = bool(objects) and objects[-1]
        elif (kind := _KINDS.get(token)) is not None:
            if kind == "close":
                if objects:
                    objects.pop()
                expects_key = False
            else:
                objects.append(kind == "open_object")
                expects_key = kind == "open_object"
            yield Event(kind, token, line, match.start())
        elif expects_key:
            expects_key = False
            yield Event("key", token, line, match.start())


@dataclass(slots=True)
class _Wanted:
    """A node of the tree of wanted pointers."""

    children: dict[str, _Wanted] = field(default_factory=dict)
    pointer: str = ""


def places(data: bytes, pointers: set[str]) -> dict[str, Place]:
    """The places of the keys that `pointers` (RFC 6901) name, in one pass that ends when all are found.

    A pointer that names no key (an array element, a key that is not there) gets the place of its nearest ancestor; the
    empty pointer is the document itself.
    """
    root = _tree(pointers)
    found: dict[str, Place] = {}
    missing = {pointer for pointer in pointers if pointer}
    parents: list[_Wanted | None] = []
    current: _Wanted | None = root
    for event in events(data):
        if event.kind == "key":
            parent = parents[-1]
            current = parent.children.get(_text(event.token)) if parent is not None else None
            if current is not None:
                found[current.pointer] = Place(event.line, event.start)
                missing.discard(current.pointer)
        elif event.kind == "close":
            if parents:
                parents.pop()
            current = None
        else:
            found.setdefault("", Place(event.line, event.start))
            parents.append(current if event.kind == "open_object" else None)
            current = None
        if not missing:
            break
    return {pointer: _nearest(found, pointer) for pointer in pointers}


def _tree(pointers: set[str]) -> _Wanted:
    root = _Wanted()
    for pointer in pointers:
        node, path = root, ""
        for step in pointer.split("/")[1:]:
            path += f"/{step}"
            node = node.children.setdefault(step.replace("~1", "/").replace("~0", "~"), _Wanted(pointer=path))
    return root


def _nearest(found: dict[str, Place], pointer: str) -> Place:
    while pointer and pointer not in found:
        pointer = pointer.rpartition("/")[0]
    return found.get(pointer, Place(1, 0))


def _text(token: bytes) -> str:
    """The key as text. A key that cannot be decoded (damaged document) is one that nobody looks for."""
    if b"\\" not in token:
        return token[1:-1].decode("utf-8", "replace")
    try:
        decoded: Any = json.loads(token)
    except ValueError:
        return ""
    return str(decoded)


def pointer_of(*keys: str) -> str:
    """The JSON pointer of a path of keys, `~` and `/` escaped."""
    return "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in keys)


def upper_keys(data: bytes) -> dict[str, set[str]]:
    """The keys of the document and, for each that holds an object, the keys of that object. Damaged ends are ignored."""
    keys: dict[str, set[str]] = {}
    depth, upper, in_object = 0, "", [False]
    for event in events(data):
        if event.kind == "close":
            depth -= 1
            in_object = in_object[: depth + 1]
            if depth <= 0:
                break
        elif event.kind != "key":
            depth += 1
            in_object.append(event.kind == "open_object")
        elif depth == 1:
            upper = _text(event.token)
            keys.setdefault(upper, set())
        elif depth == 2 and in_object[2] and upper:
            keys[upper].add(_text(event.token))
    return keys


def second_of_a_key(data: bytes) -> tuple[str, int] | None:
    """The first key that stands twice in one object, and the line of its second appearance."""
    seen: list[set[str]] = []
    for event in events(data):
        if event.kind == "close":
            if seen:
                seen.pop()
        elif event.kind != "key":
            seen.append(set())
        elif (key := _text(event.token)) in seen[-1]:
            return key, event.line
        else:
            seen[-1].add(key)
    return None
