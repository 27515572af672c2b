"""What could not be checked, what would settle it, and the exact argument to add.

Room: `reports/text`. Needs are told once each, with the rules that wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.findings import NEEDS
from kvaudit.audit.report import Finding, Report
from kvaudit.fields import FIELDS
from kvaudit.reports.text.evidence import evidence_of
from kvaudit.reports.text.layout import PROSE, hang, heading, indented, line
from kvaudit.reports.text.remedies import Remedy, arguments_for, remedies_for, split_arm
from kvaudit.reports.values import counted

if TYPE_CHECKING:
    from rich.text import Text

_MOST = 12
_OF_THE_SERVER = frozenset(NEEDS[kind] for kind in ("engine", "checkpoint", "snapshot", "service")) | {
    "an engine log with its starts"
}


@dataclass(slots=True)
class _Need:
    """One thing that is missing: the fields it is about, why or what, on which arms, and the rules that wait for it."""

    text: str
    remedies: tuple[Remedy, ...]
    gate: bool = False
    fields: list[str] = field(default_factory=list)
    arms: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def unchecked(report: Report, width: int) -> list[Text]:
    """Undecided facts of the gate first, then what rules wait for; empty when nothing is open."""
    width = min(width, PROSE)
    open_ = [finding for finding in report.findings if finding.state == "unknown"]
    needs = _of_results(_joined(_needs(report))) if report.command == "results" else _joined(_needs(report))
    if not needs and not open_:
        return []
    out = [heading("Could not be checked")]
    for finding in open_:
        out += _open(finding, report, width)
    for need in needs[:_MOST]:
        out += _told(need, report, width)
    if len(needs) > _MOST:
        out += hang("  ", line((f"and {counted(len(needs) - _MOST, 'more need')} in the JSON report", "dim")), width)
    return out


def _of_results(needs: list[_Need]) -> list[_Need]:
    """Where results are audited, what is wanting of their servers is one need: first comes what the results themselves lack."""
    server = [need for need in needs if not need.gate and _is_of_the_server(need)]
    if not server:
        return needs
    rules = {rule for need in server for rule in need.rules}
    wanting = "; ".join(dict.fromkeys(need.text for need in server if need.text in _OF_THE_SERVER)) or "its log and checkpoint"
    text = f"what the server did ({counted(len(rules), 'rule')} in the JSON report wait for it): {wanting}"
    arms = sorted({arm for need in server for arm in need.arms})
    remedies = tuple(dict.fromkeys(remedy for need in server for remedy in need.remedies))
    return [*(need for need in needs if need not in server), _Need(text, remedies, arms=arms)]


def _is_of_the_server(need: _Need) -> bool:
    measured = any(name.startswith(("result.", "runtime.")) for name in need.fields)
    return need.text in _OF_THE_SERVER or bool(need.fields and not measured)


def _open(finding: Finding, report: Report, width: int) -> list[Text]:
    """A rule whose subject is what cannot be seen."""
    whose = f" of {_arms(finding.arms)}" if len(report.arms) > 1 else ""
    out = hang("  ", line((f"{finding.rule}{whose}", "bold"), f": {finding.message or finding.title}"), width)
    out += indented(evidence_of(finding.evidence, width - 4, name_arms=len(report.arms) > 1), 4)
    return out + (hang("    fix: ", line(finding.fix), width) if finding.fix else [])


def _told(need: _Need, report: Report, width: int) -> list[Text]:
    subject = ", ".join(need.fields) + (" (undecided)" if need.gate else "")
    whose = _arms(need.arms) if need.arms and len(report.arms) > 1 else ""
    if subject:
        lead = f"{subject} of {whose}" if whose else subject
        out = hang("  ", line((lead, "bold"), f": {need.text}"), width)
    else:
        out = hang("  ", line((need.text, "bold"), f" ({whose})" if whose else ""), width)
    out += _settle(need, report, width)
    return out + (hang("    for: ", line((", ".join(need.rules), "dim")), width) if need.rules else [])


def _arms(names: list[str]) -> str:
    return f"arm{'s' * (len(names) > 1)} {' and '.join(names)}"


def _needs(report: Report) -> dict[tuple[str, str], _Need]:
    """Everything that is missing, by field and words, each once: undecided gate facts before what only rules ask for."""
    found: dict[tuple[str, str], _Need] = {}
    for name in report.undecided:
        for arm, record in zip(ARM_NAMES, report.arms, strict=False):
            if record.state(name) in ("unknown", "conflict"):
                held = record.fields.get(name)
                because = held.because if held and held.because else "no line of the evidence names it"
                _add(found, name, because, [arm], gate=True)
        if not any(key[0] == name for key in found):
            _add(found, name, "the values of the two arms may mean the same", [], gate=True)
    for item in report.not_checked:
        for text in item.needs or ["evidence that this report does not name"]:
            whose, rest = split_arm(text)
            name, _, because = rest.partition(": ")
            if name not in FIELDS or not because:
                name, because = "", rest
            need = _add(found, name, because, [whose] if whose else item.arms)
            need.rules += [item.rule] if item.rule not in need.rules else []
    return found


def _add(found: dict[tuple[str, str], _Need], name: str, text: str, arms: list[str], gate: bool = False) -> _Need:
    need = found.setdefault((name, text), _Need(text, remedies_for(name, text), gate, [name] if name else []))
    need.arms = sorted({*need.arms, *arms})
    return need


def _joined(found: dict[tuple[str, str], _Need]) -> list[_Need]:
    """Needs of the same words on the same arms as one; gate facts first, then what most rules wait for."""
    joined: dict[tuple[object, ...], _Need] = {}
    for need in found.values():
        held = joined.setdefault((need.text, need.gate, tuple(need.arms), need.remedies), need)
        if held is not need:
            held.fields += need.fields
            held.rules += [rule for rule in need.rules if rule not in held.rules]
    return sorted(joined.values(), key=lambda need: (not need.gate, -len(need.rules)))


def _settle(need: _Need, report: Report, width: int) -> list[Text]:
    """`add: -b gpus.xml`, for every arm that does not hold such evidence yet."""
    arms = [(arm, record) for arm, record in zip(ARM_NAMES, report.arms, strict=False) if arm in (need.arms or ARM_NAMES)]
    found = [arguments_for(need.remedies, record, arm if len(report.arms) > 1 else None) for arm, record in arms]
    arguments = " ".join(argument for argument, _ in found if argument)
    if not arguments:
        return []
    made = "; ".join(dict.fromkeys(command for _, command in found if command))
    return hang("    add: ", line((arguments, "bold"), f"   (from: {made})" if made else ""), width)
