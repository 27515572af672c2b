"""A combination of changes against its best single change."""

from __future__ import annotations

from kvaudit.results.gate.decide import decide
from tests.results.gate.arms import arm

NOISE = (-3.0, 2.0, 0.0, 3.0, -2.0, 1.0)
OTHER = (1.0, -2.0, 3.0, 0.0, -3.0, 2.0)


def at(mean: float, noise: tuple[float, ...] = NOISE) -> list[float]:
    return [mean + one for one in noise]


def test_a_combination_that_beats_every_single_change_is_accepted() -> None:
    gate = decide(at(1000), at(1100, OTHER), interleaved=True, candidates={"graphs": at(1020), "batching": at(1050)})
    assert gate.decision == "accept"
    assert gate.combination is not None
    assert (gate.combination.best_single, gate.combination.decision) == ("batching", "accept")
    assert {name: round(gain, 1) for name, gain in gate.combination.gains_percent.items()} == {"graphs": 2.0, "batching": 5.0}


def test_a_combination_that_only_beats_the_baseline_adds_nothing() -> None:
    gate = decide(at(1000), at(1051, OTHER), interleaved=True, candidates={"graphs": at(1020), "batching": at(1050)})
    assert gate.decision == "tie"
    assert "The combination is not shown to beat its best single change, batching." in gate.reasons


def test_a_combination_that_loses_to_a_single_change_is_rejected_though_it_beats_the_baseline() -> None:
    gate = decide(at(1000), at(1030, OTHER), interleaved=True, candidates={"graphs": at(1020), "batching": at(1050)})
    assert gate.shapes[0].decision == "accept"
    assert gate.decision == "reject"
    assert "The combination loses to its best single change, batching: adopt that one." in gate.reasons


def test_the_best_of_a_latency_is_the_lowest() -> None:
    arms = {"graphs": arm(at(980), metric="itl.p99"), "batching": arm(at(950), metric="itl.p99")}
    gate = decide(
        arm(at(1000), metric="itl.p99"),
        arm(at(900, OTHER), metric="itl.p99"),
        metric="itl.p99",
        interleaved=True,
        candidates=arms,
    )
    assert gate.combination is not None
    assert (gate.decision, gate.combination.best_single) == ("accept", "batching")


def test_a_single_change_with_too_few_runs_leaves_the_answer_open() -> None:
    gate = decide(at(1000), at(1100, OTHER), interleaved=True, candidates={"batching": at(1050)[:3]})
    assert gate.decision == "not_enough_runs"


def test_single_changes_at_other_points_are_not_compared() -> None:
    singles = {"batching": arm(at(1050), max_concurrency=4)}
    gate = decide(arm(at(1000)), arm(at(1100, OTHER)), candidates=singles)
    assert (gate.decision, gate.combination) == ("accept", None)
    assert any("not compared with any" in reason for reason in gate.reasons)
