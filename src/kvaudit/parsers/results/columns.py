"""Result tables in text: a draft whose figures stand in the columns of one row.

Room: `parsers.results`. No format is named here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.results.facts import Teller
from kvaudit.parsers.results.figures import Draft


def numbered(text: str) -> Iterator[tuple[int, int, str]]:
    """Lines as number (1-based), offset and text without its newline."""
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        yield number, offset, line
        offset += len(line) + 1


def told_of_row(teller: Teller, draft: Draft, places: dict[str, Place], row: Place, count: int) -> list[Fact]:
    """The facts of a draft: `places` by the first step of a pointer, `row` for the rest. Pointers become names of columns."""
    found: dict[str, Place] = {"": row}

    def column(pointer: str | None) -> str:
        name = (pointer or "").removeprefix("/")
        found[name] = places.get(name.partition("/")[0], row)
        return name

    draft.pointer = ""
    draft.values = {
        name: value.model_copy(update={"pointer": column(value.pointer) or None}) for name, value in draft.values.items()
    }
    draft.server = [replace(one, pointer=column(one.pointer)) for one in draft.server]
    return teller.told(draft, found, count)
