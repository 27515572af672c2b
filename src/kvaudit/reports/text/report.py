"""The page as a whole: verdict and reasons, arms, findings, capacity, differences, what could not be checked.

Room: `reports/text`, its entry point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.report import Report
from kvaudit.redaction import Redactor
from kvaudit.reports.redacted import for_people
from kvaudit.reports.text.arms import arms
from kvaudit.reports.text.capacity import capacity
from kvaudit.reports.text.checklist import checklist
from kvaudit.reports.text.differences import differences, hint
from kvaudit.reports.text.findings import findings, suppressed
from kvaudit.reports.text.header import header
from kvaudit.reports.text.layout import line, page
from kvaudit.reports.text.notes import notes, settings
from kvaudit.reports.text.results import gate, results
from kvaudit.reports.text.unchecked import unchecked

if TYPE_CHECKING:
    from rich.text import Text

NARROWEST = 24

_NUMBERS = (results, gate)
_FOUND = (findings, capacity, differences, unchecked, suppressed, checklist)
_SECTIONS = (header, arms, *_NUMBERS, *_FOUND, notes, hint, settings)


def render(report: Report, redactor: Redactor, width: int, colour: bool) -> str:
    """The report for people, `width` columns wide, ending in a newline; ANSI sequences only with `colour`."""
    safe = for_people(report, redactor)
    width = max(NARROWEST, width)
    lines: list[Text] = []
    for section in _SECTIONS:
        block = section(safe, width)
        if block and lines:
            lines.append(line(""))
        lines += block
    return page(lines, width, colour)
