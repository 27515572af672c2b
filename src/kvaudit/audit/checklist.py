"""The checklist answered: what the rules and facts of an audit say to each of the eleven questions.

Room: `audit`. It reads what the audit came to and adds no judgement of its own: no item passes on missing evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from kvaudit.audit.checklist_items import ITEMS, Item
from kvaudit.audit.context import ArmContext
from kvaudit.audit.findings import Findings, evidence_of
from kvaudit.audit.report import ChecklistItem, Evidence, Finding
from kvaudit.audit.rules import Rule
from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import RUN_CLUE

_FEW_HITS = 0.05
"""Share of prompt tokens; a chat template that all prompts begin with stays below it."""

_MOST_EVIDENCE = 6

_HOW_ELSE = {
    "retokenized": "were counted again from the text, by a tokenizer that need not be the server's",
    "requested": "are the length that was asked for, not what came",
    "chunks": "are pieces of the stream",
}
"""How a client came to its output tokens, where that is not the server's word."""

_LACKING = {
    "results": "a result file of the benchmark client",
    "engine-log": "the engine's log, from its first line",
    "gpu-snapshot": "a GPU snapshot of the host, taken during the run (nvidia-smi -q -x)",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the audit came to."""

    found: Findings
    rules: Sequence[Rule]
    undecided: Sequence[str]


@dataclass(slots=True)
class _Answer:
    """What was found for one item, before it is put into words."""

    failed: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)


def checklist(
    arms: Sequence[ArmContext], found: Findings, rules: Sequence[Rule], undecided: Sequence[str]
) -> list[ChecklistItem]:
    """The eleven items in their order, each `pass`, `fail` or `cannot_tell`. `undecided`: facts that the verdict waits for."""
    return [_answered(number, item, arms, _Asked(found, rules, undecided)) for number, item in enumerate(ITEMS, start=1)]


def _answered(number: int, item: Item, arms: Sequence[ArmContext], asked: _Asked) -> ChecklistItem:
    answer = _Answer()
    if item.pair and len(arms) < 2:
        answer.open.append("asks about two arms: kvaudit diff A B --checklist")
    else:
        _by_rules(item, asked.found, asked.rules, answer)
        _by_kinds(item, arms, answer)
        _by_facts(item, arms, answer)
        if item.compares:
            answer.open += [f"{name} is not decided" for name in asked.undecided]
        if item.witness:
            _WITNESSES[item.witness](arms, answer)
    state: Literal["pass", "fail", "cannot_tell"] = "fail" if answer.failed else "cannot_tell" if answer.open else "pass"
    because = {"fail": answer.failed, "cannot_tell": answer.open, "pass": answer.held}[state]
    return ChecklistItem(
        number=number,
        id=item.id,
        title=item.title,
        state=state,
        because=list(dict.fromkeys(because)),
        rules=list(item.fails),
        evidence=answer.evidence[:_MOST_EVIDENCE],
    )


def _by_rules(item: Item, found: Findings, rules: Sequence[Rule], answer: _Answer) -> None:
    for finding in _against(item, found.findings, rules):
        note = f" (suppressed: {finding.reason or 'no reason given'})" if finding.state == "suppressed" else ""
        whose = f" [{' and '.join(finding.arms)}]" if finding.arms else ""
        answer.failed.append(f"{finding.rule}{whose}: {finding.title}{note}")
        answer.evidence += finding.evidence
    asked = {one.rule for one in found.cleared}
    for name in item.fails:
        waiting = [f"{name}: {need}" for one in found.not_checked if one.rule == name for need in one.needs]
        answer.open += waiting
        if name in asked:
            answer.held.append(f"{name} was asked and found nothing")
            answer.evidence += [line for one in found.cleared if one.rule == name for line in one.evidence]
        elif not waiting and not any(one.rule == name for one in found.findings):
            answer.open.append(f"{name} was not asked in this call")


def _against(item: Item, findings: list[Finding], rules: Sequence[Rule]) -> list[Finding]:
    """The findings that answer an item with no; suppressed ones too: they are true, only agreed upon."""
    pairs = {rule.id for rule in rules if rule.category in item.compares and rule.scope != "arm"}
    told = [one for one in findings if one.state in ("fired", "suppressed")]
    return [one for one in told if one.rule in item.fails or (one.rule in pairs and one.severity == "error")]


def _by_kinds(item: Item, arms: Sequence[ArmContext], answer: _Answer) -> None:
    """Evidence of a kind that an arm lacks; what the rules miss for the same reason is not told again."""
    lacking = [(arm.name, kind) for kind in item.kinds for arm in arms if not _holds(arm, kind)]
    if not lacking:
        return
    answer.open = []
    for kind in item.kinds:
        names = [name for name, lacks in lacking if lacks == kind]
        whose = f"arm{'s' * (len(names) > 1)} {' and '.join(names)}: " if len(arms) > 1 else ""
        answer.open += [f"{whose}needs {_LACKING[kind]}"] if names else []


def _by_facts(item: Item, arms: Sequence[ArmContext], answer: _Answer) -> None:
    for arm in arms:
        whose = f"arm {arm.name}: " if len(arms) > 1 else ""
        if item.compares:
            answer.held.append(f"{whose}the startup log was read")
            answer.evidence += evidence_of(arm.cite("engine.version", "kv_cache.tokens"))
        if item.moot and arm.record.value(item.moot[0]) == item.moot[1]:
            answer.held.append(f"{whose}{item.moot[0]} is off, so the question does not arise")
            answer.evidence += evidence_of(arm.cite(item.moot[0]))
            continue
        for name in item.knows:
            _known(arm, name, whose, answer)


def _holds(arm: ArmContext, kind: str) -> bool:
    return arm.record.has_kind(kind) or (kind == "results" and RUN_CLUE in arm.record.clues)


def _known(arm: ArmContext, name: str, whose: str, answer: _Answer) -> None:
    state = arm.record.fields.get(name)
    if state is None or state.state not in ("known", "absent"):
        reason = (state.because if state else None) or FIELDS[name].settles
        answer.open.append(f"{whose}{name} is not known" + (f": {reason}" if reason else ""))
        return
    answer.held.append(f"{whose}{name} is known")
    answer.evidence += evidence_of(arm.cite(name))


def _few_hits(arms: Sequence[ArmContext], answer: _Answer) -> None:
    """Hits that no rule calls wrong may still be prompts that repeat: whether that was meant is not in the evidence."""
    for arm in arms:
        whose = f"arm {arm.name}: " if len(arms) > 1 else ""
        rate = arm.record.value("runtime.prefix_hit_rate")
        if isinstance(rate, int | float) and rate > _FEW_HITS and arm.record.value("kv_cache.prefix_caching") is not False:
            answer.open.append(f"{whose}{rate:.1%} prefix hits; the evidence does not say whether they were intended")


def _counted_by_usage(arms: Sequence[ArmContext], answer: _Answer) -> None:
    """How the client counted output tokens, where the format or the file tells."""
    for arm in arms:
        whose = f"arm {arm.name}: " if len(arms) > 1 else ""
        for clue in arm.record.clues.get(RUN_CLUE, []):
            counted = _counting(clue.value)
            if counted != "usage":
                answer.open.append(f"{whose}output tokens {_HOW_ELSE.get(counted or '', 'may have been counted in any way')}")
            else:
                answer.held.append(f"{whose}output tokens come from the server's usage")


def _counting(run: Any) -> str | None:
    values = run.get("values") if isinstance(run, dict) else None
    held = values.get("output_tokens") if isinstance(values, dict) else None
    counted = held.get("counted") if isinstance(held, dict) else None
    return counted if isinstance(counted, str) else None


_WITNESSES: dict[str, Callable[[Sequence[ArmContext], _Answer], None]] = {
    "few_hits": _few_hits,
    "counted_by_usage": _counted_by_usage,
}
