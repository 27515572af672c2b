"""The metric of every run of an arm, without copies of one run.

Room: `results`. A run without the metric, or with a figure that is no finite number, is named and left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.model import Measurement

Observed = Run | float
_FIGURES_OF_A_COPY = 4
_SMALLEST, _LARGEST = 1e-12, 1e15
"""What a benchmark measures in any of its units; beyond, sums and squares leave the range of floating point."""


@dataclass
class Taken:
    """The runs of an arm that hold the metric, of the runs `given`, and sentences about the others."""

    given: list[Run]
    runs: list[Run] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def as_runs(observed: Sequence[Observed], metric: str) -> list[Run]:
    """Plain numbers become runs without a file."""
    return [one if isinstance(one, Run) else _bare(float(one), metric) for one in observed]


def _bare(value: float, metric: str) -> Run:
    return Run.model_validate({"tool": "", "file": "", "values": {metric: {"value": value}}})


def taken(runs: Sequence[Run], metric: str, arm: str) -> Taken:
    """The runs with a finite figure of that metric, each once."""
    found = Taken(list(runs))
    seen: dict[tuple[object, ...], Run] = {}
    for run in runs:
        if not is_measured(run.number(metric)):
            found.notes.append(f"{_name(run)} of arm {arm} has no usable {metric}: it is left out.")
            continue
        figures = _figures(run)
        if len(figures) > _FIGURES_OF_A_COPY and figures in seen:
            found.notes.append(f"{_name(run)} of arm {arm} has the figures of {_name(seen[figures])}: a copy counts once.")
            continue
        seen[figures] = run
        found.runs.append(run)
    return found


def is_measured(value: float | None) -> TypeGuard[float]:
    """Whether a figure is one that a benchmark can measure."""
    return value is not None and (value == 0 or _SMALLEST <= abs(value) <= _LARGEST)


def _figures(run: Run) -> tuple[object, ...]:
    """What no two real runs share: all their figures (and their start)."""
    numbers = [(name, run.number(name)) for name in sorted(run.values)]
    return (run.started, *[pair for pair in numbers if pair[1] is not None])


def _name(run: Run) -> str:
    place = f"{run.file}:{run.line}" if run.line is not None else run.file
    return place or "a run"


def measurement(run: Run, metric: str) -> Measurement:
    """The figure of a run that `taken` kept."""
    value = run.values[metric]
    line = value.line if value.line is not None or value.file else run.line
    place = {"file": value.file or run.file or None, "pointer": value.pointer, "line": line}
    return Measurement.model_validate({"value": float(value.value), "started": run.started, **place})
