"""Accuracy of two arms on the same questions, item by item: the exact McNemar test, and two standard errors.

Room: `results`. The unit is the question, so one run an arm is enough; repeated runs of the same questions add none. B is
accepted or rejected only where the difference exceeds two standard errors and the exact test is below 0.05. Where only the totals
are known, `scores` asks the same with the standard error of two proportions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

from kvaudit.results.gate.exact import mcnemar
from kvaudit.results.gate.model import Arm, Decision, ExactTest, Gate, Interval, Measurement

STANDARD_ERRORS = 2.0
SIGNIFICANT = 0.05
LEVEL = 0.95
_NORMAL = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""


@dataclass(frozen=True)
class Shares:
    """Two arms in percent of right answers, and the standard error of their difference in points."""

    arms: list[Arm]
    n: tuple[int, int]
    error: float
    test: ExactTest | None = None
    said: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def decide_accuracy(baseline: Mapping[str, bool], candidate: Mapping[str, bool]) -> Gate:
    """The gate over answers: question -> whether the answer was right. Only questions of both arms count."""
    common = sorted(baseline.keys() & candidate.keys())
    if not common:
        return undecided((len(baseline), len(candidate)), ["No question was answered on both arms."])
    only_a = sum(baseline[one] and not candidate[one] for one in common)
    only_b = sum(candidate[one] and not baseline[one] for one in common)
    n = len(common)
    error = 100 * sqrt(max(0.0, only_a + only_b - (only_b - only_a) ** 2 / n)) / n
    arms = [arm_of([Measurement(value=100 * sum(arm[one] for one in common) / n)]) for arm in (baseline, candidate)]
    said = [f"{n} questions on both arms, of which {only_a} only A and {only_b} only B answered rightly."]
    left_out = len(baseline.keys() ^ candidate.keys())
    missing = [f"{left_out} questions were answered on one arm only and are left out."] if left_out else []
    return decided(Shares(arms, (n, n), error, mcnemar(only_a, only_b), said, missing))


def arm_of(runs: list[Measurement]) -> Arm:
    """An arm of scores in percent; no spread, because its runs repeat the same questions."""
    values = [run.value for run in runs]
    return Arm(runs=runs, mean=fmean(values), best=max(values), spread_percent=None, range_percent=None)


def decided(found: Shares) -> Gate:
    """Accept, reject or tie."""
    means = [arm.mean or 0.0 for arm in found.arms]
    difference = means[1] - means[0]
    doubts = _doubts(found, difference)
    decision: Decision = "tie" if doubts else "accept" if difference > 0 else "reject"
    word = {"tie": "not shown to differ", "accept": "better", "reject": "worse"}[decision]
    figures = f"{means[1]:.2f} against {means[0]:.2f} points, difference {difference:+.2f}, standard error {found.error:.2f}"
    method = "normal, paired by question" if found.test else "normal, two proportions"
    half = _NORMAL * found.error
    return _gate(decision, found.n, [f"B is {word}: {figures}.", *doubts, *found.said], found.missing, found.arms).model_copy(
        update={
            "paired": found.test is not None,
            "pairing": "paired by question" if found.test else "not paired: only totals are known",
            "difference": difference,
            "better": difference > 0 if difference else None,
            "interval": Interval(method=method, level=LEVEL, low=difference - half, high=difference + half),
            "test": found.test,
        }
    )


def _doubts(found: Shares, difference: float) -> list[str]:
    doubts = []
    if abs(difference) <= STANDARD_ERRORS * found.error or difference == 0:
        doubts.append(f"The difference is within {STANDARD_ERRORS:g} standard errors.")
    if found.test is not None and found.test.p >= SIGNIFICANT:
        doubts.append(f"The exact McNemar test gives p = {found.test.p:.3g}, not below {SIGNIFICANT:g}.")
    return doubts


def undecided(n: tuple[int, int], missing: list[str], arms: Sequence[Arm] = ()) -> Gate:
    """No decision, with what is missing."""
    return _gate("not_enough_runs", n, [], missing, arms)


def _gate(decision: Decision, n: tuple[int, int], reasons: list[str], missing: list[str], arms: Sequence[Arm]) -> Gate:
    return Gate(
        decision=decision,
        n=n,
        baseline=arms[0] if arms else None,
        candidate=arms[1] if arms else None,
        reasons=[*reasons, *missing],
        metric="score",
        direction="higher",
        unit="points",
        seed=None,
        resamples=None,
        missing=missing,
    )
