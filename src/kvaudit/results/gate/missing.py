"""What the gate asks for and was not given, and what a reader should know of the figures, as sentences.

Room: `results`.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.measurements import Taken
from kvaudit.results.gate.metrics import DIRECTIONS
from kvaudit.results.gate.model import Shape


def missing_metric(a: Taken, b: Taken, metric: str) -> list[str]:
    """Arms of which no run has the metric, and what could be asked instead."""
    lacking = [f"No run of arm {name} has {metric}." for name, arm in (("A", a), ("B", b)) if not arm.runs]
    others = _in_every_run([*a.given, *b.given]) if lacking and a.given and b.given else []
    return [*lacking, *([f"Every run has {', '.join(others[:8])}."] if others else [])]


def _in_every_run(runs: Sequence[Run]) -> list[str]:
    return [name for name in DIRECTIONS if all(run.number(name) is not None for run in runs)]


def missing_shapes(shapes: Sequence[Shape]) -> list[str]:
    """The workload shapes that were not measured: a change that helps one of prefill and decode may hurt the other."""
    kinds = {shape.kind for shape in shapes}
    if not kinds:
        return []
    if kinds == {"unknown"}:
        return ["The lengths of the load are unknown, so whether a prefill-heavy and a decode-heavy point were measured is too."]
    return [
        f"No {kind} point was measured on both arms: the decision holds for the load measured only."
        for kind in ("prefill-heavy", "decode-heavy")
        if kind not in kinds
    ]


def other_remarks(a: Sequence[Run], b: Sequence[Run], metric: str) -> list[str]:
    """Runs of different clients, and a figure that counts stream events."""
    tools = [sorted({run.tool for run in arm}) for arm in (a, b)]
    said = []
    if a and b and tools[0] != tools[1]:
        said.append(
            f"Arm A was measured by {', '.join(tools[0])}, arm B by {', '.join(tools[1])}: clients count in their own ways."
        )
    if metric == "peak_output_throughput":
        said.append(
            "The peak throughput of these clients counts stream events: it is too low where an event holds several tokens."
        )
    return said
