"""The report as workflow commands of GitHub Actions: one annotation per finding, on the line of the log.

Room: `reports`. Syntax: actions/toolkit, packages/core/src/command.ts: data escapes %, CR and LF, properties also : and ,.
A page shows ten annotations of each kind per step, so the most severe come first; the job summary (Markdown) holds everything.
"""

from __future__ import annotations

from kvaudit.audit.report import Finding, Report, Severity
from kvaudit.redaction import Redactor
from kvaudit.reports.github_actions import disarm_markers
from kvaudit.reports.places import first_file, places_of, repository_path, told
from kvaudit.reports.redacted import for_people
from kvaudit.reports.summary import VERDICT_WORDS, counts, exit_meaning

_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, redactor: Redactor) -> str:
    """One workflow command a line; the last one says the verdict."""
    safe = for_people(report, redactor)
    fired = [finding for finding in safe.findings if finding.state == "fired"]
    open_ = [_open(name, safe) for name in safe.undecided]
    return "\n".join([*(_annotation(finding, safe) for finding in fired), *open_, _verdict(safe)]) + "\n"


def command(name: str, message: str, **properties: str | int | None) -> str:
    """One workflow command; nothing in its message or properties can start another."""
    given = [f"{key}={_property(str(value))}" for key, value in properties.items() if value not in (None, "")]
    return f"::{name}{' ' if given else ''}{','.join(given)}::{_data(message)}"


def _data(text: str) -> str:
    return disarm_markers(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _annotation(finding: Finding, report: Report) -> str:
    place = places_of(finding, report)[0]
    lines = [told(finding, report)]
    lines += [f"{one.path}:{one.line}  {one.excerpt}" for one in places_of(finding, report)[:4] if one.line]
    lines += [f"fix: {finding.fix}"] if finding.fix else []
    return command(
        _COMMANDS[finding.severity],
        "\n".join(lines),
        file=repository_path(place.path),
        line=place.line,
        title=f"kvaudit {finding.rule}",
    )


def _open(name: str, report: Report) -> str:
    reason = next((text for text in report.reasons if text.startswith(name)), f"{name} is not decided.")
    return command("warning", reason, file=repository_path(first_file(report, "a")), title="kvaudit cannot tell")


def _verdict(report: Report) -> str:
    kind = {0: "notice", 3: "warning"}.get(report.exit_code, "error")
    file = f"; settings file: {report.settings.file}" if report.settings.file else ""
    return command(kind, f"{VERDICT_WORDS[report.verdict]} · {counts(report)} · {exit_meaning(report)}{file}", title="kvaudit")
