"""Evidence lines: field, value and how, then `file:line` with the excerpt; both arms side by side where there is room.

Room: `reports/text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from kvaudit.audit.report import Evidence
from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Origin
from kvaudit.reports.excerpts import clipped, excerpt_in, message_of
from kvaudit.reports.text.layout import GAP, hang, indented, line, side_by_side, width_of, wrapped
from kvaudit.reports.values import counted, location, short_digest, value_of

if TYPE_CHECKING:
    from rich.text import Text

SIDE_BY_SIDE = 98
"""Columns from which the arms stand beside each other: a page of 100 less the indent."""

_MOST_LINES = 9
_EXCERPT_LINES = 2
_BESIDE = 40
"""Cells that an excerpt needs to stand beside its location."""

_LOCATION = 24
"""Cells that a location is shortened to at most, so that its excerpt can stand beside it."""


def evidence_of(evidence: Sequence[Evidence], width: int, name_arms: bool) -> list[Text]:
    """The evidence of one finding; `name_arms` is false where there is only one arm."""
    by_arm = {arm: [one for one in evidence if one.arm == arm] for arm in dict.fromkeys(one.arm for one in evidence)}
    if width >= SIDE_BY_SIDE and len(by_arm) == 2:
        column = (width - GAP) // 2
        return side_by_side([(_arm(name, block, column, name_arms), column) for name, block in sorted(by_arm.items())])
    return [one for name, block in sorted(by_arm.items()) for one in _arm(name, block, width, name_arms)]


def _arm(name: str, evidence: list[Evidence], width: int, name_arm: bool) -> list[Text]:
    label = f"{name}  " if name_arm and name else ""
    shown = evidence[:_MOST_LINES]
    room = max(1, width - len(label))
    block: list[Text] = []
    said: set[tuple[Any, ...]] = set()
    for _, group in groupby(shown, key=lambda one: (one.field, str(one.value), one.stage, one.how)):
        block += _fact(list(group), room, said)
    if len(evidence) > len(shown):
        rest = counted(len(evidence) - len(shown), "more line")
        block += wrapped(line((f"… {rest} in the JSON report", "dim")), room)
    lead = line((label, "bold")) if label else line("")
    return [lead + block[0], *indented(block[1:], len(label))] if block else []


def _fact(group: list[Evidence], width: int, said: set[tuple[Any, ...]]) -> list[Text]:
    first = group[0]
    row = FIELDS.get(first.field)
    left_out = first.value is None and row is not None and row.type == "object"
    value = "" if left_out else clipped(short_digest(value_of(first.field, first.value)), 3 * width)
    out = wrapped(line(first.field, " = " if value else "", (value, "bold"), (f" ({first.stage})", "dim")), width)
    if first.how:
        out += hang(("  how: ", "dim"), line((first.how, "dim")), width)
    for one in group:
        key = (one.file, one.line, one.pointer)
        out += indented(quoted(Quote(one, one.field, one.value, one.how), width - 2, again=key in said), 2)
        said.add(key)
    return out


@dataclass(frozen=True, slots=True)
class Quote:
    """A place in the evidence, and the fact that is read from it."""

    origin: Origin | Evidence
    field: str = ""
    value: Any = None
    how: str | None = None


def quoted(quote: Quote, width: int, again: bool = False) -> list[Text]:
    """`file:line` and the excerpt, cut around the value: on one line where enough of it fits there, else below.

    `again` leaves the excerpt out, because the reader has just seen it.
    """
    origin = quote.origin
    if origin.file is None and not origin.excerpt:
        return []
    where = location(origin.file, origin.line, origin.pointer, width)
    if again or not origin.excerpt:
        return [line((where, "cyan"))]
    wanted = min(width_of(message_of(origin.excerpt)), _BESIDE)
    if width - GAP - width_of(where) < wanted <= width - GAP - _LOCATION:
        where = location(origin.file, origin.line, origin.pointer, width - GAP - wanted)
    room = width - GAP - width_of(where)
    if room >= wanted:
        return [line((where, "cyan"), " " * GAP, _fitted(quote, room))]
    room = max(8, width - GAP)
    if width_of(message_of(origin.excerpt)) > room:
        room *= _EXCERPT_LINES
    return [line((where, "cyan")), *indented(wrapped(line(_fitted(quote, room)), max(1, width - GAP)), GAP)]


def _fitted(quote: Quote, room: int) -> str:
    """The excerpt in at most `room` terminal cells; wide characters take two."""
    characters = room
    while width_of(cut := excerpt_in(quote.origin.excerpt, characters, quote.field, quote.value, quote.how)) > room:
        characters -= max(1, (width_of(cut) - room) // 2)
    return cut


def merged(blocks: Iterable[Sequence[Evidence]]) -> list[Evidence]:
    """The evidence of several findings, each line once."""
    seen: dict[tuple[Any, ...], Evidence] = {}
    for block in blocks:
        for one in block:
            seen.setdefault((one.arm, one.field, str(one.value), one.file, one.line, one.pointer), one)
    return list(seen.values())
