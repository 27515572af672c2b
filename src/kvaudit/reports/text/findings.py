"""The findings: what fired, on what evidence, and what to do about it; the most severe first.

Room: `reports/text`. Findings of one rule that say the same of both arms are told once, with the evidence of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kvaudit.audit.report import Finding, Report, Severity
from kvaudit.reports.text.evidence import evidence_of, merged
from kvaudit.reports.text.layout import PROSE, hang, hanging, heading, indented, line, wrapped
from kvaudit.reports.text.remedies import split_arm

if TYPE_CHECKING:
    from rich.text import Text

_STYLES: dict[Severity, str] = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}


def findings(report: Report, width: int) -> list[Text]:
    """All findings that fired, by severity; empty without any."""
    fired = [finding for finding in report.findings if finding.state == "fired"]
    if not fired:
        return []
    said = frozenset(report.reasons)
    out = [heading("Findings")]
    for severity in _STYLES:
        for group in _alike(finding for finding in fired if finding.severity == severity):
            out += [*_finding(group, width, len(report.arms) > 1, said), line("")]
    return out[:-1]


def suppressed(report: Report, width: int) -> list[Text]:
    """One line per finding that does not count, with the reason."""
    silent = [finding for finding in report.findings if finding.state == "suppressed"]
    if not silent:
        return []
    out = [heading("Suppressed")]
    for finding in silent:
        arms = f" (arm {' and '.join(finding.arms)})" if len(report.arms) > 1 and finding.arms else ""
        out += hang("  ", line(f"{finding.rule}{arms}: {finding.reason or 'no reason given'}"), min(width, PROSE))
    return out


def _alike(found: Iterable[Finding]) -> list[list[Finding]]:
    groups: dict[tuple[str, str, str | None], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.rule, finding.title, finding.explained_by), []).append(finding)
    return list(groups.values())


def _finding(group: list[Finding], width: int, pair: bool, said: frozenset[str]) -> list[Text]:
    """One finding; a message that already stands among the reasons (`said`) is not repeated."""
    first = group[0]
    prose = min(width, PROSE) - 2
    arms = sorted({arm for finding in group for arm in finding.arms})
    whose = f" arm{'s' * (len(arms) > 1)} {' and '.join(arms)}:" if pair and arms else ":"
    head = line((first.severity, _STYLES[first.severity]), (f"[{first.rule}]", "bold"), f"{whose} {first.title}")
    body: list[Text] = []
    for message in dict.fromkeys(finding.message for finding in group):
        body += wrapped(line(message), prose) if message and message not in said else []
    body += evidence_of(merged(finding.evidence for finding in group), width - 2, name_arms=pair)
    for missing in dict.fromkeys(split_arm(text)[1] for finding in group for text in finding.missing):
        body += hang("missing: ", line(missing), prose)
    for reason in dict.fromkeys(finding.reason for finding in group if finding.reason):
        body += hang("note: ", line(reason), prose)
    if first.explained_by:
        body += hang("explained by: ", line(f"the difference of {first.explained_by}"), prose)
    for fix in dict.fromkeys(finding.fix for finding in group if finding.fix):
        body += hang(("fix: ", "green"), line(fix), prose)
    return [*hanging(head, min(width, PROSE)), *indented(body, 2)]
