"""The audit: one record or two, the rules and the caller's wishes become a report.

Room: `audit`, its entry point. It decides the verdict and the exit code and nothing about how they are shown.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kvaudit.audit.capacity import decompose
from kvaudit.audit.context import ARM_NAMES, ArmContext, PairContext
from kvaudit.audit.differences import classify, expand_vary
from kvaudit.audit.findings import Findings, apply_rules
from kvaudit.audit.gate import undecided_of_arm, undecided_of_pair
from kvaudit.audit.policy import FailOn, Policy, Profile
from kvaudit.audit.policy_requirements import still_open
from kvaudit.audit.raw import other_differences
from kvaudit.audit.reasons import reasons_of_check, reasons_of_diff
from kvaudit.audit.report import ChecklistItem, Finding, Report, Settings, Severity, Summary, Verdict
from kvaudit.audit.results_gate import GateWishes, add_gate
from kvaudit.audit.rules import Rule
from kvaudit.audit.under_policy import arm_of, settled, with_severities, without_what_does_not_count
from kvaudit.errors import UsageError, did_you_mean
from kvaudit.fields import FIELDS
from kvaudit.record.model import Record

if TYPE_CHECKING:
    from kvaudit.audit.baseline import Baseline

_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
_LEAD = ("engine-not-ready", "engine-died-while-serving", "hidden-fp8-kv", "kv-dtype-flag-overridden", "kv-dtype-differs")
_SUMMARIES = frozenset({"several-axes-changed", "weights-and-settings-both-changed"})
"""They say nothing of their own, so they come after what they sum up."""


@dataclass(slots=True)
class Wishes:
    """What the caller asked of an audit."""

    fail_on: FailOn | None = None
    """None: what the policy says, or `error`."""
    vary: tuple[str, ...] = ()
    accept_unknown: tuple[str, ...] = ()
    allow_unknown: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    profile: Profile | None = None
    policy: Policy = field(default_factory=Policy)
    baseline: Baseline | None = None
    settings_file: str | None = None
    notes: tuple[str, ...] = ()
    checklist: bool = False
    gate: GateWishes | None = None
    """How the acceptance gate is to decide, where it was asked for."""
    today: datetime.date | None = None
    """The day that expiry dates are compared with; None: the current one."""


def check(record: Record, rules: Iterable[Rule], wishes: Wishes) -> Report:
    """Audit one arm."""
    wishes = settled(wishes)
    arm = arm_of(ARM_NAMES[0], record, wishes, alone=True)
    chosen = _chosen(rules, wishes)
    found = apply_rules(chosen, [arm], None)
    notes = without_what_does_not_count(found.findings, {arm.name: record.label}, wishes)
    undecided = _after_acceptance([*undecided_of_arm(record), *_open_requirements([arm])], wishes)
    verdict = _verdict(found.findings, undecided, ("pass", "fail"))
    report = _report("check", verdict, found, undecided=undecided, wishes=wishes, records=[record])
    report.settings.notes += notes
    report.reasons = reasons_of_check(report.findings, undecided, record)
    report.checklist = _checklist([arm], found, chosen, undecided) if wishes.checklist else None
    return report


def diff(a: Record, b: Record, rules: Iterable[Rule], wishes: Wishes) -> Report:
    """Audit two arms and compare them."""
    wishes = settled(wishes)
    vary = expand_vary(wishes.vary)
    arms = [arm_of(name, record, wishes, vary) for name, record in zip(ARM_NAMES, (a, b), strict=True)]
    differences = classify(arms[0], arms[1], vary)
    chosen = _chosen(rules, wishes)
    arms[0].other, arms[1].other = b, a
    pair = PairContext(arms[0], arms[1], differences, vary)
    add_gate(pair, wishes.gate)
    found = apply_rules(chosen, arms, pair)
    notes = without_what_does_not_count(found.findings, {arm.name: arm.record.label for arm in arms}, wishes)
    open_facts = [*undecided_of_pair(a, b, differences, wishes.gate is not None), *_open_requirements(arms)]
    undecided = _after_acceptance(open_facts, wishes)
    verdict = _verdict(found.findings, undecided, ("comparable", "not_comparable"))
    report = _report("diff", verdict, found, undecided=undecided, wishes=wishes, records=[a, b])
    report.settings.notes += notes
    report.differences = list(differences.values())
    report.capacity = decompose(a, b)
    report.gate = pair.gate
    report.other_differences = other_differences(a, b)
    report.reasons = reasons_of_diff(report, differences)
    report.checklist = _checklist(arms, found, chosen, undecided) if wishes.checklist else None
    return report


def _checklist(arms: list[ArmContext], found: Findings, rules: list[Rule], undecided: list[str]) -> list[ChecklistItem]:
    from kvaudit.audit.checklist import checklist

    return checklist(arms, found, rules, undecided)


def _open_requirements(arms: list[ArmContext]) -> list[str]:
    return [name for arm in arms for name in still_open(arm.record, arm.requirements)]


def _chosen(rules: Iterable[Rule], wishes: Wishes) -> list[Rule]:
    all_rules = list(rules)
    known = {rule.id for rule in all_rules}
    for name in (*wishes.select, *wishes.ignore):
        if name not in known:
            raise UsageError(f"no rule is called {name!r}{did_you_mean(name, known)}; `kvaudit rules` lists them")
    all_rules = with_severities(all_rules, wishes)
    selected = [rule for rule in all_rules if not wishes.select or rule.id in wishes.select]
    return [rule for rule in selected if rule.id not in wishes.ignore]


def _after_acceptance(undecided: list[str], wishes: Wishes) -> list[str]:
    for name in wishes.accept_unknown:
        if name not in FIELDS:
            raise UsageError(f"--accept-unknown {name}: no field is called that{did_you_mean(name, FIELDS)}")
    if wishes.allow_unknown:
        return []
    return [name for name in dict.fromkeys(undecided) if name not in wishes.accept_unknown]


def _verdict(findings: list[Finding], undecided: list[str], words: tuple[Verdict, Verdict]) -> Verdict:
    if any(finding.state == "fired" and finding.severity == "error" for finding in findings):
        return words[1]
    return "cannot_tell" if undecided else words[0]


def _report(
    command: str, verdict: Verdict, found: Findings, *, undecided: list[str], wishes: Wishes, records: list[Record]
) -> Report:
    findings = sorted(found.findings, key=_weight)
    return Report(
        command=command,
        verdict=verdict,
        exit_code=_exit_code(findings, verdict, wishes.fail_on or "error"),
        undecided=undecided,
        settings=_settings(wishes),
        arms=records,
        findings=findings,
        not_checked=found.not_checked,
        summary=_summary(findings),
    )


def _settings(wishes: Wishes) -> Settings:
    return Settings(
        file=wishes.settings_file,
        profile=wishes.profile,
        baseline=wishes.baseline.path if wishes.baseline else None,
        fail_on=wishes.fail_on or "error",
        vary=list(wishes.vary),
        accepted_unknown=list(wishes.accept_unknown) or (["all"] if wishes.allow_unknown else []),
        allowed_tenants=wishes.policy.allow_tenants,
        notes=list(wishes.notes),
    )


def _weight(finding: Finding) -> tuple[int, int, bool, int, list[str], str]:
    """Sorts findings: severity, causes before summaries, unexplained before explained, then the order of categories."""
    summary = finding.rule in _SUMMARIES
    lead = _LEAD.index(finding.rule) if finding.rule in _LEAD else len(_LEAD)
    return (_ORDER[finding.severity], int(summary), finding.explained_by is not None, lead, finding.arms, finding.rule)


def _exit_code(findings: list[Finding], verdict: Verdict, fail_on: FailOn) -> int:
    """1 for a finding at or above the threshold (never for one about missing evidence), 3 for an open verdict, else 0."""
    if fail_on == "never":
        return 0
    counted = [finding for finding in findings if finding.state == "fired" and finding.about != "missing"]
    if any(_ORDER[finding.severity] <= _ORDER[fail_on] for finding in counted):
        return 1
    return 3 if verdict == "cannot_tell" else 0


def _summary(findings: list[Finding]) -> Summary:
    fired = [finding.severity for finding in findings if finding.state == "fired"]
    return Summary(
        error=fired.count("error"),
        warning=fired.count("warning"),
        note=fired.count("note"),
        suppressed=sum(finding.state == "suppressed" for finding in findings),
    )
