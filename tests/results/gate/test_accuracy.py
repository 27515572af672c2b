"""Accuracy of two arms."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.accuracy import decide_accuracy
from kvaudit.results.gate.decide import decide
from kvaudit.results.gate.scores import standard_error
from tests.results.gate.arms import run


def answers(n: int, *wrong: range) -> dict[str, bool]:
    return {f"q{number}": not any(number in part for part in wrong) for number in range(n)}


def scored(score: object, items: object = 276, **more: Any) -> Run:
    return run(0.0, **{"score": score, "score_items": items, **more})


def test_the_story_of_two_close_scores_item_by_item() -> None:
    """Of 276 questions 8 are wrong on both arms, 21 right on A only, 22 on B only: 89.13 against 89.49."""
    baseline = answers(276, range(8), range(8, 30))
    candidate = answers(276, range(8), range(30, 51))
    gate = decide_accuracy(baseline, candidate)
    assert gate.decision == "tie"
    assert gate.difference == pytest.approx(100 / 276)
    assert gate.interval is not None
    assert (round(gate.interval.low, 2), round(gate.interval.high, 2)) == (-4.29, 5.02)
    assert gate.baseline is not None
    assert gate.candidate is not None
    assert (round(gate.baseline.mean or 0, 2), round(gate.candidate.mean or 0, 2)) == (89.13, 89.49)
    assert gate.test is not None
    assert (gate.test.name, gate.test.p) == ("mcnemar", 1.0)
    assert (gate.n, gate.paired, gate.unit, gate.seed) == ((276, 276), True, "points", None)


def test_the_standard_error_of_the_story() -> None:
    assert round(100 * standard_error(0.895, 276), 2) == 1.85


def test_the_story_with_totals_only() -> None:
    gate = decide([scored(0.891)], [scored(0.895)], metric="score")
    assert gate.decision == "tie"
    assert gate.difference == pytest.approx(0.4)
    assert "The difference is within 2 standard errors." in gate.reasons
    assert any("item by item are not given" in missing for missing in gate.missing)


def test_a_clear_gain_and_a_clear_loss() -> None:
    before, after = answers(300, range(60)), answers(300, range(20))  # 40 answers won, none lost
    assert decide_accuracy(before, after).decision == "accept"
    assert decide_accuracy(after, before).decision == "reject"
    assert decide([scored(80.0, 1000)], [scored(90.0, 1000)], metric="accuracy").decision == "accept"
    assert decide([scored(90.0, 1000)], [scored(80.0, 1000)], metric="accuracy").decision == "reject"


def test_the_standard_error_of_paired_answers() -> None:
    """50 answers won and 10 lost of 300: 13.33 points, √(60 − 40²/300)/300 = 2.464 points."""
    gate = decide_accuracy(answers(300, range(50)), answers(300, range(50, 60)))
    assert gate.difference == pytest.approx(40 / 3)
    assert gate.interval is not None
    assert gate.interval.high - gate.interval.low == pytest.approx(2 * 1.96 * 2.464, abs=0.01)


def test_thirty_questions_are_the_least_for_totals() -> None:
    assert decide([scored(0.9, 30)], [scored(0.1, 30)], metric="score").decision == "reject"
    assert decide([scored(0.9, 29)], [scored(0.1, 29)], metric="score").decision == "not_enough_runs"


def test_two_standard_errors_alone_are_not_enough_where_the_exact_test_disagrees() -> None:
    before, after = answers(40, range(5)), answers(40)  # 5 : 0, beyond 2.2 standard errors, p = 2/32
    gate = decide_accuracy(before, after)
    assert gate.decision == "tie"
    assert gate.test is not None
    assert gate.test.p == 2 / 32


def test_only_questions_of_both_arms_count() -> None:
    gate = decide_accuracy(answers(100), {**answers(90), "other": True})
    assert gate.n == (90, 90)
    assert gate.missing == ["11 questions were answered on one arm only and are left out."]
    assert decide_accuracy({"a": True}, {"b": True}).decision == "not_enough_runs"
    assert decide_accuracy({}, {}).decision == "not_enough_runs"


def test_runs_that_list_their_answers_are_compared_item_by_item() -> None:
    def with_answers(held: dict[str, bool]) -> Run:
        return scored(0.5).model_copy(update={"requests": [{"item": name, "correct": right} for name, right in held.items()]})

    gate = decide([with_answers(answers(300, range(60)))], [with_answers(answers(300, range(20)))], metric="score")
    assert (gate.decision, gate.n, gate.paired) == ("accept", (300, 300), True)
    double = with_answers(answers(300))
    double.requests.append({"item": "q0", "correct": False})
    assert not decide([double], [double], metric="score").paired


def test_of_several_datasets_the_common_one_is_compared() -> None:
    exam, other = scored(0.9, dataset="exam"), scored(0.2, dataset="other")
    assert decide([exam, other], [exam], metric="score").difference == 0.0
    both = decide([exam, other], [exam, other], metric="score")
    assert both.decision == "not_enough_runs"
    assert both.reasons == ["The arms share several datasets, exam, other: give the files of one at a time."]


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (scored(0.9), scored(89.1), "not all shares, nor all percent"),
        (scored(0.9), scored(-0.1), "not all shares"),
        (scored(120), scored(130), "not all shares"),
        (scored(0.9, None), scored(0.8), "number of questions"),
        (scored(0.9, 20), scored(0.1, 20), "20 questions: below 30"),
        (scored(0.9, dataset="gsm8k"), scored(0.8, dataset="gpqa"), "different datasets: gsm8k on arm A, gpqa on arm B"),
        (scored(0.9), run(5.0), "No run of arm B has a score."),
        (scored(float("nan")), scored(0.8), "No run of arm A has a score."),
    ],
)
def test_scores_that_cannot_be_compared(a: Run, b: Run, why: str) -> None:
    gate = decide([a], [b], metric="score")
    assert gate.decision == "not_enough_runs"
    assert why in gate.reasons[0]


def test_repeated_runs_add_no_questions() -> None:
    once = decide([scored(0.8, 200)], [scored(0.86, 200)], metric="score")
    often = decide([scored(0.8, 200)] * 6, [scored(0.86, 200)] * 6, metric="score")
    assert once.interval == often.interval
    assert once.decision == often.decision == "tie"


def test_percent_and_shares_are_told_in_points() -> None:
    for score in (80.0, 0.8):
        gate = decide([scored(score, 1000)], [scored(score, 1000)], metric="score")
        assert gate.baseline is not None
        assert gate.baseline.mean == pytest.approx(80.0)


def test_perfect_scores_are_a_tie() -> None:
    assert decide([scored(1.0)], [scored(1.0)], metric="score").decision == "tie"
    assert decide_accuracy(answers(50), answers(50)).decision == "tie"
