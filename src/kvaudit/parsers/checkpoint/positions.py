"""Where the keys and array elements of a sound JSON document stand: JSON pointer to physical line.

Room: checkpoint parsers. Walks only the containers that lead to a wanted member and lets the JSON decoder skip every other value,
so the cost is that of reading the document once more. The document has been read before (`json_document`), so it is sound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

_DECODER = json.JSONDecoder()
_SPACES = " \t\r\n"


class Place(NamedTuple):
    """Where a key or element stands: 1-based line, split on newline only, and offset of its first character."""

    line: int
    start: int


@dataclass(slots=True)
class _Wanted:
    """A node of the tree of wanted pointers."""

    pointer: str = ""
    children: dict[str, _Wanted] = field(default_factory=dict)


def places(text: str, pointers: Iterable[str], start: int | None = None) -> dict[str, Place]:
    """The places of the keys and array elements that `pointers` (RFC 6901) name in the sound JSON value at offset `start`.

    Without `start` the value is the whole document; lines are those of the whole text. A pointer that names nothing gets the
    place of its nearest ancestor; the empty pointer is the value itself.
    """
    wanted = list(dict.fromkeys(pointers))
    begin = after_spaces(text, 0) if start is None else start
    offsets = {"": begin}
    if text[begin : begin + 1] in ("{", "["):
        _walk(text, begin, _tree(wanted), offsets)
    return _with_lines(text, {pointer: _nearest(offsets, pointer) for pointer in wanted})


def _walk(text: str, start: int, node: _Wanted, offsets: dict[str, int]) -> int:
    """Note the offsets of the wanted members of the container at `start` and below. The offset after it comes back.

    It calls itself only along wanted pointers, so as deep as the longest of them.
    """
    close = "}" if text[start] == "{" else "]"
    position, number = after_spaces(text, start + 1), 0
    while text[position] != close:
        key, value = (str(number), position) if close == "]" else _key(text, position)
        child = node.children.get(key)
        if child is not None:
            offsets[child.pointer] = position
        if child is not None and child.children and text[value] in "{[":
            position = _walk(text, value, child, offsets)
        else:
            _, position = _DECODER.raw_decode(text, value)
        position, number = after_spaces(text, position), number + 1
        if text[position] == ",":
            position = after_spaces(text, position + 1)
    return position + 1


def _key(text: str, position: int) -> tuple[str, int]:
    """The key at an offset, and the offset of its value."""
    key, colon = _DECODER.raw_decode(text, position)
    return key, after_spaces(text, after_spaces(text, colon) + 1)


def after_spaces(text: str, position: int) -> int:
    """The offset of the first character at or after `position` that is no JSON white space. IndexError at the end of the text."""
    while text[position] in _SPACES:
        position += 1
    return position


def _tree(pointers: Iterable[str]) -> _Wanted:
    root = _Wanted()
    for pointer in pointers:
        node, path = root, ""
        for step in pointer.split("/")[1:]:
            path += f"/{step}"
            key = step.replace("~1", "/").replace("~0", "~")
            node = node.children.setdefault(key, _Wanted(path))
    return root


def _nearest(offsets: dict[str, int], pointer: str) -> int:
    while pointer not in offsets:
        pointer = pointer.rpartition("/")[0]
    return offsets[pointer]


def _with_lines(text: str, offsets: dict[str, int]) -> dict[str, Place]:
    """Offsets with their lines, each newline counted once."""
    lines: dict[int, int] = {}
    counted, line = 0, 1
    for offset in sorted(set(offsets.values())):
        line += text.count("\n", counted, offset)
        counted, lines[offset] = offset, line
    return {pointer: Place(lines[offset], offset) for pointer, offset in offsets.items()}


def pointer_of(*keys: str) -> str:
    """The JSON pointer of a path of keys, `~` and `/` escaped."""
    return "".join(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in keys)
