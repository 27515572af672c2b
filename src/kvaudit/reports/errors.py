"""What each format says where nothing was decided: the call was wrong, or evidence cannot be used.

Room: `reports`. Nobody may take an empty or an old file for a clean result, so every format names the errors in its own way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from kvaudit.errors import InputError
from kvaudit.record.model import DOCUMENT_VERSION
from kvaudit.redaction import Redactor
from kvaudit.reports.github_actions import disarm_json, disarm_text

Errors = list[InputError]


def render_errors(errors: Errors, redactor: Redactor, format_: str) -> str:
    """The errors as text of a format, masked; empty where the format has no words for it."""
    masked = [InputError(redactor.document(one.path), redactor.document(one.message), one.tried) for one in errors]
    return _FORMATS[format_](masked) if format_ in _FORMATS else ""


def _said(one: InputError) -> str:
    return str(one) if one.path else one.message


def _json(errors: Errors) -> str:
    document = {
        "document": "error",
        "version": DOCUMENT_VERSION,
        "verdict": "input_error",
        "exit_code": 2,
        "errors": [{"path": one.path, "message": one.message, "tried": one.tried} for one in errors],
    }
    return disarm_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def _text(errors: Errors) -> str:
    return disarm_text("".join(f"{line}\n" for line in ["NOTHING WAS DECIDED · exit 2", "", *map(_said, errors)]))


def _markdown(errors: Errors) -> str:
    from kvaudit.reports.markup import prose

    lines = ["# kvaudit: nothing was decided", "", *(f"- {prose(_said(one))}" for one in errors)]
    return disarm_text("\n".join(lines) + "\n")


def _github(errors: Errors) -> str:
    from kvaudit.reports.github import command

    return "".join(f"{command('error', _said(one), title='kvaudit: nothing was decided')}\n" for one in errors)


def _gitlab(errors: Errors) -> str:
    from kvaudit.reports.gitlab import entry, to_text

    unique = {_said(one): one for one in errors}
    return to_text(
        [
            entry("input-error", said, "blocker", path=one.path or "-", line=1, digest=hashlib.sha256(said.encode()).hexdigest())
            for said, one in unique.items()
        ]
    )


def _junit(errors: Errors) -> str:
    from kvaudit.reports.junit import case, outcome, to_text

    verdict = outcome(case("verdict", "input"), "error", "nothing was decided", list(map(_said, errors)), "input_error")
    return to_text("kvaudit", [verdict])


def _sarif(errors: Errors) -> str:
    from kvaudit import __version__
    from kvaudit.reports.sarif import message, to_text

    notes = [{"level": "error", "message": message(_said(one))} for one in errors]
    invocation = {
        "executionSuccessful": False,
        "exitCode": 2,
        "exitCodeDescription": "nothing was decided",
        "toolExecutionNotifications": notes,
    }
    driver = {"name": "kvaudit", "version": __version__, "rules": []}
    return to_text({"tool": {"driver": driver}, "invocations": [invocation], "results": []})


_FORMATS: dict[str, Callable[[Errors], str]] = {
    "json": _json,
    "text": _text,
    "markdown": _markdown,
    "github": _github,
    "gitlab": _gitlab,
    "junit": _junit,
    "sarif": _sarif,
}
