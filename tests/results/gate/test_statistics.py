"""Intervals and exact tests against arithmetic and against SciPy's own functions."""

from __future__ import annotations

from math import comb, sqrt

import numpy
import pytest
from scipy import stats

from kvaudit.results.gate.exact import mcnemar, permutation, sign_flip
from kvaudit.results.gate.statistics import (
    RESAMPLES,
    SEED,
    paired_bootstrap,
    paired_interval,
    two_arm_bootstrap,
    welch_interval,
)

GENERATOR = numpy.random.default_rng(7)


def test_the_paired_interval_is_students() -> None:
    low, high = paired_interval([1, 2, 3, 4, 5, 6], 0.95)
    half = 2.570582 * sqrt(3.5) / sqrt(6)  # t of five degrees of freedom; variance of 1…6 is 3.5
    assert (float(low), float(high)) == pytest.approx((3.5 - half, 3.5 + half), abs=1e-5)


def test_the_welch_interval_is_scipys() -> None:
    a, b = GENERATOR.normal(0, 1, 6), GENERATOR.normal(1, 3, 9)
    expected = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert [float(one) for one in welch_interval(a, b, 0.95)] == pytest.approx([expected.low, expected.high])


def test_the_welch_interval_of_constant_arms_is_their_difference() -> None:
    assert [float(one) for one in welch_interval([2.0] * 6, [3.0] * 6, 0.95)] == [1.0, 1.0]


def test_the_bootstrap_is_scipys_paired_bca() -> None:
    a, b = GENERATOR.normal(0, 1, 8), GENERATOR.normal(1, 1, 8)
    expected = stats.bootstrap(
        (a, b),
        lambda a, b, axis: (b - a).mean(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method="BCa",
        rng=numpy.random.default_rng(SEED),
    ).confidence_interval
    assert [float(one) for one in paired_bootstrap(b - a, 0.95)] == pytest.approx([expected.low, expected.high])


def test_many_rows_at_once_give_what_each_row_gives() -> None:
    a, b = GENERATOR.normal(0, 1, (5, 7)), GENERATOR.normal(0, 1, (5, 7))
    a[3] = b[3] = 2.0  # a row without variation
    many, apart = paired_bootstrap(b - a, 0.95), two_arm_bootstrap(a, b, 0.95)
    for row in range(5):
        assert [bound[row] for bound in many] == [float(bound) for bound in paired_bootstrap(b[row] - a[row], 0.95)]
        assert [bound[row] for bound in apart] == [float(bound) for bound in two_arm_bootstrap(a[row], b[row], 0.95)]
    assert (many[0][3], many[1][3]) == (0.0, 0.0)


@pytest.mark.parametrize(("pairs", "p"), [(5, 2 / 32), (6, 2 / 64), (7, 2 / 128)])
def test_when_every_pair_agrees_only_two_of_all_flips_are_as_far_out(pairs: int, p: float) -> None:
    assert sign_flip([1.0 + pair for pair in range(pairs)]).p == p


def test_the_sign_flip_test_is_scipys() -> None:
    for pairs in (6, 7, 11):
        gaps = GENERATOR.normal(0.4, 1, pairs)
        mean = stats.permutation_test(
            (gaps,), lambda gaps, axis: gaps.mean(axis=axis), permutation_type="samples", n_resamples=3_000, vectorized=True
        )
        assert sign_flip(gaps).p == pytest.approx(mean.pvalue, abs=1e-12)


def test_ties_and_zeros_count_as_as_far_out() -> None:
    assert sign_flip([0.0] * 6).p == 1.0
    assert sign_flip([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]).p == 1.0
    assert sign_flip([0.1, 0.1, 0.1, 0.1, 0.1, -0.1]).p == (1 + 6) * 2 / 64  # sums of 4 × 0.1 and more: all plus, or one minus


def test_the_permutation_test_of_separated_arms() -> None:
    assert permutation([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]).p == 2 / comb(12, 6)
    assert permutation([5.0] * 6, [5.0] * 6).p == 1.0


def test_the_permutation_test_is_scipys() -> None:
    for sizes in ((6, 6), (5, 8)):
        a, b = GENERATOR.normal(0, 1, sizes[0]), GENERATOR.normal(0.8, 1, sizes[1])
        expected = stats.permutation_test(
            (a, b),
            lambda a, b, axis: abs(b.mean(axis=axis) - a.mean(axis=axis)),
            n_resamples=2_000,
            alternative="greater",
            vectorized=True,
        )
        assert permutation(a, b).p == pytest.approx(expected.pvalue, abs=1e-12)


def test_with_too_many_runs_to_enumerate_a_seeded_sample_stands_in_and_says_so() -> None:
    a, b = GENERATOR.normal(0, 1, 45), GENERATOR.normal(0.35, 1, 45)
    flips, dealt = sign_flip(b - a), permutation(a, b)
    assert not flips.exact
    assert not dealt.exact
    assert flips.p == sign_flip(b - a).p
    assert dealt.p == pytest.approx(stats.ttest_ind(a, b).pvalue, abs=0.02)
    assert flips.p == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.02)


@pytest.mark.parametrize(("only_a", "only_b"), [(21, 22), (3, 15), (0, 6), (40, 12)])
def test_mcnemar_is_the_binomial_test(only_a: int, only_b: int) -> None:
    assert mcnemar(only_a, only_b).p == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue)


def test_mcnemar_without_any_discordant_item() -> None:
    assert mcnemar(0, 0).p == 1.0
