"""Runs and records of runs for the tests of results, from plain figures."""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import RUN_CLUE, Origin
from kvaudit.parsers.results.run import Run, Value
from kvaudit.parsers.tables import fact
from kvaudit.record.model import Record, SourceEntry


def run_of(tool: str = "vllm-bench-serve", *, file: str = "run.json", counted: str | None = None, **figures: Any) -> Run:
    """A run; `__` in a figure's name stands for its dot, `counted` says how its output tokens were counted."""
    values = {name.replace("__", "."): Value(value=value, pointer=f"/{name}", line=1) for name, value in figures.items()}
    if counted and "output_tokens" in values:
        values["output_tokens"] = values["output_tokens"].model_copy(update={"counted": counted})
    return Run(tool=tool, file=file, values=values)


def record_with(*runs: Run, **clues: list[Any]) -> Record:
    """A record that holds these runs, and further clues by the last part of their name."""
    facts = [fact(RUN_CLUE, run.model_dump(), "observed", [Origin(file=run.file, line=1)]) for run in runs]
    held = {RUN_CLUE: facts}
    for name, values in clues.items():
        held[f"clue.{name}"] = [fact(f"clue.{name}", value, "observed", [Origin(file="metrics.txt", line=1)]) for value in values]
    return Record(label="arm", sources=[SourceEntry(path="run.json", kind="results")], clues=held)
