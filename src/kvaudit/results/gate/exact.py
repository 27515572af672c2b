"""Exact tests: sign flips over pairs, permutations over two arms, McNemar over items.

Room: `results`. Two-sided p values. With five pairs the smallest two-sided sign-flip p is 2/32 = 0.0625: nothing can be decided.
"""

from __future__ import annotations

from math import comb
from typing import Any

from kvaudit.results.gate.model import ExactTest
from kvaudit.results.gate.scipy_extra import load
from kvaudit.results.gate.statistics import SEED

_MOST_PAIRS = 40
_MOST_PERMUTATIONS = 200_000
_SAMPLED = 99_999


def sign_flip(differences: Any) -> ExactTest:
    """Every way to swap the two runs of each pair: the share of them whose |sum| is at least the observed one. Shape (n,)."""
    numpy = load("numpy")
    sizes = numpy.abs(numpy.asarray(differences, dtype=float))
    observed = abs(float(numpy.sum(differences))) - 1e-12 * float(sizes.sum())
    if len(sizes) > _MOST_PAIRS:
        return _sampled_sign_flip(sizes, observed)
    half = len(sizes) // 2
    left, right = _signed_sums(sizes[:half]), numpy.sort(_signed_sums(sizes[half:]))
    count = int((len(right) - numpy.searchsorted(right, observed - left, side="left")).sum())
    return ExactTest(name="sign-flip", p=min(1.0, 2 * count / 2 ** len(sizes)), exact=True)


def _signed_sums(sizes: Any) -> Any:
    """All 2^n sums of ± the sizes: two halves of these meet in the middle, so that forty pairs need two lists of a million."""
    numpy = load("numpy")
    sums = numpy.zeros(1)
    for size in sizes:
        sums = numpy.concatenate([sums - size, sums + size])
    return sums


def _sampled_sign_flip(sizes: Any, observed: float) -> ExactTest:
    numpy = load("numpy")
    generator = numpy.random.default_rng(SEED)
    hits = sum(
        int((numpy.abs(generator.choice((-1.0, 1.0), size=(1_000, len(sizes))) @ sizes) >= observed).sum()) for _ in range(99)
    )
    return ExactTest(name="sign-flip", p=(hits + 1) / 99_001, exact=False)


def permutation(a: Any, b: Any) -> ExactTest:
    """Every way to deal the runs of both arms out again: the difference of the means against the observed one."""
    numpy, stats = load("numpy"), load("scipy.stats")
    ways = comb(len(a) + len(b), len(a))
    result = stats.permutation_test(
        (numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)),
        lambda a, b, axis: b.mean(axis=axis) - a.mean(axis=axis),
        permutation_type="independent",
        vectorized=True,
        n_resamples=_SAMPLED if ways > _MOST_PERMUTATIONS else _MOST_PERMUTATIONS,
        rng=numpy.random.default_rng(SEED),
    )
    return ExactTest(name="permutation", p=float(result.pvalue), exact=ways <= _MOST_PERMUTATIONS)


def mcnemar(only_a: int, only_b: int) -> ExactTest:
    """Items that only A, or only B, answers rightly: binomial with share one half, both tails."""
    total, smaller = only_a + only_b, min(only_a, only_b)
    tail = sum(comb(total, k) for k in range(smaller + 1))
    return ExactTest(name="mcnemar", p=min(1.0, 2 * tail / 2**total), exact=True)
