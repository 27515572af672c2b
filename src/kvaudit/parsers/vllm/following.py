"""What stands behind a line in the document: continuation lines of a wrapped one, or signs that the engine went on.

Room: physical lines of one document. Documents that are too large to be kept answer nothing: what is not known stays unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from kvaudit.parsers.continuation import joined
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_MOST_LINES = 60
_MOST_LAST_WORDS = 80
"""Lines that may follow an exception that ended a process: shutdown warnings of Python, torch and the service manager."""
_GOES_ON = LatePattern(r"(?:DEBUG|INFO) \d\d-\d\d \d\d:\d\d:\d\d ")
_RECORD = LatePattern(r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)[: ]|pid=\d+\)|Traceback|^\s*$")


class Document:
    """The physical lines of a source, split once and only when somebody asks."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def _lines(self) -> list[str] | None:
        text = self._source.text()
        return None if text is None else text.split("\n")

    def continued(self, number: int, body: str, is_whole: Callable[[str], bool]) -> tuple[str, int]:
        """`body` of line `number` with the lines that continue it, and how many they are (0 where joining does not help).

        Only lines that carry no record of their own are joined, and only where the joined text is whole.
        """
        return joined(body, (self._lines or [])[number : number + _MOST_LINES], _RECORD, is_whole)

    def goes_on(self, number: int, end: int) -> bool:
        """Whether the engine's log, or much other output, follows line `number` up to line `end`.

        True where it cannot be told.
        """
        if self._lines is None:
            return True
        told = [line for line in self._lines[number:end] if line.strip()]
        return len(told) > _MOST_LAST_WORDS or any(_GOES_ON.search(line) for line in told)
