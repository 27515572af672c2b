"""Every workload point compared, and the points taken together.

Room: `results`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.compare import MINIMUM_RUNS, Question, compare
from kvaudit.results.gate.model import Decision, Direction, Shape
from kvaudit.results.gate.points import Point, points_of


@dataclass(frozen=True)
class Terms:
    """What the caller asks, before it is known at how many points it can be answered."""

    metric: str
    direction: Direction
    floor: float
    interleaved: bool | None


def compare_points(a: Sequence[Run], b: Sequence[Run], terms: Terms) -> tuple[list[Shape], list[str]]:
    """The comparison at each point that both arms have, and sentences on points that only one has."""
    points = points_of({"A": list(a), "B": list(b)})
    common = [point for point in points if len(point.arms) == 2]
    decidable = sum(min(len(runs) for runs in point.arms.values()) >= MINIMUM_RUNS for point in common)
    question = Question(terms.metric, terms.direction, terms.floor, max(1, decidable), terms.interleaved)
    unmatched = [_only(point) for point in points if len(point.arms) == 1]
    return [_shape(point, question) for point in common], unmatched


def _only(point: Point) -> str:
    ((arm, runs),) = point.arms.items()
    return f"Only arm {arm} was measured at the workload point {point.name} ({len(runs)} runs): it is not compared."


def _shape(point: Point, question: Question) -> Shape:
    found = compare(point.arms["A"], point.arms["B"], question)
    place = {"name": point.name, "kind": point.kind, "input_tokens": point.input_tokens, "output_tokens": point.output_tokens}
    return Shape.model_validate({**found.model_dump(), **place})


_ORDER: tuple[Decision, ...] = ("reject", "not_enough_runs", "accept", "tie")


def combined(shapes: Sequence[Shape]) -> tuple[Decision, Shape | None, list[str]]:
    """The decision over all points (the first of `_ORDER` that any point has), the point that it rests on, and its reasons."""
    if not shapes:
        return "not_enough_runs", None, ["No workload point was measured on both arms."]
    decision = next(one for one in _ORDER if any(shape.decision == one for shape in shapes))
    deciding = [shape for shape in shapes if shape.decision == decision]
    decisive = max(deciding, key=lambda shape: abs(shape.difference_percent or 0.0)) if decision == "reject" else deciding[0]
    if len(shapes) == 1:
        return decision, decisive, list(decisive.reasons)
    won = sum(shape.decision == "accept" for shape in shapes)
    lost = sum(shape.decision == "reject" for shape in shapes)
    said = f"B is better at {won} of {len(shapes)} workload points, worse or below the floor at {lost or 'none'}."
    lines = [f"{shape.name} ({shape.kind}): {shape.decision}. {' '.join(shape.reasons)}" for shape in shapes]
    shared = f"{len(shapes)} workload points share the risk of a false accept: their intervals are wider than for one."
    return decision, decisive, [said, *lines, shared]
