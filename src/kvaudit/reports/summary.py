"""The one line that stderr gets, and the words for verdicts and exit codes.

Room: `reports`, plain strings only.
"""

from __future__ import annotations

from kvaudit.audit.report import Report, Verdict
from kvaudit.redaction import Redactor, escape
from kvaudit.reports.github_actions import disarm_text
from kvaudit.reports.values import counted

VERDICT_WORDS: dict[Verdict, str] = {
    "comparable": "COMPARABLE",
    "not_comparable": "NOT COMPARABLE",
    "pass": "PASS",
    "fail": "FAIL",
    "cannot_tell": "CANNOT TELL",
}


def summary_line(report: Report) -> str:
    """Verdict, counts, and every fact that is undecided or was accepted as unknown, on one line without newline."""
    gate = [f"gate: {report.gate.decision.replace('_', ' ')}"] if report.gate and report.command == "results" else []
    parts = [f"kvaudit {report.command}: {VERDICT_WORDS[report.verdict].lower()}", *gate, counts(report), *open_facts(report)]
    return disarm_text(escape("; ".join(parts)))


def note_lines(report: Report, redactor: Redactor) -> list[str]:
    """What the settings have to say, one line each: suppressions that expired, a settings file that was not used."""
    return [disarm_text(f"kvaudit: {redactor.document(text)}") for text in report.settings.notes]


def counts(report: Report) -> str:
    """`2 errors, 1 warning`; severities without a finding are left out."""
    summary = report.summary
    numbers = (("error", summary.error), ("warning", summary.warning), ("note", summary.note))
    said = [counted(number, noun) for noun, number in numbers if number]
    if summary.suppressed:
        said.append(f"{summary.suppressed} suppressed")
    return ", ".join(said) or "no findings"


def open_facts(report: Report) -> list[str]:
    """The undecided and the accepted facts, each kind as one phrase."""
    said = []
    if report.undecided:
        said.append(f"undecided: {', '.join(report.undecided)}")
    if report.settings.accepted_unknown:
        said.append(f"accepted as unknown: {', '.join(report.settings.accepted_unknown)}")
    return said


def exit_meaning(report: Report) -> str:
    """The exit code with its meaning in a few words."""
    if report.command == "results" and report.gate is not None and report.settings.fail_on != "never":
        decided = {"reject": "exit 1: the gate rejects b", "not_enough_runs": "exit 3: not enough runs for the gate"}
        if report.verdict == "pass" and report.gate.decision in decided:
            return decided[report.gate.decision]
    if report.exit_code == 0 and report.verdict in ("not_comparable", "fail", "cannot_tell"):
        return "exit 0: --fail-on lets it pass"
    meaning = {0: "nothing that fails", 1: "findings that fail", 2: "nothing was decided", 3: "undecided"}
    return f"exit {report.exit_code}: {meaning.get(report.exit_code, 'unknown')}"
