"""Evidence lines: field, value and how, then `file:line` with the excerpt; both arms side by side where there is room.

Room: `reports/text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from kvaudit.audit.report import Evidence
from kvaudit.parsers.facts import Origin
from kvaudit.reports.text.layout import GAP, hang, indented, line, side_by_side, width_of, wrapped
from kvaudit.reports.values import clipped, location, value_of

if TYPE_CHECKING:
    from rich.text import Text

SIDE_BY_SIDE = 100
"""Columns from which the arms stand beside each other."""

_MOST_LINES = 6
_EXCERPT_LINES = 2
_BESIDE = 48


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
        block.append(line((f"… {len(evidence) - len(shown)} more lines in the JSON report", "dim")))
    lead = line((label, "bold")) if label else line("")
    return [lead + block[0], *indented(block[1:], len(label))] if block else []


def _fact(group: list[Evidence], width: int, said: set[tuple[Any, ...]]) -> list[Text]:
    first = group[0]
    value = value_of(first.field, first.value)
    out = []
    if first.value is None:
        out += wrapped(line(first.field, (f" ({first.stage})", "dim")), width)
    else:
        out += wrapped(line(f"{first.field} = ", (clipped(value, 3 * width), "bold"), (f" ({first.stage})", "dim")), width)
    if first.how:
        out += hang("  ", line((f"how: {first.how}", "dim")), width)
    for one in group:
        key = (one.file, one.line, one.pointer)
        excerpt = "" if key in said else one.excerpt
        said.add(key)
        out += indented(quoted(one, excerpt, first.value, width - 2), 2)
    return out


def quoted(origin: Origin | Evidence, excerpt: str, value: Any, width: int) -> list[Text]:
    """`file:line` and the excerpt, cut around the value: on one line where enough of it fits there, else below."""
    if origin.file is None and not excerpt:
        return []
    where = location(origin.file, origin.line, origin.pointer, max(12, width * 2 // 3 if excerpt else width))
    if not excerpt:
        return [line((where, "cyan"))]
    around = "" if value is None or isinstance(value, list | dict) else str(value)
    room = width - width_of(where) - GAP
    if room >= min(_BESIDE, width_of(excerpt)):
        return [line((where, "cyan"), " " * GAP, fitted(excerpt, room, around))]
    below = fitted(excerpt, max(8, (width - GAP) * _EXCERPT_LINES), around)
    return [line((where, "cyan")), *indented(wrapped(line(below), max(1, width - GAP)), GAP)]


def fitted(excerpt: str, room: int, around: str) -> str:
    """An excerpt of at most `room` terminal cells, cut around a word; wide characters take two cells."""
    characters = room
    while width_of(cut := clipped(excerpt, characters, around)) > room:
        characters -= max(1, (width_of(cut) - room) // 2)
    return cut


def merged(blocks: Iterable[Sequence[Evidence]]) -> list[Evidence]:
    """The evidence of several findings, each line once."""
    seen: dict[tuple[Any, ...], Evidence] = {}
    for block in blocks:
        for one in block:
            seen.setdefault((one.arm, one.field, str(one.value), one.file, one.line, one.pointer), one)
    return list(seen.values())
