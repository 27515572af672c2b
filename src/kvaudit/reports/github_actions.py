"""Keeps evidence from giving orders to a GitHub Actions runner that reads this program's output.

Room: `reports`, text only. The runner obeys `::command::` at the start of a line (blanks before it do not matter) and
`##[command]` anywhere in a line (actions/runner, ActionCommand.cs, both versions of the syntax).
"""

from __future__ import annotations

import os

from kvaudit.patterns import LatePattern

# Colour sequences may stand before a command: some log viewers strip them before they look for one.
_LINE_START = LatePattern(r"(?m)^((?:\s|\x1b\[[0-9;]*m)*)::")


def is_runner() -> bool:
    """Whether a GitHub Actions runner reads the output."""
    return bool(os.environ.get("GITHUB_ACTIONS"))


def disarm_text(text: str) -> str:
    """Plain text in which no line is a runner command; unchanged outside a runner."""
    if not is_runner():
        return text
    return disarm_markers(str(_LINE_START.sub(r"\1\\x3a:", text)))


def disarm_markers(text: str) -> str:
    """Text without `##[`, which starts a command anywhere in a line; for formats that only a runner reads."""
    return text.replace("##[", "\\x23#[")


def disarm_json(text: str) -> str:
    """JSON text in which no line is a runner command and which still means the same; unchanged outside a runner."""
    return text.replace("##[", "\\u0023#[") if is_runner() else text
