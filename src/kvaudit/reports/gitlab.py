"""The report as a GitLab code quality document, which merge requests show beside the changed lines.

Room: `reports`. Format: docs.gitlab.com, "Code Quality report format": a list of description, check_name, fingerprint, severity
and location; a fingerprint counts once per document.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from kvaudit.audit.fingerprint import fingerprint
from kvaudit.audit.report import Finding, Report, Severity
from kvaudit.redaction import Redactor
from kvaudit.reports.github_actions import disarm_json
from kvaudit.reports.places import first_file, places_of, repository_path, told
from kvaudit.reports.redacted import for_people
from kvaudit.reports.results_words import gate_sentences

_SEVERITIES: dict[Severity, str] = {"error": "critical", "warning": "minor", "note": "info"}


def render(report: Report, redactor: Redactor) -> str:
    """The findings that fired, then one entry for each fact that is not decided, as JSON text that ends in a newline."""
    safe = for_people(report, redactor)
    prints = [fingerprint(finding, redactor) for finding in report.findings]
    entries = [
        _entry(finding, digest, safe) for finding, digest in zip(safe.findings, prints, strict=True) if finding.state == "fired"
    ]
    unique: dict[str, dict[str, Any]] = {}
    for one in [*entries, *_gate(safe), *(_open(name, safe) for name in safe.undecided)]:
        unique.setdefault(one["fingerprint"], one)
    return to_text(list(unique.values()))


def to_text(entries: list[dict[str, Any]]) -> str:
    """The document with these entries."""
    return disarm_json(json.dumps(entries, indent=2, ensure_ascii=False)) + "\n"


def entry(name: str, text: str, severity: str, *, path: str, line: int, digest: str) -> dict[str, Any]:
    """One entry of the document."""
    return {
        "description": text,
        "check_name": name,
        "fingerprint": digest,
        "severity": severity,
        "location": {"path": repository_path(path), "lines": {"begin": line}},
    }


def _entry(finding: Finding, digest: str, report: Report) -> dict[str, Any]:
    place = places_of(finding, report)[0]
    severity = _SEVERITIES[finding.severity]
    return entry(finding.rule, told(finding, report), severity, path=place.path, line=place.line or 1, digest=digest)


def _gate(report: Report) -> list[dict[str, Any]]:
    """What the acceptance gate came to, where the exit code is its own."""
    if report.command != "results" or report.gate is None or report.gate.decision not in ("reject", "not_enough_runs"):
        return []
    severity = "critical" if report.gate.decision == "reject" else "major"
    digest = hashlib.sha256(f"gate {report.gate.decision} {report.gate.metric}".encode()).hexdigest()
    text = " ".join(gate_sentences(report))
    return [entry("acceptance-gate", text, severity, path=first_file(report, "b"), line=1, digest=digest)]


def _open(name: str, report: Report) -> dict[str, Any]:
    reason = next((text for text in report.reasons if text.startswith(name)), f"{name} is not decided.")
    digest = hashlib.sha256(f"undecided {name}".encode()).hexdigest()
    return entry("cannot-tell", reason, "major", path=first_file(report, "a"), line=1, digest=digest)
