"""The benchmark runs of a record, and small questions about one run.

Room: `results`, its entrance. A clue that is no proper run (a saved record from elsewhere) is left out.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from kvaudit.parsers.facts import RUN_CLUE, Origin
from kvaudit.parsers.results.run import Run
from kvaudit.record.model import Record

_LARGEST = 1e18
_LONGEST = 300

SINGLE_CLUE = "clue.result_single"
"""The clue that holds a run of a single change: its `name` and the `run`."""


def runs_of(record: Record) -> list[Run]:
    """Every run in the evidence of an arm, in the order of files and of runs in a file."""
    found = (_run(one.value) for one in record.clues.get(RUN_CLUE, []))
    return [run for run in found if run is not None]


def _run(value: Any) -> Run | None:
    try:
        run = value if isinstance(value, Run) else Run.model_validate(value)
    except (ValidationError, RecursionError):
        return None
    if all(_is_figure(held.value) for held in run.values.values()):
        return run
    return run.model_copy(update={"values": {name: held for name, held in run.values.items() if _is_figure(held.value)}})


def _is_figure(value: Any) -> bool:
    """A text, a truth value, or a number of a sane size: readers give no other, a saved record may."""
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return isinstance(value, int | float) and abs(value) <= _LARGEST


def text(run: Run, name: str) -> str | None:
    """A quantity as text, None where the run has none."""
    held = run.values.get(name)
    return None if held is None or held.value is None else str(held.value)


def flag(run: Run, name: str) -> bool | None:
    """A quantity that is true or false; None where the run has none, or something else."""
    held = run.values.get(name)
    return held.value if held is not None and isinstance(held.value, bool) else None


def closed_loop(run: Run) -> bool | None:
    """Whether the client sent as fast as answers came back: an offered rate without limit. None where no rate is known."""
    held = run.values.get("request_rate")
    if held is None or held.value is None:
        return None
    if isinstance(held.value, str):
        return held.value.strip().lower() in ("inf", "infinity", "infinite")
    return isinstance(held.value, float) and held.value == float("inf")


def place(run: Run) -> str:
    """Where the run stands, as `file`, `file:line` or `file#/pointer`."""
    mark = f":{run.line}" if run.line is not None else f"#{run.pointer}" if run.pointer else ""
    return f"{run.file}{mark}"


def origins(run: Run, *names: str) -> list[Origin]:
    """Where these figures stand in the run's file; one origin per figure that the run has."""
    return [_origin(run, name) for name in names if name in run.values]


def _origin(run: Run, name: str) -> Origin:
    held = run.values[name]
    line = held.line if held.line is not None else run.line
    return Origin(file=held.file or run.file, line=line, pointer=held.pointer, reader=f"results:{run.tool}")


def same_runs(a: list[Run], b: list[Run]) -> bool:
    """Whether both sides hold the same figures, whatever the files are called."""
    return sorted(map(figures, a)) == sorted(map(figures, b))


def singles_of(record: Record) -> dict[str, list[Run]]:
    """The runs of each single change that the arm combines, by the change's name."""
    found: dict[str, list[Run]] = {}
    for one in record.clues.get(SINGLE_CLUE, []):
        if isinstance(one.value, dict) and (run := _run(one.value.get("run"))) is not None:
            found.setdefault(str(one.value.get("name")), []).append(run)
    return found


def figures(run: Run) -> tuple[tuple[str, str], ...]:
    """All figures of a run, for telling whether two files tell of one run."""
    return tuple((name, str(held.value)) for name, held in sorted(run.values.items()))
