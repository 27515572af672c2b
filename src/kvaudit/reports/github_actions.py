"""Keeps evidence from giving orders to a CI runner that reads this program's output.

Room: `reports`, text only. GitHub's runner obeys `::command::` at the start of a line (blanks before it do not matter) and
`##[command]` anywhere in a line (actions/runner, ActionCommand.cs, both versions of the syntax), the agent of Azure Pipelines
`##vso[command]` anywhere in a line, TeamCity `##teamcity[message]`.
"""

from __future__ import annotations

import os

from kvaudit.patterns import LatePattern

# Colour sequences may stand before a command: some log viewers strip them before they look for one.
_LINE_START = LatePattern(r"(?m)^((?:\s|\x1b\[[0-9;]*m)*)::")
_MARKER = LatePattern(r"##(\w{0,40}\[)")
_RUNNERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
"""Variables by which the runners of GitHub, Azure Pipelines and TeamCity say that they are there."""


def is_runner() -> bool:
    """Whether such a runner reads the output."""
    return any(os.environ.get(name) for name in _RUNNERS)


def disarm_text(text: str) -> str:
    """Plain text in which no line is a runner command; unchanged outside a runner."""
    if not is_runner():
        return text
    return disarm_markers(str(_LINE_START.sub(r"\1\\x3a:", text)))


def disarm_markers(text: str) -> str:
    """Text without `##[` and its like, which start a command anywhere in a line; for formats that only a runner reads."""
    return str(_MARKER.sub(r"\\x23#\1", text))


def disarm_json(text: str) -> str:
    """JSON text in which no line is a runner command and which still means the same; unchanged outside a runner."""
    return str(_MARKER.sub(r"\\u0023#\1", text)) if is_runner() else text


def disarm_xml(text: str) -> str:
    """XML text without such a marker, which still means the same."""
    return str(_MARKER.sub(r"&#35;#\1", text))
