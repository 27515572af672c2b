"""The logical lines of a unit file: sections, repeated keys, continuations with comments inside them.

Room: `parsers.services`. A reader of our own: configparser and the libraries built on it refuse or lose keys that stand twice and
comments inside a continuation, which systemd accepts. Syntax of systemd.syntax(7), systemd 229 to 257.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from kvaudit.patterns import LatePattern

MOST_LINES = 20_000
SECTION = LatePattern(r"^\[([A-Za-z][A-Za-z0-9-]{0,60})\]\s*$")
_KEY = LatePattern(r"^([A-Za-z][A-Za-z0-9_-]{0,60})\s*=\s*(.*)$")
_FRAGMENT = LatePattern(r"^# (/\S+\.(?:service|timer|socket|path|target|container|conf))\s*$")
"""`systemctl cat` writes the path of each fragment as a comment in front of it."""


@dataclass(slots=True)
class Assignment:
    """`Key=value` of a section. `text` joins continued lines with a blank; `place` maps its offsets to physical lines."""

    section: str
    key: str
    text: str
    line: int
    fragment: str = ""
    starts: list[int] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)

    def place(self, offset: int) -> tuple[int, int]:
        """Physical line and position of a character of `text`."""
        piece = max(0, bisect_right(self.starts, offset) - 1)
        number, position = self.lines[piece]
        return number, position + offset - self.starts[piece]


def assignments(text: str) -> Iterator[Assignment]:
    """Every assignment in order, comments and blank lines left out; keys outside of a section too, with an empty section."""
    reader = _Reader()
    for number, raw in enumerate(text.split("\n", MOST_LINES)[:MOST_LINES], start=1):
        if (found := reader.take(number, raw.rstrip("\r"))) is not None:
            yield found
    if reader.open is not None:
        yield _closed(reader.open)


@dataclass(slots=True)
class _Reader:
    """The section and fragment that lines belong to, and the assignment that goes on."""

    section: str = ""
    fragment: str = ""
    open: Assignment | None = None

    def take(self, number: int, line: str) -> Assignment | None:
        """One line; gives the assignment that it completes."""
        bare = line.strip()
        if self.open is not None:
            return None if bare[:1] in ("#", ";") else self._complete(_continued(self.open, line, number))
        if match := _FRAGMENT.search(bare):
            self.fragment, self.section = match.group(1), ""
        elif match := SECTION.search(bare):
            self.section = match.group(1)
        elif bare[:1] not in ("#", ";") and (match := _KEY.search(bare)):
            place = (number, len(line) - len(line.lstrip()) + match.span(2)[0])
            return self._complete(Assignment(self.section, match.group(1), match.group(2), number, self.fragment, [0], [place]))
        return None

    def _complete(self, found: Assignment) -> Assignment | None:
        self.open = found if found.text.endswith("\\") else None
        return None if self.open else _closed(found) if len(found.lines) > 1 else found


def _continued(open_: Assignment, line: str, number: int) -> Assignment:
    """The assignment with one line more: the backslash becomes a blank."""
    text = line.strip()
    open_.text = open_.text[:-1] + " "
    open_.starts.append(len(open_.text))
    open_.lines.append((number, len(line) - len(line.lstrip())))
    open_.text += text
    return open_


def _closed(open_: Assignment) -> Assignment:
    open_.text = open_.text.removesuffix("\\").rstrip()
    return open_
