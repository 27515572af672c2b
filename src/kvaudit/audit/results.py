"""`kvaudit results`: the audit of one arm or two with the table of their runs and the acceptance gate.

Room: `audit`. The rules are those of `check` and `diff`; added are the rows, the gate's share of the exit code, and the question
whether anything of the results could be compared at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.findings import KINDS
from kvaudit.audit.report import Report, Severity, Verdict
from kvaudit.audit.results_gate import GateWishes
from kvaudit.audit.results_rows import part_of
from kvaudit.audit.rules import Rule
from kvaudit.audit.under_policy import settled
from kvaudit.errors import UsageError
from kvaudit.parsers.facts import RUN_CLUE, Fact
from kvaudit.record.model import Record
from kvaudit.results.disagreements import checkable
from kvaudit.results.evidence import results_of
from kvaudit.results.runs import SINGLE_CLUE

_NOT_COMPARABLE = "The arms are not comparable: what the figures below differ by is not the change under test alone."
_ABOUT_THE_GAIN = frozenset({"stable-but-slow", "combination-not-better-than-best-single"})
"""They say which arm is better, not that the arms cannot be compared."""
_TESTED: dict[Verdict, Verdict] = {"comparable": "pass", "not_comparable": "fail"}


def results(records: Sequence[Record], rules: Iterable[Rule], wishes: Wishes, gate: GateWishes | None = None) -> Report:
    """Audit the results of one arm, or of two with the gate. Raises `UsageError` for an arm without a run."""
    for name, record in zip(ARM_NAMES, records, strict=False):
        _need_runs(name if len(records) > 1 else None, record)
    if len(records) == 1:
        report = check(records[0], rules, wishes)
    else:
        report = diff(records[0], records[1], rules, replace(wishes, gate=gate or GateWishes()))
        _lead(report)
    _name_unaudited(report, records)
    report.command = "results"
    report.verdict = _TESTED.get(report.verdict, report.verdict)
    report.results = part_of(records, report.gate, gate.metric if gate else None)
    _open_results(report, records, wishes)
    report.exit_code = exit_code(report)
    return report


def _need_runs(name: str | None, record: Record) -> None:
    if results_of(record).runs:
        return
    read = ", ".join(dict.fromkeys(f"{one.path} ({one.kind})" for one in record.sources[:6])) or "nothing"
    whose = f"arm {name}" if name else "the evidence"
    raise UsageError(
        f"{whose} holds no benchmark results; read instead: {read}. Give the file that the client saved "
        "(vllm bench serve --save-result, sglang.bench_serving --output-file, …), or use `kvaudit check` for logs alone"
    )


def _name_unaudited(report: Report, records: Sequence[Record]) -> None:
    """Results alone do not show what their servers did: said first, so that no pass is taken for one of them."""
    silent = [name for name, record in zip(ARM_NAMES, records, strict=False) if not any(map(record.has_kind, KINDS["engine"]))]
    if silent:
        whose = f"The server{'s' * (len(silent) > 1)} of arm{'s' * (len(silent) > 1)} {' and '.join(silent)}"
        subject = whose if len(records) > 1 else "The server"
        were = "were" if len(silent) > 1 else "was"
        report.reasons.insert(0, f"{subject} {were} not audited: no log, metrics or launch command is among the evidence.")


def _lead(report: Report) -> None:
    """What is not comparable is said above any number; then what the gate came to."""
    errors = [one.rule for one in report.findings if one.severity == "error" and one.state == "fired"]
    if set(errors) - _ABOUT_THE_GAIN:
        report.reasons.insert(0, _NOT_COMPARABLE)
    if report.gate is not None:
        report.reasons.append(f"Gate: {report.gate.decision.replace('_', ' ')}. {' '.join(report.gate.reasons[:1])}".strip())


def _open_results(report: Report, records: Sequence[Record], wishes: Wishes) -> None:
    """A file of which no two figures can be compared has not passed anything."""
    blind = [run.file for record in records for run in results_of(record).runs if not checkable(run)]
    runs = sum(len(results_of(record).runs) for record in records)
    name = "result.completed"
    if len(blind) < runs or name in settled(wishes).accept_unknown or settled(wishes).allow_unknown:
        return
    report.undecided = list(dict.fromkeys([*report.undecided, name]))
    report.reasons.append(f"No count or rate of {', '.join(dict.fromkeys(blind[:3]))} can be compared with another figure of it.")
    if report.verdict == "pass":
        report.verdict = "cannot_tell"


def exit_code(report: Report) -> int:
    """That of the findings and the verdict, and of the gate: a rejection is 1, too few runs are 3."""
    order: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
    limit = report.settings.fail_on
    if limit == "never":
        return 0
    counted = [one for one in report.findings if one.state == "fired" and one.about != "missing"]
    decision = report.gate.decision if report.gate else None
    if decision == "reject" or any(order[one.severity] <= order[limit] for one in counted):
        return 1
    return 3 if decision == "not_enough_runs" or report.verdict == "cannot_tell" else 0


def with_single(record: Record, name: str, single: Record) -> Record:
    """The arm with the runs of one of the changes that it combines."""
    _need_runs(f"--single {name}", single)
    told = [
        Fact(field=SINGLE_CLUE, stage="observed", value={"name": name, "run": one.value}, origins=one.origins)
        for one in single.clues.get(RUN_CLUE, [])
    ]
    return replace(record, clues={**record.clues, SINGLE_CLUE: [*record.clues.get(SINGLE_CLUE, []), *told]})
