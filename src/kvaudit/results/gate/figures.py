"""The numbers of two arms at one workload point: means, spreads, difference, intervals, exact test.

Room: `results`. Arithmetic only; what follows from the numbers is decided in `compare`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean, stdev

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.exact import permutation, sign_flip
from kvaudit.results.gate.measurements import measurement
from kvaudit.results.gate.model import Arm, Direction, ExactTest, Interval
from kvaudit.results.gate.statistics import paired_bootstrap, paired_interval, two_arm_bootstrap, welch_interval


@dataclass(frozen=True)
class Numbers:
    """What is known of B minus A; intervals and test need two runs an arm."""

    difference: float | None = None
    percent: float | None = None
    interval: Interval | None = None
    bootstrap: Interval | None = None
    test: ExactTest | None = None


def arm_of(runs: Sequence[Run], metric: str, direction: Direction) -> Arm:
    """The summary of an arm: mean, best run, and how much its runs differ."""
    held = [measurement(run, metric) for run in runs]
    values = [one.value for one in held]
    if not values:
        return Arm(runs=[], mean=None, best=None, spread_percent=None, range_percent=None)
    mean = fmean(values)
    several = len(values) > 1 and mean != 0
    return Arm(
        runs=held,
        mean=mean,
        best=max(values) if direction == "higher" else min(values),
        spread_percent=100 * stdev(values) / abs(mean) if several else None,
        range_percent=100 * (max(values) - min(values)) / abs(mean) if several else None,
    )


def numbers_of(a: Sequence[float], b: Sequence[float], level: float, *, paired: bool) -> Numbers:
    """Everything that two lists of figures give; pairs by position where `paired`."""
    if not a or not b:
        return Numbers()
    base = fmean(a)
    difference = fmean(b) - base
    percent = 100 * difference / abs(base) if base else None
    if min(len(a), len(b)) < 2:
        return Numbers(difference, percent)
    if paired:
        gaps = [right - left for left, right in zip(a, b, strict=True)]
        student = _interval("paired t", paired_interval(gaps, level), level, base)
        return Numbers(difference, percent, student, _interval(_BCA, paired_bootstrap(gaps, level), level, base), sign_flip(gaps))
    welch = _interval("Welch t", welch_interval(a, b, level), level, base)
    return Numbers(difference, percent, welch, _interval(_BCA, two_arm_bootstrap(a, b, level), level, base), permutation(a, b))


_BCA = "BCa bootstrap"


def _interval(method: str, bounds: tuple[float, float], level: float, base: float) -> Interval | None:
    """None where the method is not defined for these figures."""
    low, high = (float(bound) for bound in bounds)
    if not isfinite(low + high):
        return None
    share = [100 * bound / abs(base) if base else None for bound in (low, high)]
    return Interval(method=method, level=level, low=low, high=high, low_percent=share[0], high_percent=share[1])
