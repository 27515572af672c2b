"""A combination of changes against the best of its single changes: what the combination adds has to show against that one.

Room: `results`. The best single change is the one with the best mean against the baseline, over the workload points that both
have. Taking the best of several favours it a little, so a combination that adds nothing is not accepted by luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.model import Combination, Decision
from kvaudit.results.gate.points import points_of
from kvaudit.results.gate.shapes import Terms, combined, compare_points


def against_best_single(
    baseline: Sequence[Run], combination: Sequence[Run], singles: Mapping[str, Sequence[Run]], terms: Terms
) -> Combination | None:
    """The combination against its best single change; None where no single change shares a point with the baseline."""
    gains = {name: gain for name, runs in singles.items() if (gain := _gain(baseline, runs, terms)) is not None}
    if not gains:
        return None
    best = max(gains, key=lambda name: gains[name])
    shapes, _ = compare_points(singles[best], combination, terms)
    decision, _, _ = combined(shapes)
    return Combination(best_single=best, comparisons=shapes, decision=decision, gains_percent=gains)


def _gain(baseline: Sequence[Run], runs: Sequence[Run], terms: Terms) -> float | None:
    """Mean over the common points of the relative difference, positive where better, in percent."""
    sign = 1 if terms.direction == "higher" else -1
    gains = []
    for point in points_of({"A": list(baseline), "B": list(runs)}):
        means = [fmean(_values(point.arms.get(arm, []), terms.metric) or [0.0]) for arm in "AB"]
        if len(point.arms) == 2 and means[0] != 0:
            gains.append(100 * sign * (means[1] - means[0]) / abs(means[0]))
    return fmean(gains) if gains else None


def _values(runs: Sequence[Run], metric: str) -> list[float]:
    return [number for run in runs if (number := run.number(metric)) is not None]


def with_combination(decision: Decision, found: Combination | None) -> tuple[Decision, list[str]]:
    """The decision against the baseline, after the best single change: a win over the baseline alone is not enough."""
    if found is None:
        return decision, ["No single change shares a workload point with the baseline: the combination is not compared with any."]
    name = found.best_single
    if found.decision == "reject":
        return "reject", [f"The combination loses to its best single change, {name}: adopt that one."]
    if found.decision == "accept":
        return decision, [f"The combination beats its best single change, {name}."]
    why = "has too few runs against" if found.decision == "not_enough_runs" else "is not shown to beat"
    return (found.decision if decision == "accept" else decision), [f"The combination {why} its best single change, {name}."]
