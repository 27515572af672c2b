"""Findings that do not count: named by the policy with a reason and a date, or known from a baseline.

Room: `audit`. A suppressed finding stays in the report with its reason; one whose date has passed counts again and says so.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kvaudit.audit.globs import matches
from kvaudit.audit.policy import Suppression
from kvaudit.audit.report import Finding
from kvaudit.redaction import Redactor

if TYPE_CHECKING:
    from kvaudit.audit.baseline import Baseline


def suppress(
    findings: Sequence[Finding], suppressions: Sequence[Suppression], labels: Mapping[str, str], today: datetime.date
) -> list[str]:
    """Set the state of every finding that a suppression names; gives a note about each that expired and would match."""
    notes = []
    for one in suppressions:
        hits = [finding for finding in findings if finding.state != "unknown" and _names(one, finding, labels)]
        if hits and one.expires is not None and today > one.expires:
            notes.append(f"the suppression of {one.rule} expired on {one.expires}: it counts again ({one.reason})")
            _count_again(hits, one)
        else:
            for finding in hits:
                finding.state, finding.reason = "suppressed", _until(one)
    return notes


def _until(one: Suppression) -> str:
    return f"{one.reason} (until {one.expires})" if one.expires else one.reason


def _count_again(hits: list[Finding], one: Suppression) -> None:
    for finding in hits:
        if finding.state == "fired":
            finding.reason = f"its suppression expired on {one.expires} ({one.reason})"


def _names(one: Suppression, finding: Finding, labels: Mapping[str, str]) -> bool:
    """Whether rule, arm, field and file all fit; a part that the suppression leaves out fits everything."""
    if one.rule != finding.rule:
        return False
    if one.arm is not None and not any(one.arm == arm or matches(one.arm, labels.get(arm, arm)) for arm in finding.arms):
        return False
    if one.field is not None and not any(matches(one.field, said.field) for said in finding.evidence):
        return False
    return one.path is None or any(matches(one.path, said.file or "") for said in finding.evidence)


def known_before(findings: Sequence[Finding], baseline: Baseline) -> list[str]:
    """Set the state of every finding that the baseline holds; gives a note about entries that are not found any more."""
    from kvaudit.audit.fingerprint import fingerprint

    redactor = Redactor(baseline.redact)
    held = {one.fingerprint for one in baseline.findings}
    seen = set()
    for finding in findings:
        if finding.state == "fired" and (digest := fingerprint(finding, redactor)) in held:
            seen.add(digest)
            finding.state, finding.reason = "suppressed", f"known from the baseline {baseline.path}"
    gone = len(held - seen)
    return [f"{gone} of {len(held)} findings of the baseline {baseline.path} are not found any more"] if gone else []
