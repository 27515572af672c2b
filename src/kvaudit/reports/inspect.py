"""The page of `kvaudit inspect`: one checkpoint in full, or many with one line each.

Room: `reports`, an entry point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.reports.inspect_list import listing
from kvaudit.reports.inspect_sections import SECTIONS
from kvaudit.reports.interface import FALLBACK_WIDTH
from kvaudit.reports.redacted import redacted
from kvaudit.reports.text.layout import line, page

if TYPE_CHECKING:
    from rich.text import Text

    from kvaudit.record.inspection.model import Inspection, ModelInspection
    from kvaudit.redaction import Redactor

NARROWEST = 40


def inspection_page(
    found: Inspection, redactor: Redactor, width: int | None = None, colour: bool = False, *, listed: bool = False
) -> str:
    """What checkpoints tell, for people, ending in a newline; `listed` gives every checkpoint one line."""
    safe, width = redacted(found, redactor), max(NARROWEST, width or FALLBACK_WIDTH)
    lines: list[Text] = []
    if listed:
        lines = listing(safe.models, width)
    for model in [] if listed else safe.models:
        lines += [line(""), line(("─" * width, "dim")), line("")] if lines else []
        lines += _in_full(model, width)
    return page(lines, width, colour)


def _in_full(model: ModelInspection, width: int) -> list[Text]:
    lines: list[Text] = []
    for section in SECTIONS:
        block = section(model, width)
        if block and lines:
            lines.append(line(""))
        lines += block
    return lines
