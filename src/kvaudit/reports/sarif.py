"""The report as SARIF 2.1.0 (OASIS standard with errata 01), for code scanning pages and editors.

Room: `reports`. One run: a result for each finding, on the line of the log; suppressed ones with their reason; what could not be
checked as notifications of the invocation. Section numbers are those of the standard.
"""

from __future__ import annotations

import json
from typing import Any

from kvaudit.audit.fingerprint import fingerprint
from kvaudit.audit.report import Finding, Report
from kvaudit.patterns import LatePattern
from kvaudit.redaction import Redactor
from kvaudit.reports.github_actions import disarm_json
from kvaudit.reports.places import Place, places_of, told, uri_of
from kvaudit.reports.redacted import for_people
from kvaudit.reports.results_words import gate_sentences
from kvaudit.reports.rule_texts import RuleText, texts_of
from kvaudit.reports.summary import exit_meaning

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "kvaudit/v1"
_PLACEHOLDER = LatePattern(r"\{(\d+)\}")
_MOST_RELATED = 10

Json = dict[str, Any]


def render(report: Report, redactor: Redactor) -> str:
    """One SARIF log as JSON text that ends in a newline."""
    safe = for_people(report, redactor)
    rules = texts_of(safe)
    index = {rule.id: number for number, rule in enumerate(rules)}
    prints = [fingerprint(finding, redactor) for finding in report.findings]
    run: Json = {
        "tool": {"driver": {"name": "kvaudit", "version": report.kvaudit, "rules": [_descriptor(rule) for rule in rules]}},
        "automationDetails": {"id": f"kvaudit/{report.command}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(safe)],
        "results": [_result(*each, safe, index) for each in zip(safe.findings, prints, strict=True)],
        "properties": {"verdict": report.verdict, "undecided": report.undecided, "settingsFile": safe.settings.file},
    }
    return to_text(run)


def to_text(run: Json) -> str:
    """A log with this one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return disarm_json(json.dumps(log, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def message(text: str) -> Json:
    """A plain text message (3.11) in which no text of a log is a link (3.11.6) or a placeholder (3.11.5)."""
    return {"text": str(_PLACEHOLDER.sub(r"{{\1}}", text.replace("](", "] ("))) or "(no text)"}


def _descriptor(rule: RuleText) -> Json:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": [rule.category]},
    }


def _result(finding: Finding, digest: str, report: Report, index: dict[str, int]) -> Json:
    first, *others = places_of(finding, report)
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "kind": "open" if finding.state == "unknown" else "fail",
        "level": "none" if finding.state == "unknown" else finding.severity,
        "message": message(told(finding, report)),
        "locations": [_location(first)],
        "relatedLocations": [{"id": number, **_location(one)} for number, one in enumerate(others[:_MOST_RELATED], start=1)],
        "partialFingerprints": {FINGERPRINT: digest},
        "properties": {"arms": finding.arms, "fix": finding.fix, "explainedBy": finding.explained_by},
    }
    if finding.state == "suppressed":
        suppression = {"kind": "external", "status": "accepted", "justification": finding.reason or "no reason given"}
        result["suppressions"] = [suppression]
    return result


def _location(place: Place) -> Json:
    physical: Json = {"artifactLocation": {"uri": uri_of(place.path)}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line, "snippet": {"text": place.excerpt}}
    location: Json = {"physicalLocation": physical}
    if place.field:
        location["logicalLocations"] = [{"fullyQualifiedName": place.field}]
    return location


def _gate(report: Report) -> list[Json]:
    """The decision of the acceptance gate, which is no finding of a rule."""
    level = {0: "note", 3: "warning"}.get(report.exit_code, "error")
    return [{"level": level, "message": message(text)} for text in gate_sentences(report)]


def _invocation(report: Report) -> Json:
    """3.20: the call decided something, so it was successful, whatever the verdict."""
    notes = [
        {
            "level": "note",
            "message": message(f"{one.rule} could not be checked: {'; '.join(one.needs) or 'the evidence does not say'}"),
            "associatedRule": {"id": one.rule},
        }
        for one in report.not_checked
    ]
    undecided = [{"level": "warning", "message": message(f"{name} is not decided")} for name in report.undecided]
    return {
        "executionSuccessful": True,
        "exitCode": report.exit_code,
        "exitCodeDescription": exit_meaning(report),
        "toolExecutionNotifications": [*_gate(report), *undecided, *notes],
        "toolConfigurationNotifications": [{"level": "note", "message": message(text)} for text in report.settings.notes],
    }
