"""Secrets that lie over several lines: key blocks, and values on the line behind the one that names them.

Room: `redaction`. For texts that are copied line by line, where each line must keep its place and its number. Shapes: PEM
(RFC 7468) and OpenPGP armour, plain or behind the prefix that a log gives to each line; one item a line, as YAML and
`kubectl describe` write arguments and variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kvaudit.patterns import LatePattern
from kvaudit.redaction.judging import is_value
from kvaudit.redaction.names import means_secret
from kvaudit.redaction.patterns import QUOTED
from kvaudit.redaction.redactor import Redactor
from kvaudit.redaction.spans import Span

_BEGIN = LatePattern(r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|SECRET KEY)[A-Z ]{0,20}-----")
_END = LatePattern(r"-----END [A-Z0-9 ]{0,40}KEY[A-Z ]{0,20}-----")
_DENSE = LatePattern(r"[A-Za-z0-9+/]{16}")
_BODY = LatePattern(r"""\s*(?:([A-Za-z0-9+/=]+)|[A-Z][A-Za-z-]{2,20}: [^\n]{0,200})?(?:\s*$|\\|["',]|-----END)""")
"""A line of a block, with its base64 or one of the headers between which and the base64 a line is empty."""
_MOST_LINES = 500
"""A key of 16,384 bits has some 200."""
_LONGEST, _LONGEST_NAME = 1 << 12, 300
"""An item that has a line for itself is not longer, and no name."""

_WORD = LatePattern(r"\S+")
_NAMES = LatePattern(
    r"""^\s*(?:-\s+)?["']?(?:(?:name|key)["']?:\s?["']?([A-Za-z0-9_.-]{1,200})|(--?[A-Za-z0-9_.-]{1,200})|"""
    r"""([A-Za-z0-9_.-]{1,200}):\s[>|][+-]?)["']?,?\s*\\?\s*$"""
)
_ITEM = LatePattern(rf"""^\s*(?:-\s+)?({QUOTED}|[^\s'"-][^\s'"]*?),?\s*\\?\s*$""")
_VALUE = LatePattern(rf"""^\s*["']?value["']?:\s*({QUOTED}|[^\s'"][^'"]*?),?\s*$""")


@dataclass(slots=True)
class _Block:
    """A key block that has begun: what stood before it on its line, and how many lines it may still have."""

    prefix: str
    left: int = _MOST_LINES

    def body(self, line: str) -> Span | None:
        """Where the key's own text is in a line (nowhere: two equal numbers), or None where the line is none of the block."""
        start = len(self.prefix) if line.startswith(self.prefix) else _behind_words(line, len(self.prefix.split()))
        match = _BODY.match(line[start:])
        if match is None:
            return None
        first, last = match.span(1)
        return (start + first, start + last) if first >= 0 else (start, start)


class LineMasker:
    """Masks the lines of one text, in order."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._block: _Block | None = None
        self._behind: Any = None
        """How a secret on the next line would stand there, where this one ends with a name that means one."""

    def mask(self, line: str) -> str:
        """The next line, its secrets masked."""
        behind, self._behind = self._behind, _value_behind(line)
        begin = _BEGIN.search(line) if "-----BEGIN" in line and self._block is None else None
        if begin is not None and _END.search(line) is None and _DENSE.search(line[begin.end() :]) is None:
            self._block = _Block(line[: begin.start()])
            return self._redactor.mask(line[: begin.start()]) + line[begin.start() :]
        span = self._in_block(line, self._block) if self._block else behind and _item(line, behind)
        if not span:
            return self._redactor.mask(line)
        return self._redactor.mask(line[: span[0]] + self._redactor.secret(line[slice(*span)]) + line[span[1] :])

    def _in_block(self, line: str, block: _Block) -> Span | None:
        span = block.body(line)
        block.left -= 1
        if span is None or not block.left or _END.search(line):
            self._block = None
        return span if span and span[0] < span[1] else None


def _behind_words(line: str, count: int) -> int:
    """Where the text begins behind so many words."""
    return next((word.end() for number, word in enumerate(_WORD.finditer(line), 1) if number == count), 0)


def _value_behind(line: str) -> Any:
    if len(line) > _LONGEST_NAME or (line[:1].isupper() and line.rstrip()[-1] not in ">|+-"):  # as most lines of a log
        return None
    match = _NAMES.match(line)
    if match is None:
        return None
    name, flag, block = match.groups()
    return (_VALUE if name else _ITEM) if means_secret(name or flag or block) else None


def _item(line: str, pattern: Any) -> Span | None:
    """Where a value is that has its line for itself, without its quotes."""
    match = pattern.match(line) if len(line) <= _LONGEST else None
    if match is None:
        return None
    first, last = match.span(1)
    if line[first] in "'\"":
        first, last = first + 1, last - 1
    return (first, last) if is_value(line[first:last]) else None
