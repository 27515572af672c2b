"""The README shows what the program prints: the transcript, the commands, the exit codes."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import ROOT, Run

README = ROOT / "README.md"
BEGIN, END = "<!-- transcript: kvaudit demo -->\n```text\n", "```\n<!-- /transcript -->"
SHOWN_LINES = 38


def transcript(printed: str) -> str:
    """The part of the demo's report that the README shows: its first lines, at 80 columns."""
    return "\n".join(printed.splitlines()[:SHOWN_LINES]).rstrip() + "\n…\n"


def test_the_transcript_is_what_the_demo_prints(run: Run) -> None:
    text = README.read_text(encoding="utf-8")
    shown = text[text.index(BEGIN) + len(BEGIN) : text.index(END)]
    assert shown == transcript(run("demo", COLUMNS="80").stdout), "run `make generate`"


def test_every_command_of_the_readme_exists(run: Run) -> None:
    named = set(re.findall(r"^\$ kvaudit (\w+)", README.read_text(encoding="utf-8"), re.M))
    assert named
    listed = run("--help").stdout
    assert {name for name in named if f"  {name} " not in listed} == set()


def write_transcript(readme: Path, printed: str) -> None:
    """Put the current transcript into the README."""
    text = readme.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    readme.write_text(text[:start] + transcript(printed) + text[end:], encoding="utf-8")
