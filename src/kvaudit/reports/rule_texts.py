"""The words of the rules that have a finding, for formats that explain a rule beside its findings.

Room: `reports`. The texts are those of the rule files; a rule that does not come with kvaudit is known by its finding alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.audit.explain import rule_page
from kvaudit.audit.report import Report, Severity
from kvaudit.audit.rules import bundled_rules


@dataclass(frozen=True, slots=True)
class RuleText:
    """What a format says about a rule; `page` is Markdown and also reads as plain text."""

    id: str
    title: str
    why: str
    page: str
    category: str
    severity: Severity


def texts_of(report: Report) -> list[RuleText]:
    """The texts of every rule that has a finding, sorted by id."""
    named = {one.rule for one in report.findings}
    known = {rule.id: rule for rule in bundled_rules(examples=False)}
    titles = {finding.rule: (finding.title, finding.severity) for finding in report.findings}
    found = []
    for name in sorted(named):
        if rule := known.get(name):
            severity = rule.severity if isinstance(rule.severity, str) else rule.severity[0].level
            found.append(RuleText(name, rule.title, " ".join(rule.why.split()), rule_page(rule), rule.category, severity))
        else:
            title, severity = titles.get(name, (name, "warning"))
            found.append(RuleText(name, title or name, title or name, title or name, "user", severity))
    return found
