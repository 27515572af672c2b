"""What could not be checked, what would settle it, and the exact argument to add.

Room: `reports/text`. Needs are told once each, with the rules that wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import Report
from kvaudit.reports.text.layout import PROSE, hang, heading, indented, line
from kvaudit.reports.text.remedies import Remedy, argument, remedy_for
from kvaudit.reports.values import counted

if TYPE_CHECKING:
    from rich.text import Text

_MOST = 12


def unchecked(report: Report, width: int) -> list[Text]:
    """Undecided facts of the gate first, then what rules wait for; empty when nothing is open."""
    width = min(width, PROSE)
    needs = _by_need(report)
    if not needs and not report.undecided:
        return []
    out = [heading("Could not be checked")]
    for name in report.undecided:
        out += indented(_undecided(report, name, width - 2), 2)
    for (text, remedy), (rules, arms) in sorted(needs.items(), key=lambda item: -len(item[1][0]))[:_MOST]:
        whose = f" of arm {' and '.join(sorted(arms))}" if arms and len(report.arms) > 1 else ""
        out += hang("  ", line(f"{counted(len(rules), 'rule')} for want of{whose}: {text}"), width)
        out += _settle(report, remedy, sorted(arms) or list(ARM_NAMES), width)
        out += hang("    ", line((", ".join(rules), "dim")), width)
    if len(needs) > _MOST:
        out.append(line((f"  and {counted(len(needs) - _MOST, 'more need')} in the JSON report", "dim")))
    return out


def _undecided(report: Report, name: str, width: int) -> list[Text]:
    """A gate fact that is open: on which arms, why, and the argument that settles it."""
    out = []
    open_ = [
        (arm, record)
        for arm, record in zip(ARM_NAMES, report.arms, strict=False)
        if record.state(name) in ("unknown", "conflict")
    ]
    for arm, record in open_:
        held = record.fields.get(name)
        because = held.because if held and held.because else "no line of the evidence names it"
        whose = f" of arm {arm}" if len(report.arms) > 1 else ""
        out += hang("", line((f"{name}{whose}", "bold"), f" is undecided: {because}"), width)
        out += _settle(report, remedy_for(name, because), [arm], width, indent=2)
    return out or hang("", line((name, "bold"), " is undecided: the values on the two arms may mean the same"), width)


def _by_need(report: Report) -> dict[tuple[str, Remedy | None], tuple[list[str], set[str]]]:
    """Rules and arms by what they need; gate facts that are open are told before, so they only lend their rules here."""
    found: dict[tuple[str, Remedy | None], tuple[list[str], set[str]]] = {}
    for item in report.not_checked:
        for need in item.needs or ["evidence that this report does not name"]:
            arm, text = _split(need)
            remedy = remedy_for(text.partition(":")[0], text)
            rules, arms = found.setdefault((text, remedy), ([], set()))
            if item.rule not in rules:
                rules.append(item.rule)
            arms.update([arm] if arm else item.arms)
    return found


def _split(need: str) -> tuple[str | None, str]:
    """`arm a: gpu.tenants: a snapshot` is about arm a."""
    for name in ARM_NAMES:
        if need.startswith(f"arm {name}: "):
            return name, need[len(f"arm {name}: ") :]
    return None, need


def _settle(report: Report, remedy: Remedy | None, arms: list[str], width: int, indent: int = 4) -> list[Text]:
    """`add: -b gpus.xml`, for every arm that does not hold such evidence yet."""
    if remedy is None:
        return []
    wanting = [
        (arm, record)
        for arm, record in zip(ARM_NAMES, report.arms, strict=False)
        if arm in arms and not (remedy.kind and record.has_kind(remedy.kind))
    ]
    if not wanting:
        return []
    arguments = " ".join(argument(remedy, record, arm if len(report.arms) > 1 else None) for arm, record in wanting)
    made = f"   (from: {remedy.command})" if remedy.command else ""
    return hang(" " * indent + "add: ", line((arguments, "bold"), made), width)
