"""Why the verdict is what it is, in plain sentences: the lines a stranger reads first.

Room: `audit`. Only facts that stand in the report are said; every sentence is short and names its figures.
"""

from __future__ import annotations

from kvaudit.audit.gate import processes_of_open_owner
from kvaudit.audit.messages import shown
from kvaudit.audit.pair_proofs import bytes_ratio, same_layout
from kvaudit.audit.report import Difference, Finding, Report
from kvaudit.fields import FIELDS
from kvaudit.record.model import Record

_MOST_RULES = 5
_COUNTED_OTHERWISE = "kv-capacity-not-comparable"


def reasons_of_check(findings: list[Finding], undecided: list[str], record: Record) -> list[str]:
    """The sentences that lead a report about one arm."""
    return [*_from_errors(findings), *(_open(name, [("", record)]) for name in undecided)] or ["Nothing speaks against this run."]


def reasons_of_diff(report: Report, differences: dict[str, Difference]) -> list[str]:
    """The sentences that lead a report about two arms."""
    a, b = report.arms
    arms, capacity, undecided = [("a", a), ("b", b)], report.capacity, report.undecided
    reasons = _unproved_width(a, b, differences)
    reasons += _from_errors(report.findings)
    otherwise = [one.message for one in report.findings if one.rule == _COUNTED_OTHERWISE and one.state == "fired"]
    if otherwise:
        reasons.append(otherwise[0])
    elif capacity and capacity.factors and abs(capacity.ratio - 1) > 0.02:
        product = " × ".join(f"{factor.ratio:.3f} ({factor.name})" for factor in capacity.factors)
        rest = f"; a factor of {capacity.residual:.3f} is left unexplained" if abs(capacity.residual - 1) > 0.01 else ""
        reasons.append(f"Capacity b ÷ a = {capacity.ratio:.3f} = {product}{rest}.")
    reasons += [_open(name, arms) for name in undecided if name != "kv_cache.dtype" or not reasons]
    return reasons or ["Nothing known differs beyond its tolerance, except what was put under test."]


def _from_errors(findings: list[Finding]) -> list[str]:
    errors = [finding for finding in findings if finding.severity == "error" and finding.state == "fired"]
    said = [finding.message for finding in errors[:_MOST_RULES]]
    if len(errors) > _MOST_RULES:
        more = len(errors) - _MOST_RULES
        said.append(f"… and {more} more finding{'s' * (more != 1)} of severity error.")
    return said


def _open(name: str, arms: list[tuple[str, Record]]) -> str:
    """Which arm leaves a gate-critical fact open, and what would settle it."""
    parts = []
    for label, record in arms:
        if record.state(name) in ("unknown", "conflict"):
            state = record.fields.get(name)
            because = state.because if state and state.because else FIELDS[name].settles or "no evidence names it"
            parts.append(f"{f'arm {label}: ' if label else ''}{because}")
        elif name == "gpu.tenants" and (pids := processes_of_open_owner(record)):
            whose = f"whose process {', '.join(map(str, pids[:4]))} is; a log with process ids of the same host would settle it"
            parts.append(f"{f'arm {label}: ' if label else ''}{whose}")
    return f"{name} is not decided: {'; '.join(parts) or 'the two spellings may mean the same'}."


def _unproved_width(a: Record, b: Record, differences: dict[str, Difference]) -> list[str]:
    """Figures that look like another KV element type but prove nothing, because the models are not known to be alike."""
    ratio = bytes_ratio(a, b)
    open_ = [label for label, record in (("a", a), ("b", b)) if record.state("kv_cache.dtype") in ("unknown", "conflict")]
    proved = differences.get("kv_cache.dtype")
    if not open_ or ratio is None or same_layout(a, b) or (proved and proved.proof):
        return []
    memory = [shown(record.value("kv_cache.memory_gib")) for record in (a, b)]
    tokens = [shown(record.value("kv_cache.tokens")) for record in (a, b)]
    per_token = [float(record.value("kv_cache.bytes_per_token")) for record in (a, b)]
    bigger = f"{ratio:.2f} : 1" if ratio >= 1 else f"1 : {1 / ratio:.2f}"
    arguments = " ".join(f"-{label} {_config_of(record)}" for label, record in (("a", a), ("b", b)) if label in open_)
    return [
        f"KV memory ÷ tokens: {memory[0]} GiB ÷ {tokens[0]} = {per_token[0]:,.0f} bytes per token on arm a, "
        f"{memory[1]} GiB ÷ {tokens[1]} = {per_token[1]:,.0f} on arm b ({bigger}).",
        f"Whether that is another KV element type is not decided for arm {' and '.join(open_)}, because the models are not known "
        f"to be alike. This settles it: {arguments}",
    ]


def _config_of(record: Record) -> str:
    path = str(record.value("model.path") or "MODEL")
    return f"{path.rstrip('/')}/config.json"
