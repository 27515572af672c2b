"""Rules over records become findings and a list of what could not be checked.

Room: `audit`. One rule at a time; verdict and exit code are drawn elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from kvaudit.audit.condition_words import fields_of
from kvaudit.audit.context import ArmContext, Cited, Outcome, PairContext
from kvaudit.audit.evaluate import evaluate
from kvaudit.audit.messages import fill
from kvaudit.audit.report import Evidence, Finding, NotChecked, Severity
from kvaudit.audit.rules import Rule
from kvaudit.fields import FIELDS
from kvaudit.record.model import Record

_MOST_EVIDENCE = 16
KINDS = {
    "engine": ("engine-log", "metrics", "endpoint", "launch-command"),
    "checkpoint": ("checkpoint",),
    "snapshot": ("gpu-snapshot",),
    "service": ("service",),
    "results": ("results",),
}
NEEDS = {
    "engine": "an engine log",
    "checkpoint": "the checkpoint's config.json",
    "snapshot": "a GPU snapshot (nvidia-smi) of the host, taken during the run",
    "service": "the unit file, compose file or pod description",
    "results": "a result file of the benchmark client",
}
"""What a rule asks for whose kind of evidence is not there at all."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """A rule that the evidence answers with no: it was asked, and what it looks for is not there."""

    rule: str
    arms: tuple[str, ...]
    evidence: tuple[Evidence, ...]


@dataclass(slots=True)
class Findings:
    """What the rules made of the evidence."""

    findings: list[Finding] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)
    cleared: list[Cleared] = field(default_factory=list)


def apply_rules(rules: Iterable[Rule], arms: list[ArmContext], pair: PairContext | None) -> Findings:
    """Evaluate every rule: arm rules on each arm, pair rules on the pair if there is one."""
    found = Findings()
    for rule in rules:
        for context in _contexts(rule, arms, pair):
            _apply(rule, context, found)
    return found


def _contexts(rule: Rule, arms: list[ArmContext], pair: PairContext | None) -> list[ArmContext | PairContext]:
    """What a rule is asked about: each arm, the pair, or each requirement of the policy on each arm."""
    if rule.needs == "policy":
        return [replace(arm, requirement=one) for arm in arms for one in arm.requirements]
    return list(arms) if rule.scope == "arm" else [pair] if pair else []


def _apply(rule: Rule, context: ArmContext | PairContext, found: Findings) -> None:
    records = [arm.record for arm in context.arms] if isinstance(context, PairContext) else [context.record]
    names = [arm.name for arm in context.arms] if isinstance(context, PairContext) else [context.name]
    if isinstance(context, PairContext) and _under_test(rule, context):
        return
    if rule.engines and not any(record.value("engine.name") in rule.engines for record in records):
        return
    if lacking := _lacking(rule, records):
        found.not_checked.append(NotChecked(rule=rule.id, arms=names, needs=[lacking]))
        return
    outcome = evaluate(rule.when, context)
    if outcome.truth is None:
        found.not_checked.append(NotChecked(rule=rule.id, arms=names, needs=list(dict.fromkeys(outcome.missing))))
    elif outcome.truth:
        finding = _finding(rule, context, names, outcome)
        found.findings.append(finding)
        if finding.state == "unknown":
            needs = finding.missing or [rule.fix]
            found.not_checked.append(NotChecked(rule=rule.id, arms=names, needs=needs))
    else:
        found.cleared.append(Cleared(rule.id, tuple(names), tuple(evidence_of(outcome.cited))))


def _under_test(rule: Rule, pair: PairContext) -> bool:
    """Whether every field that this rule is about was named by the caller as what is tested."""
    subjects = {name for name, row in FIELDS.items() if row.rule == rule.id}
    return bool(subjects) and subjects <= pair.vary


def _lacking(rule: Rule, records: list[Record]) -> str | None:
    """What kind of evidence the rule needs that no arm, or only one of two, holds."""
    kinds = KINDS.get(rule.needs)
    if kinds is None or all(any(record.has_kind(kind) for kind in kinds) for record in records):
        return None
    return NEEDS[rule.needs]


def _finding(rule: Rule, context: ArmContext | PairContext, names: list[str], outcome: Outcome) -> Finding:
    severity = _severity(rule, context)
    if rule.when_varied == "note" and isinstance(context, ArmContext) and _declared(rule, context, outcome):
        severity = "note"
    cited = [*outcome.cited, *context.cite(*rule.cite)]
    return Finding(
        rule=rule.id,
        severity=severity,
        state="unknown" if rule.about == "missing" and rule.id == "tenants-not-visible" else "fired",
        arms=names,
        title=rule.title,
        message=fill(rule.message, context),
        evidence=evidence_of(cited),
        missing=list(dict.fromkeys(outcome.missing)),
        fix=fill(rule.fix, context),
        explained_by=_explained_by(context, outcome),
        about=rule.about,
    )


def _declared(rule: Rule, context: ArmContext, outcome: Outcome) -> bool:
    """Whether somebody said it after all: the call puts the field under test, or the policy requires the very value."""
    return bool(context.varied & _fields_of(outcome) or context.declared & fields_of(rule.when))


def _fields_of(outcome: Outcome) -> set[str]:
    return {cited.field for cited in outcome.cited}


def _severity(rule: Rule, context: ArmContext | PairContext) -> Severity:
    if isinstance(rule.severity, str):
        return rule.severity
    for step in rule.severity:
        if step.when is None or evaluate(step.when, context).truth:
            return step.level
    return rule.severity[-1].level


def _explained_by(context: ArmContext | PairContext, outcome: Outcome) -> str | None:
    """The cause of the first difference that the rule relied on, where it follows from another."""
    if not isinstance(context, PairContext):
        return None
    fields = {cited.field for cited in outcome.cited}
    named = [context.differences[cited.field] for cited in outcome.cited if cited.field in context.differences]
    return next((one.explained_by for one in named if one.explained_by and one.explained_by not in fields), None)


def _is_shown(name: str) -> bool:
    """Whether a value is short enough to stand in a finding; figures of a run that have no field of their own are."""
    return name not in FIELDS or FIELDS[name].type != "object"


def evidence_of(cited: list[Cited]) -> list[Evidence]:
    """The lines behind cited facts, each once and in their order."""
    seen: dict[tuple[Any, ...], Evidence] = {}
    for one in cited:
        for origin in one.fact.origins[:5]:
            key = (one.arm, one.field, origin.file, origin.line, origin.pointer)
            if key not in seen and len(seen) < _MOST_EVIDENCE:
                seen[key] = Evidence(
                    arm=one.arm,
                    field=one.field,
                    stage=one.fact.stage,
                    value=one.fact.value if _is_shown(one.field) else None,
                    file=origin.file,
                    line=origin.line,
                    pointer=origin.pointer,
                    excerpt=origin.excerpt,
                    how=one.fact.how,
                )
    return list(seen.values())
