"""The printed lines of a snapshot document: paste damage undone, original line numbers kept.

Room: `parsers.snapshots`. Lines are split on newline only. Colours, byte order marks, zero-width characters, quoting, backticks
and indentation go; a box row that was hard-wrapped comes back as one line; a snapshot inside a JSON string is unwrapped with
its pointer. Nothing here knows what a row means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_INVISIBLE = str.maketrans("\u00a0\u2502\u2503", " ||", "\ufeff\u200b\u200c\u200d\u2060\0\r")
_QUOTING = " \t>`"
_MOST_LINES = 200_000
_DEEPEST = 40
_TELLTALES = ("NVIDIA-SMI", "NVSMI LOG")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A readable line: `number` is 1-based in the file, `pointer` is set inside JSON, `raw` is what an excerpt shows."""

    number: int
    text: str
    raw: str
    pointer: str | None = None


def text_lines(source: Source) -> list[TextLine]:
    """All lines of the document, blank ones included (their text is empty). Empty for a document too large to be kept."""
    text = source.text() or ""
    if text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["} and any(mark in text for mark in _TELLTALES):
        unwrapped = list(_inside_json(text))
        if unwrapped:
            return unwrapped
    return plain_lines(text)


def plain_lines(text: str) -> list[TextLine]:
    """The lines of plain text, at most 200,000."""
    return [
        TextLine(number, cleaned(raw), raw) for number, raw in enumerate(text.split("\n", _MOST_LINES)[:_MOST_LINES], start=1)
    ]


def cleaned(raw: str) -> str:
    """One line without colours, invisible characters, quoting marks, backticks and outer blanks."""
    text = without_colours(raw).translate(_INVISIBLE)
    return text.lstrip(_QUOTING).rstrip(_QUOTING.replace(">", ""))


def rejoined(lines: list[TextLine]) -> Iterator[TextLine]:
    """The lines with hard-wrapped box rows joined: a row opens with a bar, lacks its last one, and the next line brings it."""
    width = max((len(line.raw) for line in lines if line.text.startswith("|")), default=0)
    held: TextLine | None = None
    for line in lines:
        if held is not None and line.text.endswith("|") and not line.text.startswith(("|", "+")):
            yield _joined(held, line, width)
            held = None
            continue
        if held is not None:
            yield held
        held = line if line.text.startswith("|") and not line.text.endswith(("|", "+")) else None
        if held is None:
            yield line
    if held is not None:
        yield held


def _joined(first: TextLine, second: TextLine, width: int) -> TextLine:
    """A row cut at the width of the terminal goes together as it was; one whose end was trimmed gets a blank between."""
    whole = len(first.raw) >= width
    text = cleaned(first.raw + second.raw) if whole else f"{first.text} {second.text}"
    return TextLine(first.number, text, first.raw, first.pointer)


def _inside_json(text: str) -> Iterator[TextLine]:
    """The lines of every JSON string that holds a snapshot, each with the physical line the string stands on."""
    try:
        document = json.loads(without_half_pairs(text.lstrip("\ufeff")))
    except (ValueError, RecursionError):
        return
    physical = [number for number, raw in enumerate(text.split("\n"), start=1) if any(mark in raw for mark in _TELLTALES)]
    for order, (pointer, held) in enumerate(_strings(document, "", 0)):
        number = physical[min(order, len(physical) - 1)] if physical else 1
        for raw in held.split("\n"):
            yield TextLine(number, cleaned(raw), raw, pointer)


def _strings(value: Any, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if any(mark in value for mark in _TELLTALES):
            yield pointer or "/", value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            name = str(key).replace("~", "~0").replace("/", "~1")
            yield from _strings(item, f"{pointer}/{name}", depth + 1)
