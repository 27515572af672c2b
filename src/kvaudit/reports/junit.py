"""The report as JUnit XML, which nearly every CI system shows as tests.

Room: `reports`. One suite: a case for the verdict, one for each finding and a skipped one for each rule that was not checked.
A case fails only where its finding decides the exit code, so that the page is red exactly when the exit code is not 0.
"""

from __future__ import annotations

from xml.etree import ElementTree

from kvaudit.audit.report import Finding, NotChecked, Report
from kvaudit.redaction import Redactor
from kvaudit.reports.github_actions import disarm_xml
from kvaudit.reports.places import places_of, repository_path
from kvaudit.reports.redacted import for_people
from kvaudit.reports.summary import VERDICT_WORDS, counts, exit_meaning

_RANKS = {"error": 0, "warning": 1, "note": 2}
_THRESHOLDS = {"error": 0, "warning": 1, "never": -1}


def render(report: Report, redactor: Redactor) -> str:
    """An XML document that ends in a newline."""
    safe = for_people(report, redactor)
    cases = [_verdict(safe), *(_finding(one, safe) for one in safe.findings), *(_skipped(one, safe) for one in _open(safe))]
    return to_text(f"kvaudit {safe.command}", cases)


def to_text(name: str, cases: list[ElementTree.Element]) -> str:
    """A document with one suite of these cases."""
    numbers = {"tests": str(len(cases)), **{kind + ending: _count(cases, kind) for kind, ending in _KINDS.items()}, "time": "0"}
    root = ElementTree.Element("testsuites", {"name": "kvaudit", **numbers})
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **numbers})
    suite.extend(cases)
    ElementTree.indent(root)
    text = disarm_xml(ElementTree.tostring(root, encoding="unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


_KINDS = {"failure": "s", "error": "s", "skipped": ""}


def _count(cases: list[ElementTree.Element], kind: str) -> str:
    return str(sum(case.find(kind) is not None for case in cases))


def case(name: str, group: str, file: str = "", line: int | None = None) -> ElementTree.Element:
    """A test case; `file` and `line` are understood by GitLab and others."""
    place = {"file": repository_path(file)} if file else {}
    number = {"line": str(line)} if line is not None else {}
    return ElementTree.Element("testcase", {"classname": f"kvaudit.{group}", "name": name, "time": "0", **place, **number})


def outcome(parent: ElementTree.Element, kind: str, short: str, lines: list[str], type_: str = "") -> ElementTree.Element:
    """What became of a case: failure, error or skipped, with a short message and the lines below it."""
    element = ElementTree.SubElement(parent, kind, {"message": short, **({"type": type_} if type_ else {})})
    element.text = _text(lines)
    return parent


def _text(lines: list[str]) -> str | None:
    """Lines behind a bar, so that no line of evidence starts a line of the document."""
    return "\n".join(f"| {line}" for line in lines) or None


def _verdict(report: Report) -> ElementTree.Element:
    verdict = case("verdict", report.command)
    said = f"{VERDICT_WORDS[report.verdict]} · {counts(report)} · {exit_meaning(report)}"
    settings = [f"settings file: {report.settings.file or 'none'}", *report.settings.notes]
    lines = [said, *report.reasons, *settings]
    if report.exit_code:
        return outcome(verdict, "error" if report.exit_code == 3 else "failure", said, lines, report.verdict)
    return _passed(verdict, lines)


def _finding(finding: Finding, report: Report) -> ElementTree.Element:
    place = places_of(finding, report)[0]
    test = case(_named(finding.rule, finding.arms, report), report.command, place.path, place.line)
    lines = [finding.title, finding.message]
    lines += [f"{one.path}:{one.line}  {one.excerpt}" for one in places_of(finding, report) if one.line]
    lines += [f"missing: {text}" for text in finding.missing] + ([f"fix: {finding.fix}"] if finding.fix else [])
    if finding.state == "suppressed":
        return outcome(test, "skipped", f"suppressed: {finding.reason or 'no reason given'}", lines)
    if finding.state == "unknown":
        return outcome(test, "skipped", f"cannot be decided: {finding.message or finding.title}", lines)
    counted = finding.about != "missing" and _RANKS[finding.severity] <= _THRESHOLDS[report.settings.fail_on]
    if counted:
        return outcome(test, "failure", finding.message or finding.title, lines, finding.severity)
    return _passed(test, [f"{finding.severity}: does not fail", *lines])


def _passed(test: ElementTree.Element, lines: list[str]) -> ElementTree.Element:
    ElementTree.SubElement(test, "system-out").text = _text(lines)
    return test


def _open(report: Report) -> list[NotChecked]:
    """Rules that could not be checked and have no finding of their own."""
    told = {(finding.rule, tuple(finding.arms)) for finding in report.findings}
    return [one for one in report.not_checked if (one.rule, tuple(one.arms)) not in told]


def _skipped(one: NotChecked, report: Report) -> ElementTree.Element:
    test = case(_named(one.rule, one.arms, report), report.command)
    return outcome(test, "skipped", "could not be checked", one.needs)


def _named(rule: str, arms: list[str], report: Report) -> str:
    return f"{rule} (arm {' and '.join(arms)})" if len(report.arms) > 1 and arms else rule
