"""Lines, paragraphs, columns: the few typographic parts that the pages are set from.

Room: `reports/text`. The only module here that touches rich. Text is never parsed as markup; a line is a rich `Text`, a block is
a list of lines that are already as narrow as they must be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, cast

from kvaudit.reports import cells
from kvaudit.reports.github_actions import disarm_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Part = str | tuple[str, str]
"""A piece of a line: plain, or with a style such as `bold red`."""

PROSE = 100
"""Longest line of running text: wider terminals only widen tables and evidence."""

GAP = 2

_NO_CONSOLE = cast("Console", None)
"""rich asks the console only where text is to be justified on both sides."""


def line(*parts: Part) -> Text:
    """One line of pieces; nothing in them is markup."""
    from rich.text import Text

    return Text.assemble(*parts)


def heading(words: str) -> Text:
    """The title of a section."""
    return line((words, "bold"))


def width_of(text: Text | str) -> int:
    """Terminal cells that a text takes; wide characters take two."""
    return cells.width_of(text if isinstance(text, str) else text.plain)


def wrapped(text: Text, width: int) -> list[Text]:
    """The text in lines of at most `width` cells, broken at blanks, inside a word only where it is longer than a line."""
    lines = text.wrap(_NO_CONSOLE, max(1, width), overflow="fold")
    for one in lines:
        one.rstrip()
    return list(lines) or [line("")]


def hang(prefix: Part, text: Text, width: int) -> list[Text]:
    """A paragraph whose first line starts with `prefix` and whose other lines are indented by its width."""
    lead = line(prefix)
    indent = width_of(lead)
    body = wrapped(text, max(1, width - indent))
    return [lead + body[0], *(line(" " * indent) + one for one in body[1:])]


def hanging(text: Text, width: int, by: int = 2) -> list[Text]:
    """A paragraph whose first line stands out to the left."""
    first, *rest = wrapped(text, width - by)
    return [first, *indented(rest, by)]


def indented(lines: Iterable[Text], by: int) -> list[Text]:
    """The lines, moved to the right."""
    return [line(" " * by) + one if one.plain else one for one in lines]


def side_by_side(columns: Sequence[tuple[list[Text], int]]) -> list[Text]:
    """Blocks beside each other, each in a column of its own width."""
    height = max(len(block) for block, _ in columns)
    out = []
    for row in range(height):
        joined = line("")
        for block, width in columns:
            cell = block[row] if row < len(block) else line("")
            joined = joined + cell + line(" " * max(0, width - width_of(cell) + GAP))
        joined.rstrip()
        out.append(joined)
    return out


def row(cells: Sequence[tuple[Text, int]]) -> list[Text]:
    """One table row; a cell longer than its column goes on below."""
    return side_by_side([(wrapped(text, width), width) for text, width in cells])


def page(lines: Iterable[Text], width: int, colour: bool) -> str:
    """The lines as one string, with ANSI sequences only where `colour` asks for them, safe for a CI runner to read."""
    if not colour:
        return disarm_text("".join(f"{one.plain}\n" for one in lines))
    stream = StringIO()
    console = _console(width, stream)
    for one in lines:
        console.print(one, soft_wrap=True)
    return disarm_text(stream.getvalue())


def _console(width: int, stream: StringIO) -> Console:
    from rich.console import Console

    return Console(
        file=stream,
        width=max(1, width),
        height=1000,
        force_terminal=True,
        force_interactive=False,
        force_jupyter=False,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
