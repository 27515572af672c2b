"""Where the values of a JSON document stand, array elements included: pointer to physical line and offset.

Room: `parsers.results`. Walks only towards wanted pointers and lets the JSON decoder skip every other value. The document has
been read before, so it is sound.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from kvaudit.parsers.checkpoint.positions import Place, after_spaces

_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class _Wanted:
    """A node of the tree of wanted pointers."""

    pointer: str = ""
    children: dict[str, _Wanted] = field(default_factory=dict)


def places(text: str, start: int, pointers: Iterable[str]) -> dict[str, Place]:
    """The places of `pointers` (RFC 6901) in the JSON value at offset `start` of `text`; lines are those of the whole text.

    A pointer that names nothing gets the place of its nearest ancestor; the empty pointer is the value itself.
    """
    wanted = list(dict.fromkeys(pointers))
    offsets = {"": start}
    if text[start : start + 1] in ("{", "["):
        _walk(text, start, _tree(wanted), offsets)
    return _with_lines(text, {pointer: _nearest(offsets, pointer) for pointer in wanted})


def _walk(text: str, start: int, node: _Wanted, offsets: dict[str, int]) -> int:
    """Note the offsets of the wanted members of the container at `start` and below; the offset after it comes back.

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


def _tree(pointers: Iterable[str]) -> _Wanted:
    root = _Wanted()
    for pointer in pointers:
        node, path = root, ""
        for step in pointer.split("/")[1:]:
            path += f"/{step}"
            node = node.children.setdefault(step.replace("~1", "/").replace("~0", "~"), _Wanted(path))
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
