"""The JSON values of a result file: one, one per line, or one after another.

Room: `parsers.results`. Everything that comes in is hostile. Benchmark clients append to their files and write `NaN` and
`Infinity`, so both are read here; what is no number is left to `figures`. Nesting is bounded by the decoder
alone: what comes out of a file are texts and numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from kvaudit.errors import InputError
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.source import Source

MOST_VALUES = 1_000
"""Most values read of one file; a sweep has some hundred."""


@dataclass(slots=True)
class Documents:
    """The values with the offsets at which they begin in `text`; notes say what was left out."""

    text: str
    values: list[tuple[int, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _DuplicateError(ValueError):
    """An object holds a key twice."""


def load(source: Source) -> Documents:
    """Every JSON value of `source`. A damaged end is left out with a note.

    Raises `InputError`, naming the file, when it is too large, when its first value is damaged or nested too deeply, or
    when an object in it holds a key twice.
    """
    text = source.text()
    if text is None:
        raise InputError(source.path, f"{source.size >> 20} MiB, too large for a result file")
    text = without_half_pairs(text)
    found = Documents(text)
    decoder = json.JSONDecoder(object_pairs_hook=_unique)
    position = _begin(text, 1 if text.startswith("\ufeff") else 0)
    while position < len(text) and len(found.values) < MOST_VALUES:
        try:
            value, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            _damaged(source, found, position, error)
            break
        found.values.append((position, value))
        position = _begin(text, end)
    else:
        if position < len(text):
            found.notes.append(f"only the first {MOST_VALUES} values of the file are read")
    return found


def _begin(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n\0":
        position += 1
    return position


def _damaged(source: Source, found: Documents, position: int, error: Exception) -> None:
    """The first value must be sound; what follows whole ones is noted."""
    at = error.pos if isinstance(error, json.JSONDecodeError) else position
    line = found.text.count("\n", 0, min(at, len(found.text))) + 1
    said = {json.JSONDecodeError: getattr(error, "msg", ""), RecursionError: "nested too deeply"}.get(type(error), str(error))
    if not found.values or isinstance(error, _DuplicateError):
        raise InputError(source.path, f"damaged JSON, line {line}: {said}") from error
    found.notes.append(f"line {line}: damaged JSON ({said}); nothing behind it is read")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _DuplicateError(f"the key {json.dumps(twice[:60])} stands twice in one object")
    return value
