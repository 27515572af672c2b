"""Exact tests: sign flips over pairs, permutations over two arms, McNemar over items.

Room: `results`. Two-sided p values. With five pairs the smallest sign-flip p is 2/32 = 0.0625: nothing can be decided. Every
sum is made of two halves that meet in the middle, so forty runs need two lists of a million sums instead of one of 2^40.
"""

from __future__ import annotations

from math import comb
from typing import Any

from kvaudit.results.gate.model import ExactTest
from kvaudit.results.gate.scipy_extra import load
from kvaudit.results.gate.statistics import SEED

_MOST = 40
"""Runs that are enumerated: pairs of a sign-flip test, or runs of both arms of a permutation test. Above, a seeded sample."""
_SAMPLED = 9_999
_ROUNDING = 1e-12


def sign_flip(differences: Any) -> ExactTest:
    """Every way to swap the two runs of each pair: the share of them whose |sum| is at least the observed one. Shape (n,)."""
    numpy = load("numpy")
    sizes = numpy.abs(numpy.asarray(differences, dtype=float))
    observed = abs(float(numpy.sum(differences))) - _ROUNDING * float(sizes.sum())
    if len(sizes) > _MOST:
        draws = numpy.random.default_rng(SEED).random((_SAMPLED, len(sizes))) < 0.5
        return _sampled("sign-flip", numpy.where(draws, 1.0, -1.0) @ sizes, observed)
    half = len(sizes) // 2
    right = numpy.sort(_signed_sums(sizes[half:]))
    hits = _at_least(right, observed - _signed_sums(sizes[:half]))
    return ExactTest(name="sign-flip", p=min(1.0, 2 * hits / 2 ** len(sizes)), exact=True)


def permutation(a: Any, b: Any) -> ExactTest:
    """Every way to deal the runs of both arms out again: the share of them whose means lie at least as far apart."""
    numpy = load("numpy")
    values = numpy.concatenate([numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)])
    values = values - values.mean()
    observed = abs(float(values[len(a) :].sum())) - _ROUNDING * float(numpy.abs(values).sum())
    if len(values) > _MOST:
        generator = numpy.random.default_rng(SEED)
        dealt = generator.permuted(numpy.broadcast_to(values, (_SAMPLED, len(values))), axis=1)
        return _sampled("permutation", dealt[:, len(a) :].sum(axis=1), observed)
    half = len(values) // 2
    left, right = _sums_by_size(values[:half]), _sums_by_size(values[half:])
    hits = 0
    for size, sums in left.items():
        partners = numpy.sort(right.get(len(b) - size, numpy.zeros(0)))
        hits += _at_least(partners, observed - sums) + _at_least(numpy.sort(-partners), observed + sums)
    return ExactTest(name="permutation", p=min(1.0, hits / comb(len(values), len(b))), exact=True)


def mcnemar(only_a: int, only_b: int) -> ExactTest:
    """Items that only A, or only B, answers rightly: binomial with share one half, both tails."""
    total, smaller = only_a + only_b, min(only_a, only_b)
    tail = sum(comb(total, k) for k in range(smaller + 1))
    return ExactTest(name="mcnemar", p=min(1.0, 2 * tail / 2**total), exact=True)


def _signed_sums(sizes: Any) -> Any:
    """All 2^n sums of ± the sizes."""
    numpy = load("numpy")
    sums = numpy.zeros(1)
    for size in sizes:
        sums = numpy.concatenate([sums - size, sums + size])
    return sums


def _sums_by_size(values: Any) -> dict[int, Any]:
    """The sums of all subsets, by the number of values in the subset."""
    numpy = load("numpy")
    sums = {0: numpy.zeros(1)}
    for count, value in enumerate(values, 1):
        none = numpy.zeros(0)
        sums = {size: numpy.concatenate([sums.get(size, none), sums.get(size - 1, none) + value]) for size in range(count + 1)}
    return sums


def _at_least(ascending: Any, limits: Any) -> int:
    """Pairs of a value and a limit where the value reaches the limit."""
    numpy = load("numpy")
    return int((len(ascending) - numpy.searchsorted(ascending, limits, side="left")).sum())


def _sampled(name: str, sums: Any, observed: float) -> ExactTest:
    numpy = load("numpy")
    hits = int((numpy.abs(sums) >= observed).sum())
    return ExactTest.model_validate({"name": name, "p": (hits + 1) / (_SAMPLED + 1), "exact": False})
