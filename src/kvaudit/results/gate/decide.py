"""From two arms to a decision: runs are grouped by workload point, each point is compared, and the points are taken together.

Room: `results`. One lost point loses; a point without enough runs leaves the answer open; B is accepted where it wins at some
point and loses at none. With k points each interval takes a k-th of the risk (Bonferroni), so that the risk of a false accept
stays that of one point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kvaudit.errors import UsageError
from kvaudit.parsers.results.run import Run, unit_of
from kvaudit.results.gate.combination import against_best_single, with_combination
from kvaudit.results.gate.measurements import Observed, Taken, as_runs, taken
from kvaudit.results.gate.metrics import default_metric, direction_of, metric_name
from kvaudit.results.gate.missing import missing_metric, missing_shapes, other_remarks
from kvaudit.results.gate.model import Direction, Gate
from kvaudit.results.gate.scipy_extra import load
from kvaudit.results.gate.scores import decide_scores
from kvaudit.results.gate.shapes import Terms, combined, compare_points
from kvaudit.results.gate.statistics import RESAMPLES, SEED


def decide(
    baseline: Sequence[Observed],
    candidate: Sequence[Observed],
    *,
    metric: str | None = None,
    direction: Direction | None = None,
    floor: float = 0.95,
    disaggregated: bool = False,
    interleaved: bool | None = None,
    candidates: Mapping[str, Sequence[Observed]] | None = None,
) -> Gate:
    """The gate over two arms of runs, or of plain numbers in the order in which they were measured.

    `floor` is the share of A's best run that B's best run must reach. Errors: UsageError for an unknown metric or a floor that is
    no share, KvauditError where SciPy is not installed.
    """
    name = metric_name(metric) if metric else default_metric(disaggregated=disaggregated)
    way = direction_of(name, direction)
    if not 0 < floor <= 1:
        raise UsageError(f"the floor is a share of the baseline's best run, above 0 and at most 1, not {floor:g}")
    arms = [as_runs(observed, name) for observed in (baseline, candidate)]
    if name == "score":
        return decide_scores(arms[0], arms[1])
    load("scipy.stats")
    kept = [taken(runs, name, label) for runs, label in zip(arms, "AB", strict=True)]
    singles = {single: taken(as_runs(runs, name), name, single).runs for single, runs in (candidates or {}).items()}
    return _gate(kept[0], kept[1], Terms(name, way, floor, interleaved), singles)


def _gate(a: Taken, b: Taken, terms: Terms, singles: Mapping[str, Sequence[Run]]) -> Gate:
    shapes, unmatched = compare_points(a.runs, b.runs, terms)
    decision, decisive, reasons = combined(shapes)
    missing = [*missing_metric(a, b, terms.metric), *unmatched, *missing_shapes(shapes), *a.notes, *b.notes]
    combination = against_best_single(a.runs, b.runs, singles, terms) if singles else None
    if singles:
        decision, more = with_combination(decision, combination)
        reasons = [*reasons, *more]
    numbers = (
        decisive.model_dump(exclude={"decision", "reasons", "name", "kind", "input_tokens", "output_tokens"}) if decisive else {}
    )
    return Gate(
        **{"n": (len(a.runs), len(b.runs)), **numbers},
        decision=decision,
        reasons=[*reasons, *other_remarks(a.runs, b.runs, terms.metric), *missing],
        metric=terms.metric,
        direction=terms.direction,
        unit=unit_of(terms.metric),
        decided_by=decisive.name if decisive else None,
        seed=SEED,
        resamples=RESAMPLES,
        shapes=shapes,
        combination=combination,
        missing=missing,
    )
