"""The answer of the acceptance gate: a decision, its numbers, and the sentences that say why.

Room: `results`. Shapes only. Arm `baseline` is A, arm `candidate` is B; every difference is B minus A in the unit of the metric,
every percentage is a share of A's mean, taken as exact.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Decision = Literal["accept", "reject", "tie", "not_enough_runs"]
Direction = Literal["higher", "lower"]
Kind = Literal["prefill-heavy", "decode-heavy", "balanced", "unknown"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Measurement(_Frozen):
    """The metric of one run, and where it stands."""

    value: float
    file: str | None = None
    pointer: str | None = None
    line: int | None = None
    started: str | None = None


class Arm(_Frozen):
    """One arm at one workload point: its runs in the order of time where that is known, else in the order given."""

    runs: list[Measurement]
    mean: float | None
    best: float | None
    """The best single run by the direction of the metric: the arm's peak."""
    spread_percent: float | None
    """Run-to-run spread: the sample standard deviation, in percent of the mean. None below two runs."""
    range_percent: float | None
    """Largest minus smallest run, in percent of the mean: shown, never decided on, because it grows with the number of runs."""


class Interval(_Frozen):
    """A two-sided confidence interval of B minus A."""

    method: str
    level: float
    """0.95 for pairs, 0.98 for runs that were not interleaved; higher where several workload points share the risk."""
    low: float
    high: float
    low_percent: float | None = None
    high_percent: float | None = None


class ExactTest(_Frozen):
    """A two-sided test without assumptions on the noise; `exact` is False where there are too many runs to enumerate."""

    name: Literal["sign-flip", "permutation", "mcnemar"]
    p: float
    exact: bool


class Floor(_Frozen):
    """The performance floor: B's best run against the other arm's; 1.0 is equal, more is better."""

    quantity: str
    share: float
    peak: float
    candidate: float
    ratio: float
    holds: bool


class Comparison(_Frozen):
    """Two arms at one workload point."""

    decision: Decision
    n: tuple[int, int]
    """Runs of A and of B that are used."""
    paired: bool = False
    pairing: str = ""
    """Why the runs were paired, or why they were not."""
    baseline: Arm | None = None
    candidate: Arm | None = None
    difference: float | None = None
    difference_percent: float | None = None
    better: bool | None = None
    """Whether B's mean is on the good side of A's, significant or not."""
    interval: Interval | None = None
    """Student's t over the pairs, or Welch's over the two arms; for accuracy the normal interval."""
    bootstrap: Interval | None = None
    """BCa bootstrap."""
    test: ExactTest | None = None
    floors: list[Floor] = []
    stable_but_slow: bool = False
    """B has the smaller spread and is below the floor."""
    reasons: list[str] = []


class Shape(Comparison):
    """The comparison at one workload point."""

    name: str
    kind: Kind
    input_tokens: float | None = None
    """Mean prompt length, in tokens per request."""
    output_tokens: float | None = None


class Combination(_Frozen):
    """A combination of changes (the candidate) against the best of the single changes it is made of."""

    best_single: str
    gains_percent: dict[str, float]
    """Of each single change over the baseline, positive where better."""
    decision: Decision
    """Of the gate with the best single change as A and the combination as B: anything but `accept` is a flag."""
    comparisons: list[Shape]


class Gate(Comparison):
    """The decision. With several workload points the numbers are those of the point named by `decided_by`."""

    metric: str
    direction: Direction
    unit: str | None
    decided_by: str | None = None
    seed: int | None
    """Of the bootstrap; None where nothing is resampled."""
    resamples: int | None
    shapes: list[Shape] = []
    combination: Combination | None = None
    missing: list[str] = []
    """What the gate asks for and was not given, as sentences."""
