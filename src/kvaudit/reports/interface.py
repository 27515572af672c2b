"""What a renderer is, and the renderers by name.

Room: `reports`. A renderer turns a finished report into text and decides nothing. Each module is imported when it is used, so
that naming the formats costs nothing at start-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kvaudit.audit.report import Report
    from kvaudit.redaction import Redactor

FALLBACK_WIDTH = 80
"""Columns of a text whose reader's width is not known, such as a pipe."""


class Renderer(Protocol):
    """One output format."""

    def __call__(self, report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
        """The report as text that ends in a newline, masked and free of control characters.

        `width` is in terminal columns, None where nobody reads along; `colour` adds ANSI sequences. Formats for machines
        ignore both.
        """


def render_text(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The report for people."""
    from kvaudit.reports.text.report import render

    return render(report, redactor, width or FALLBACK_WIDTH, colour)


def render_json(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The document `report`."""
    from kvaudit.reports.document import document, to_json

    return to_json(document(report, redactor))


def render_markdown(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The report as Markdown."""
    from kvaudit.reports.markdown import render

    return render(report, redactor)


def render_sarif(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The report as SARIF 2.1.0."""
    from kvaudit.reports.sarif import render

    return render(report, redactor)


def render_junit(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The report as JUnit XML."""
    from kvaudit.reports.junit import render

    return render(report, redactor)


def render_github(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The report as annotations of GitHub Actions."""
    from kvaudit.reports.github import render

    return render(report, redactor)


def render_gitlab(report: Report, redactor: Redactor, width: int | None = None, colour: bool = False) -> str:
    """The report as a GitLab code quality document."""
    from kvaudit.reports.gitlab import render

    return render(report, redactor)


RENDERERS: dict[str, Renderer] = {
    "text": render_text,
    "json": render_json,
    "markdown": render_markdown,
    "sarif": render_sarif,
    "junit": render_junit,
    "github": render_github,
    "gitlab": render_gitlab,
}
"""By the name that `--format` takes."""


def format_names() -> tuple[str, ...]:
    """The names that `--format` takes, the default first."""
    return tuple(RENDERERS)
