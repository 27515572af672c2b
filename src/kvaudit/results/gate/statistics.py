"""Intervals of a difference: Student's t over pairs, Welch's t over two arms, BCa bootstrap.

Room: `results`. Arrays in, arrays out, over the last axis: one row is one comparison, so a calibration over thousands of rows
runs the same code as one gate. Every difference is B minus A. References: Welch 1947; Efron 1987 (BCa).
"""

from __future__ import annotations

from typing import Any
from warnings import catch_warnings, simplefilter

from kvaudit.results.gate.scipy_extra import load

SEED = 20_170_401
"""Fixed, whatever the data: the same input gives the same answer."""
RESAMPLES = 9_999
_FIGURES_AT_ONCE = 50_000_000
"""Bounds the memory of the bootstrap to some 400 MB."""


def paired_interval(differences: Any, level: float) -> tuple[Any, Any]:
    """Student's interval of the mean difference. Shape (…, n), n ≥ 2 -> two arrays of shape (…)."""
    numpy, stats = load("numpy"), load("scipy.stats")
    differences = numpy.asarray(differences, dtype=float)
    n = differences.shape[-1]
    half = stats.t.ppf((1 + level) / 2, n - 1) * differences.std(axis=-1, ddof=1) / numpy.sqrt(n)
    mean = differences.mean(axis=-1)
    return mean - half, mean + half


def welch_interval(a: Any, b: Any, level: float) -> tuple[Any, Any]:
    """Welch's interval of mean(b) − mean(a), with unequal variances. Shapes (…, n) and (…, m), both ≥ 2."""
    numpy, stats = load("numpy"), load("scipy.stats")
    a, b = numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)
    errors = [arm.var(axis=-1, ddof=1) / arm.shape[-1] for arm in (a, b)]
    total = errors[0] + errors[1]
    parts = errors[0] ** 2 / (a.shape[-1] - 1) + errors[1] ** 2 / (b.shape[-1] - 1)
    freedom = numpy.where(parts > 0, total**2 / numpy.where(parts > 0, parts, 1.0), a.shape[-1] + b.shape[-1] - 2)
    half = stats.t.ppf((1 + level) / 2, freedom) * numpy.sqrt(total)
    mean = b.mean(axis=-1) - a.mean(axis=-1)
    return mean - half, mean + half


def paired_bootstrap(differences: Any, level: float) -> tuple[Any, Any]:
    """Seeded BCa interval of the mean difference. Shape (…, n).

    A row without any variation gives its constant twice; a row for which the method is not defined gives NaN.
    """
    numpy = load("numpy")
    return _bca((numpy.asarray(differences, dtype=float),), _mean, level)


def two_arm_bootstrap(a: Any, b: Any, level: float) -> tuple[Any, Any]:
    """Seeded BCa interval of mean(b) − mean(a), the arms resampled independently."""
    numpy = load("numpy")
    return _bca((numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)), _mean_difference, level)


def _mean(sample: Any, axis: int = -1) -> Any:
    return sample.mean(axis=axis)


def _mean_difference(a: Any, b: Any, axis: int = -1) -> Any:
    return b.mean(axis=axis) - a.mean(axis=axis)


def _bca(samples: tuple[Any, ...], statistic: Any, level: float) -> tuple[Any, Any]:
    numpy, stats = load("numpy"), load("scipy.stats")
    observed = numpy.asarray(statistic(*samples, axis=-1))
    low, high = observed.copy(), observed.copy()
    varied = numpy.any([numpy.ptp(sample, axis=-1) > 0 for sample in samples], axis=0)
    if not varied.any():
        return low, high
    with catch_warnings(), numpy.errstate(all="ignore"):
        simplefilter("ignore")
        result = stats.bootstrap(
            tuple(sample[varied] for sample in samples) if observed.ndim else samples,
            statistic,
            n_resamples=RESAMPLES,
            batch=max(1, min(RESAMPLES, _FIGURES_AT_ONCE // max(sample.size for sample in samples))),
            confidence_level=level,
            method="BCa",
            axis=-1,
            rng=numpy.random.default_rng(SEED),
        )
    low[varied], high[varied] = result.confidence_interval.low, result.confidence_interval.high
    return low, high
