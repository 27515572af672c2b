"""The checklist before a benchmark: one line an item, why below it, and where that stands.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kvaudit.audit.report import ChecklistItem, Report
from kvaudit.reports.text.layout import PROSE, hang, heading, line
from kvaudit.reports.values import location

if TYPE_CHECKING:
    from rich.text import Text

_STATES: dict[Literal["pass", "fail", "cannot_tell"], tuple[str, str]] = {
    "pass": ("pass", "green"),
    "fail": ("FAIL", "bold red"),
    "cannot_tell": ("cannot tell", "yellow"),
}
_INDENT = "     "
_MOST_PLACES = 3


def checklist(report: Report, width: int) -> list[Text]:
    """The eleven items with their answers; empty where the call did not ask for them."""
    if not report.checklist:
        return []
    width = min(width, PROSE)
    out = [heading("Checklist")]
    for item in report.checklist:
        out += _item(item, width)
    counts = {state: sum(item.state == state for item in report.checklist) for state in _STATES}
    said = ", ".join(f"{number} {_STATES[state][0].lower()}" for state, number in counts.items() if number)
    return out + hang("  ", line((said, "dim")), width)


def _item(item: ChecklistItem, width: int) -> list[Text]:
    out = hang(f"{item.number:>3}. ", line(_STATES[item.state], f": {item.title}"), width)
    for text in item.because:
        out += hang(_INDENT, line(text), width)
    places = dict.fromkeys(
        location(one.file, one.line, one.pointer, max(8, width - len(_INDENT))) for one in item.evidence if one.file
    )
    for place in list(places)[:_MOST_PLACES]:
        out += hang(_INDENT, line((place, "cyan")), width)
    return out
