"""The key-value pairs of a GGUF header, with the limits that a hostile file needs.

Room: gguf parser. Format: magic, version, number of tensors, number of pairs, the pairs (GGUF 2 and 3, either byte order).
Long arrays (the tokenizer) are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.gguf.cursor import Cursor

_MOST_PAIRS = 100_000
_MOST_ELEMENTS = 2_000_000
_KEPT_ELEMENTS = 4096
_LONGEST_KEY = 1 << 16
_LONGEST_STRING = 8 << 20
_KEPT_CHARACTERS = 4096
_KEPT_BYTES = 8 << 20
"""What all values together may take; later ones are passed over."""
_DEEPEST = 2
_ELEMENT_BYTES = 8
_SMALLEST_PAIR = 13
"""A key length of 8 bytes, a type of 4, and a value of at least one."""
_SMALLEST_TENSOR = 24

_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


@dataclass(slots=True)
class Header:
    """What a header holds. A value is a number, a text, a list of short arrays, or None for what was passed over."""

    version: int
    tensors: int
    pairs: dict[str, Any] = field(default_factory=dict)

    def text(self, key: str) -> str | None:
        """A text, None where the key holds none."""
        value = self.pairs.get(key)
        return value if isinstance(value, str) else None

    def count(self, key: str) -> int | None:
        """A whole number of zero or more."""
        value = self.pairs.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def read_header(cursor: Cursor) -> Header:
    """The header at the start of the file. Raises `InputError` naming the file and what is wrong."""
    if cursor.take(4) != b"GGUF":
        raise InputError(cursor.path, "no GGUF file")
    version = _version(cursor)
    tensors, count = cursor.unsigned(), cursor.unsigned()
    if tensors * _SMALLEST_TENSOR > cursor.size:
        raise InputError(cursor.path, f"the GGUF header claims {tensors:,} tensors, more than the file can hold")
    if count > _MOST_PAIRS or count * _SMALLEST_PAIR > cursor.size:
        raise InputError(cursor.path, f"the GGUF header claims {count:,} key-value pairs, more than it can hold")
    header, kept = Header(version, tensors), 0
    for _ in range(count):
        key = _string(cursor, _LONGEST_KEY)
        if key in header.pairs:
            raise InputError(cursor.path, f"the GGUF header holds the key {key[:60]!r} twice")
        value = _value(cursor, cursor.unsigned("I"), 0)
        header.pairs[key] = value if kept <= _KEPT_BYTES else None
        kept += len(key) + (len(value) * _ELEMENT_BYTES if isinstance(value, str | list) else 0)
    return header


def _version(cursor: Cursor) -> int:
    """The version; where its upper half is filled instead of the lower, the file has the other byte order."""
    version = cursor.unsigned("I")
    if version and not version & 0xFFFF:
        cursor.order, version = ">", int.from_bytes(version.to_bytes(4, "little"), "big")
    if version not in (2, 3):
        raise InputError(cursor.path, f"GGUF version {version} is not read, only 2 and 3")
    return version


def _value(cursor: Cursor, kind: int, depth: int) -> Any:
    if kind in _NUMBERS:
        return cursor.number(_NUMBERS[kind])
    if kind == _STRING:
        return _string(cursor, _LONGEST_STRING)
    if kind == _ARRAY:
        return _array(cursor, depth + 1)
    raise InputError(cursor.path, f"the GGUF header holds a value of unknown type {kind} at byte {cursor.position:,}")


def _string(cursor: Cursor, limit: int) -> str:
    length = cursor.unsigned()
    if length > limit:
        raise InputError(cursor.path, f"the GGUF header claims a text of {length:,} bytes at byte {cursor.position:,}")
    kept = cursor.take(min(length, _KEPT_CHARACTERS))
    if length > len(kept):
        cursor.skip(length - len(kept))
    return kept.decode("utf-8", "replace")


def _array(cursor: Cursor, depth: int) -> list[Any] | None:
    """A short array of numbers, None for what is passed over: texts, long arrays, arrays of arrays."""
    kind, length = cursor.unsigned("I"), cursor.unsigned()
    if length > _MOST_ELEMENTS:
        raise InputError(cursor.path, f"the GGUF header claims an array of {length:,} elements at byte {cursor.position:,}")
    if depth > _DEEPEST:
        raise InputError(cursor.path, f"the GGUF header nests arrays deeper than {_DEEPEST} levels")
    if kind in _NUMBERS:
        if length <= _KEPT_ELEMENTS and depth == 1:
            return [cursor.number(_NUMBERS[kind]) for _ in range(length)]
        cursor.skip(length * _SIZES[kind])
    elif kind == _STRING:
        cursor.skip_strings(length)
    else:
        for _ in range(length):
            _value(cursor, kind, depth)
    return None
