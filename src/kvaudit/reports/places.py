"""Where a finding is shown in tools that put it on a line of a file.

Room: `reports`, plain look-ups. Paths become relative to the checkout where a CI system names it, because that is how its pages
find the file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import Evidence, Finding, Report

_CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
STANDARD_INPUT = "stdin"


@dataclass(frozen=True, slots=True)
class Place:
    """A file and, where it is known, a 1-based line of it with its text."""

    path: str
    line: int | None = None
    excerpt: str = ""
    field: str = ""


def places_of(finding: Finding, report: Report) -> list[Place]:
    """Every place of the evidence, each line once; the first file of the arm where the evidence names none."""
    found: dict[tuple[str, int | None], Place] = {}
    for one in sorted(finding.evidence, key=_without_line):
        if one.file:
            place = Place(one.file, one.line, one.excerpt, one.field)
            found.setdefault((place.path, place.line), place)
    return list(found.values()) or [Place(first_file(report, finding.arms[0] if finding.arms else ARM_NAMES[0]))]


def _without_line(evidence: Evidence) -> bool:
    return evidence.line is None


def told(finding: Finding, report: Report) -> str:
    """What a finding says in one line; its arm stands in front where the message does not name it."""
    text = finding.message or finding.title
    arms = [name for name in finding.arms if f"arm {name}" not in text.lower()]
    return f"Arm {' and '.join(arms)}: {text}" if arms and len(finding.arms) == 1 and len(report.arms) > 1 else text


def first_file(report: Report, arm: str) -> str:
    """The first file that was read for an arm, so that a remark about the whole arm has somewhere to stand."""
    index = ARM_NAMES.index(arm) if arm in ARM_NAMES else 0
    sources = report.arms[index].sources if index < len(report.arms) else []
    used = [source.path for source in sources if source.kind != "ignored"]
    return used[0] if used else (report.arms[0].label if report.arms else "")


def repository_path(path: str) -> str:
    """A path as seen from the checkout that the CI system names; unchanged where it names none or the file lies outside."""
    if path == "-":
        return STANDARD_INPUT
    root = next((os.environ[name] for name in _CHECKOUTS if os.environ.get(name)), None)
    if root and "://" not in path and "<secret-" not in path:
        whole = Path(os.path.normpath(Path.cwd() / path))
        if whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return path.removeprefix("./")


def uri_of(path: str) -> str:
    """A path as the URI of a SARIF artifact: relative where the path is, `file:` where it is absolute, never another scheme."""
    path = repository_path(path)
    return f"file://{quote(path)}" if path.startswith("/") else quote(path)
