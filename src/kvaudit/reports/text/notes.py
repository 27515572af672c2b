"""What a reader should know about the evidence itself, and which settings were in force.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import Report
from kvaudit.parsers.facts import Origin
from kvaudit.record.model import SourceEntry
from kvaudit.reports.text.evidence import Quote, quoted
from kvaudit.reports.text.layout import PROSE, hang, heading, indented, line
from kvaudit.reports.values import counted, shorten

if TYPE_CHECKING:
    from rich.text import Text

_MOST_UNPARSED = 3


def notes(report: Report, width: int) -> list[Text]:
    """Notes on sources and lines that were hit but not understood; empty without any."""
    out = []
    for name, record in zip(ARM_NAMES, report.arms, strict=False):
        lead = f"  {name}  " if len(report.arms) > 1 else "  "
        for source in record.sources:
            out += _of_source(source, lead, width)
    return [heading("Notes on the evidence"), *out] if out else []


def settings(report: Report, width: int) -> list[Text]:
    """The settings file in force and what is under test."""
    said = [f"settings file: {report.settings.file or 'none'}"]
    if report.settings.profile:
        said.append(f"profile: {report.settings.profile}")
    if report.settings.baseline:
        said.append(f"baseline: {report.settings.baseline}")
    if report.settings.vary:
        said.append(f"under test: {', '.join(report.settings.vary)}")
    said.append(f"kvaudit {report.kvaudit}")
    width = min(width, PROSE)
    told = [one for text in report.settings.notes for one in hang("", line((f"note: {text}", "dim")), width)]
    return told + hang("", line((" · ".join(said), "dim")), width)


def _of_source(source: SourceEntry, lead: str, width: int) -> list[Text]:
    out = []
    name = shorten(source.path, max(12, min(width, PROSE) // 2))
    if source.notes and source.kind != "ignored":
        out += hang(lead, line(f"{name}: {'; '.join(source.notes)}"), min(width, PROSE))
    if source.unparsed:
        text = f"{name}: {counted(len(source.unparsed), 'line')} in a form that is not known, so nothing was taken from there"
        out += hang(lead, line(text), min(width, PROSE))
        for one in source.unparsed[:_MOST_UNPARSED]:
            out += indented(
                quoted(Quote(Origin(file=source.path, line=one.line, excerpt=one.excerpt)), width - len(lead) - 2), len(lead) + 2
            )
    return out
