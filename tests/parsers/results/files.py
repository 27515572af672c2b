"""Texts become readings, and readings runs, for the tests of result files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kvaudit.parsers.facts import RUN_CLUE, Reading
from kvaudit.parsers.registry import all_hints, recognise
from kvaudit.parsers.results.run import Run
from kvaudit.redaction import Redactor
from kvaudit.sources.arm import collect
from kvaudit.sources.source import Source


def source_of(folder: Path, text: str, name: str = "evidence.txt") -> Source:
    """The source of a file with this text; its name says nothing."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    found = collect([str(path)], all_hints(), Redactor()).found
    assert found[0].source is not None
    return found[0].source


def reading_of(folder: Path, text: str) -> Reading:
    """What the parser that wants the text most reads from it."""
    source = source_of(folder, text)
    parser = recognise(source)
    assert parser is not None
    return parser.read(source)


def recognised_as(folder: Path, text: str) -> str | None:
    """The name of the parser that wants the text most."""
    parser = recognise(source_of(folder, text))
    return parser.name if parser else None


def runs_of(reading: Reading) -> list[Run]:
    """The runs of a reading."""
    return [Run.model_validate(one.value) for one in reading.facts if one.field == RUN_CLUE]


def one_run(folder: Path, text: str) -> Run:
    """The only run of a text."""
    runs = runs_of(reading_of(folder, text))
    assert len(runs) == 1
    return runs[0]


def figures(run: Run) -> dict[str, Any]:
    """The values of a run by name."""
    return {name: held.value for name, held in run.values.items()}


def said(reading: Reading) -> dict[str, Any]:
    """The fields of the server and of the workload, the first value of each."""
    found: dict[str, Any] = {}
    for one in reading.facts:
        if one.field != RUN_CLUE:
            found.setdefault(one.field, one.value)
    return found
