"""The first lines: the verdict, what it means, and its reasons in plain words.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.report import Report, Verdict
from kvaudit.reports.summary import VERDICT_WORDS, counts, exit_meaning, open_facts
from kvaudit.reports.text.layout import PROSE, hang, line, wrapped

if TYPE_CHECKING:
    from rich.text import Text

_STYLES: dict[Verdict, str] = {
    "comparable": "bold green",
    "pass": "bold green",
    "not_comparable": "bold red",
    "fail": "bold red",
    "cannot_tell": "bold yellow",
}


def header(report: Report, width: int) -> list[Text]:
    """Verdict line, open facts, and the reasons as bullets."""
    verdict = (VERDICT_WORDS[report.verdict], _STYLES[report.verdict])
    width = min(width, PROSE)
    out = wrapped(line(verdict, f" · {counts(report)} · {exit_meaning(report)}"), width)
    out += [one for phrase in open_facts(report) for one in hang("", line((phrase, "yellow")), width)]
    out.append(line(""))
    for reason in report.reasons:
        out += hang("  • ", _with_rule(reason, report), width)
    return out


def _with_rule(reason: str, report: Report) -> Text:
    """A reason that is a finding's message names the rule, so that the finding is easy to find below."""
    rule = next((finding.rule for finding in report.findings if finding.message == reason and finding.state == "fired"), None)
    return line(reason, (f" [{rule}]", "dim") if rule else "")
