"""The report as GitHub-flavoured Markdown: for pull requests, job summaries and wikis.

Room: `reports`. The order is that of the text report. Words of the evidence pass through `markup`, so that none is obeyed.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import Difference, Evidence, Finding, Report
from kvaudit.redaction import Redactor
from kvaudit.reports import results_words
from kvaudit.reports.github_actions import disarm_text
from kvaudit.reports.markup import code, prose
from kvaudit.reports.redacted import for_people
from kvaudit.reports.summary import VERDICT_WORDS, counts, exit_meaning, open_facts
from kvaudit.reports.values import times, value_of

_ARM_FIELDS = ("engine.name", "engine.version", "model.path", "kv_cache.dtype", "kv_cache.tokens", "kv_cache.memory_gib")
_MOST_EVIDENCE = 8
_MOST_DIFFERENCES = 40


def render(report: Report, redactor: Redactor) -> str:
    """Markdown that ends in a newline."""
    safe = for_people(report, redactor)
    sections = [_head(safe), _arms(safe), _results(safe), _gate(safe), *_findings(safe), _capacity(safe), _differences(safe)]
    sections += [_unchecked(safe), _suppressed(safe), _checklist(safe), _settings(safe)]
    return disarm_text("\n\n".join(section for section in sections if section) + "\n")


def _head(report: Report) -> str:
    lines = [f"# kvaudit {report.command}: {VERDICT_WORDS[report.verdict].lower()}", ""]
    lines.append(f"**{VERDICT_WORDS[report.verdict]}** · {counts(report)} · {exit_meaning(report)}")
    lines += ["", *(f"- {prose(text)}" for text in [*report.reasons, *open_facts(report)])]
    return "\n".join(lines)


def _arms(report: Report) -> str:
    names = ARM_NAMES[: len(report.arms)] if len(report.arms) > 1 else ("the run",)
    rows = [_row(["evidence", *(code(record.label or "-", True) for record in report.arms)])]
    for name in _ARM_FIELDS:
        values = [code(value_of(name, record.value(name), record.state(name)), True) for record in report.arms]
        rows.append(_row([f"`{name}`", *values]))
    return "\n".join([_row(["", *names]), _row(["---"] * (len(names) + 1)), *rows])


def _results(report: Report) -> str:
    rows = results_words.table(report)
    if not rows:
        return ""
    names = ARM_NAMES[: len(rows[0]) - 1] if len(rows[0]) > 2 else ("the run",)
    lines = ["## Results", "", _row(["", *names]), _row(["---"] * (len(names) + 1))]
    lines += [_row([prose(name), *(code(cell, True) for cell in cells)]) for name, *cells in rows]
    return "\n".join([*lines, "", *(f"- {prose(text)}" for text in results_words.runs(report))])


def _gate(report: Report) -> str:
    if report.gate is None:
        return ""
    lines = [f"## Gate: {prose(results_words.gate_title(report.gate))}", ""]
    return "\n".join([*lines, *(f"- {prose(text)}" for text in results_words.gate_lines(report.gate))])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _findings(report: Report) -> Iterator[str]:
    fired = [finding for finding in report.findings if finding.state == "fired"]
    if fired:
        yield "## Findings"
    for finding in fired:
        yield _finding(finding, report)


def _finding(finding: Finding, report: Report) -> str:
    arms = f" (arm {' and '.join(finding.arms)})" if len(report.arms) > 1 and finding.arms else ""
    heading = f"### {finding.severity}: {prose(finding.title or finding.rule)}{arms}"
    lines = [heading, "", f"`{finding.rule}`: {prose(finding.message)}"]
    lines += ["", *(_evidence(one, report) for one in finding.evidence[:_MOST_EVIDENCE])] if finding.evidence else []
    lines += ["", *(f"- missing: {prose(text)}" for text in finding.missing)] if finding.missing else []
    lines += ["", f"Explained by the difference of `{finding.explained_by}`."] if finding.explained_by else []
    return "\n".join([*lines, "", f"**Fix:** {prose(finding.fix)}"] if finding.fix else lines)


def _evidence(one: Evidence, report: Report) -> str:
    arm = f"arm {one.arm}: " if len(report.arms) > 1 else ""
    value = "" if one.value is None else f" = {code(value_of(one.field, one.value))}"
    excerpt = f" {code(one.excerpt)}" if one.excerpt else ""
    return f"- {arm}`{one.field}`{value} ({one.stage}) {code(_place(one))}{excerpt}"


def _place(one: Evidence) -> str:
    mark = f":{one.line}" if one.line is not None else f"#{one.pointer}" if one.pointer else ""
    return f"{one.file or '(no file)'}{mark}"


def _capacity(report: Report) -> str:
    capacity = report.capacity
    if capacity is None or not capacity.factors:
        return ""
    product = " × ".join(f"{times(factor.ratio)} ({factor.name})" for factor in capacity.factors)
    return f"## Capacity\n\nb ÷ a = {times(capacity.ratio)} = {product}, {times(capacity.residual)} left unexplained"


def _differences(report: Report) -> str:
    shown = [one for one in report.differences if one.class_ != "cosmetic"][:_MOST_DIFFERENCES]
    if not shown:
        return ""
    head = [_row(["field", "a", "b", "class", "explained by"]), _row(["---"] * 5)]
    return "\n".join(["## Differences", "", *head, *(_difference(one) for one in shown)])


def _difference(one: Difference) -> str:
    values = [code(value_of(one.field, value, state), True) for value, state in zip(one.values, one.states, strict=True)]
    proof = f" (proved {one.proof})" if one.proof else ""
    return _row([f"`{one.field}`", *values, f"{one.class_}{proof}", f"`{one.explained_by}`" if one.explained_by else ""])


def _unchecked(report: Report) -> str:
    needs: dict[str, list[str]] = {}
    for one in report.not_checked:
        for text in one.needs or ["evidence that this report does not name"]:
            needs.setdefault(text, []).append(one.rule)
    if not needs:
        return ""
    lines = [f"- {prose(text)} (for {', '.join(f'`{rule}`' for rule in dict.fromkeys(rules))})" for text, rules in needs.items()]
    return "\n".join(["## Could not be checked", "", *lines])


def _suppressed(report: Report) -> str:
    silent = [finding for finding in report.findings if finding.state == "suppressed"]
    lines = [f"- `{one.rule}` ({', '.join(one.arms)}): {prose(one.reason or 'no reason given')}" for one in silent]
    return "\n".join(["## Suppressed", "", *lines]) if lines else ""


_ITEM_STATES = {"pass": "pass", "fail": "**fail**", "cannot_tell": "cannot tell"}


def _checklist(report: Report) -> str:
    if not report.checklist:
        return ""
    head = [_row(["", "question", "answer", "because", "evidence"]), _row(["---"] * 5)]
    rows = [
        _row(
            [
                str(item.number),
                prose(item.title),
                _ITEM_STATES[item.state],
                "; ".join(prose(text) for text in item.because),
                ", ".join(code(_place(one), True) for one in item.evidence),
            ]
        )
        for item in report.checklist
    ]
    return "\n".join(["## Checklist", "", *head, *rows])


def _settings(report: Report) -> str:
    settings = report.settings
    said = [f"settings file: {code(settings.file) if settings.file else 'none'}"]
    said += [f"profile: {settings.profile}"] if settings.profile else []
    said += [f"under test: {', '.join(settings.vary)}"] if settings.vary else []
    said += [prose(text) for text in settings.notes]
    return f"{' · '.join(said)} · kvaudit {report.kvaudit}"
