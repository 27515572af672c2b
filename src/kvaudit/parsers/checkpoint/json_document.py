"""Reads a JSON document strictly: size, depth, duplicate keys, numbers that are none; and makes origins into it.

Room: checkpoint parsers. Everything that comes in is hostile. It knows no key of any format; what cannot be read as meant is
an `InputError` that names the file and the place.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.keys import second_of_a_key
from kvaudit.parsers.checkpoint.positions import Place, places
from kvaudit.parsers.facts import Origin
from kvaudit.sources.source import Source

LIMIT_BYTES = 16 << 20
"""Largest document read; the largest real config.json seen is 3.1 MB."""

DEEPEST = 64
"""Deepest nesting read; real files need about ten levels, and whoever writes the facts out recurses too."""

_WINDOW = 1 << 15
_SEARCHED = 1 << 20


class _RefusedError(ValueError):
    """The document holds something that strict JSON has no room for."""


class _DuplicateError(ValueError):
    """An object holds a key twice."""


@dataclass(slots=True)
class JsonDocument:
    """A JSON object with the text it was read from, for origins. `lines` is false for text inside a binary file."""

    source: Source
    value: dict[str, Any]
    text: str
    lines: bool = True

    def origins(self, pointers: list[str], reader: str) -> dict[str, Origin]:
        """One origin for each pointer: the line that holds its key (or its nearest ancestor's)."""
        found = places(self.text, pointers)
        return {pointer: self._origin(pointer, place, reader) for pointer, place in found.items()}

    def _origin(self, pointer: str, place: Place, reader: str) -> Origin:
        start = max(self.text.rfind("\n", 0, place.start) + 1, place.start - _WINDOW) if self.lines else place.start
        end = self.text.find("\n", place.start)
        line = self.text[start : min(len(self.text) if end < 0 else end, place.start + _WINDOW)]
        excerpt = self.source.excerpt(line, place.start - start)
        number = place.line if self.lines else None
        return Origin(file=self.source.path, line=number, pointer=pointer, excerpt=excerpt, reader=reader)


def load(source: Source, limit: int = LIMIT_BYTES) -> JsonDocument:
    """The JSON object that `source` holds.

    Raises `InputError`, naming file and position, when it is larger than `limit` bytes, no JSON object, nested too deeply,
    or holds duplicate keys, NaN, half surrogate pairs or integers that are too long. Infinities are kept as text.
    """
    text = source.text()
    if text is None or source.size > limit:
        raise InputError(source.path, f"larger than {limit >> 20} MiB, too large for a checkpoint file")
    text = text.removeprefix("\ufeff")
    value = _parsed(text, source.path)
    if not isinstance(value, dict):
        raise InputError(source.path, "line 1: not a JSON object")
    if _depth_exceeds(value, DEEPEST):
        raise InputError(source.path, f"JSON nested deeper than {DEEPEST} levels")
    if not _encodable(value, text):
        raise InputError(source.path, "not strict JSON: half of a surrogate pair")
    return JsonDocument(source, value, text)


def _parsed(text: str, path: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        message = f"damaged JSON, line {error.lineno} column {error.colno}: {error.msg}"
        raise InputError(path, message) from error
    except _DuplicateError as error:
        raise InputError(path, _duplicate(text)) from error
    except RecursionError as error:
        raise InputError(path, "JSON nested too deeply") from error
    except ValueError as error:
        # What int() says of a number beyond its digit limit, and what the hooks below refuse.
        raise InputError(path, f"not strict JSON: {error}") from error


def _encodable(value: Any, text: str) -> bool:
    """Whether no string holds half of a surrogate pair, which only an escape can bring in and no file could be written with."""
    if "\\ud" not in text and "\\uD" not in text:
        return True
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [item for container in level for item in _items(container) if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _items(container: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def _duplicate(text: str) -> str:
    found = second_of_a_key(text) if len(text) <= _SEARCHED else None
    if found is None:
        return "not strict JSON: a key stands twice in one object"
    return f"not strict JSON, line {found[1]}: the key {json.dumps(found[0][:60])} stands twice in one object"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateError
    return value


def _constant(name: str) -> str:
    """Python's own writer puts Infinity into real files (Nemotron-H: `time_step_limit`); it stays as text, NaN is refused."""
    if name == "NaN":
        raise _RefusedError("NaN is no number")
    return name


def _finite(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits
