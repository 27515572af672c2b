"""A JSON document as flat cells: every scalar by its path, with line and pointer.

Room: `parsers.snapshots`. The document is checked by the JSON decoder first and then walked without recursion; size, depth and
number of cells are limited. Of a key that stands twice the first is kept.
"""

from __future__ import annotations

import json
from typing import Any

from kvaudit.parsers.snapshots.capture import Said
from kvaudit.parsers.snapshots.document import TextLine, cleaned
from kvaudit.sources.escapes import without_half_pairs

Path = tuple[str, ...]
_DECODER = json.JSONDecoder()
_SPACES = " \t\r\n"
_DEEPEST = 40
_MOST_CELLS = 300_000
_MOST_TEXT = 1 << 24


def json_cells(text: str) -> dict[Path, Said] | None:
    """Cells by path, array places as decimal steps; a document that is one scalar has none.

    None for anything that is not sound JSON within the limits.
    """
    text = without_half_pairs(text.lstrip("\ufeff \t\r\n"))
    if len(text) > _MOST_TEXT:
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _Walk(text).run()


class _Walk:
    """One walk over a sound document: `steps` is the path, `ends` the closing bracket of every open container."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.steps: list[str] = []
        self.ends: list[str] = []
        self.line, self.counted = 1, 0
        self.cells: dict[Path, Said] = {}

    def run(self) -> dict[Path, Said] | None:
        while True:
            self._spaces()
            if self.position >= len(self.text):
                return self.cells
            if len(self.ends) > _DEEPEST or len(self.cells) > _MOST_CELLS:
                return None
            self._token(self.text[self.position])

    def _spaces(self) -> None:
        while self.position < len(self.text) and self.text[self.position] in _SPACES:
            self.position += 1

    def _token(self, character: str) -> None:
        if character in "{[":
            self.position += 1
            self.ends.append(character)
            self.steps.append("" if character == "{" else "0")
        elif character in "}]":
            self.position += 1
            self.ends.pop()
            self.steps.pop()
        elif character == ",":
            self.position += 1
            if self.ends[-1] == "[":
                self.steps[-1] = str(int(self.steps[-1]) + 1)
            else:
                self.steps[-1] = ""
        else:
            self._scalar()

    def _scalar(self) -> None:
        """A key, when an object waits for one, or a value."""
        start = self.position
        value, self.position = _DECODER.raw_decode(self.text, start)
        if self.ends and self.ends[-1] == "{" and not self.steps[-1]:
            self._spaces()
            self.position += 1
            self.steps[-1] = f"\0{value}"
            return
        path = tuple(step.removeprefix("\0") for step in self.steps)
        if path:
            self.cells.setdefault(path, self._said(value, start, path))

    def _said(self, value: Any, start: int, path: Path) -> Said:
        self.line += self.text.count("\n", self.counted, start)
        self.counted = start
        begin = max(self.text.rfind("\n", 0, start) + 1, start - 10_000)
        end = self.text.find("\n", start)
        raw = self.text[begin : min(len(self.text) if end < 0 else end, start + 10_000)]
        pointer = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in path)
        return Said(value, TextLine(self.line, cleaned(raw) if len(raw) < 400 else "", raw, pointer), start - begin)
