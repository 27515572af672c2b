"""Several workload points, and the shapes of the load."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.decide import decide
from kvaudit.results.gate.model import Kind
from kvaudit.results.gate.points import kind_of, points_of
from tests.results.gate.arms import arm, interleaved

STEADY = (1000.5, 1004.0, 996.0, 1002.0, 998.0, 999.5)
BETTER = tuple(1.05 * value for value in (1001.0, 1003.0, 997.0, 999.0, 1002.0, 998.0))
WORSE = tuple(value / 1.1025 for value in BETTER)
LEVEL = tuple(value / 1.05 for value in BETTER)
PREFILL: dict[str, Any] = {"input_tokens": 819_200, "output_tokens": 25_600, "completed": 100, "max_concurrency": 16}
DECODE: dict[str, Any] = {"input_tokens": 25_600, "output_tokens": 204_800, "completed": 100, "max_concurrency": 16}


def two_points(at_prefill: tuple[float, ...], at_decode: tuple[float, ...]) -> tuple[list[Run], list[Run]]:
    first, second = interleaved(STEADY, at_prefill, **PREFILL), interleaved(STEADY, at_decode, **DECODE)
    return first[0] + second[0], first[1] + second[1]


@pytest.mark.parametrize(
    ("lengths", "kind"),
    [
        ((8192, 256), "prefill-heavy"),
        ((256, 2048), "decode-heavy"),
        ((256, 512), "decode-heavy"),
        ((1024, 1024), "balanced"),
        ((200, 100), "prefill-heavy"),
        ((None, 5), "unknown"),
        ((0, 0), "unknown"),
    ],
)
def test_the_heavier_side_has_twice_the_tokens(lengths: tuple[float | None, float | None], kind: Kind) -> None:
    assert kind_of(*lengths) == kind


def test_a_win_at_both_points_is_accepted_with_stricter_intervals() -> None:
    gate = decide(*two_points(BETTER, BETTER))
    assert gate.decision == "accept"
    assert [(shape.kind, shape.decision, shape.n) for shape in gate.shapes] == [
        ("decode-heavy", "accept", (6, 6)),
        ("prefill-heavy", "accept", (6, 6)),
    ]
    assert gate.shapes[1].name == "8192/256 tokens"
    assert gate.interval is not None
    assert gate.interval.level == 0.975
    assert gate.missing == []
    assert gate.decided_by == gate.shapes[0].name


def test_a_win_at_one_point_and_a_tie_at_the_other_is_accepted() -> None:
    gate = decide(*two_points(BETTER, LEVEL))
    assert [shape.decision for shape in gate.shapes] == ["tie", "accept"]
    assert (gate.decision, gate.decided_by) == ("accept", "8192/256 tokens")


def test_a_loss_at_one_point_loses() -> None:
    gate = decide(*two_points(BETTER, WORSE))
    assert [shape.decision for shape in gate.shapes] == ["reject", "accept"]
    assert (gate.decision, gate.decided_by) == ("reject", "256/2048 tokens")
    assert gate.reasons[0] == "B is better at 1 of 2 workload points, worse or below the floor at 1."
    assert any(reason.startswith("256/2048 tokens (decode-heavy): reject.") for reason in gate.reasons)


def test_of_two_losses_the_larger_decides() -> None:
    far_worse = tuple(0.9 * value for value in WORSE)
    gate = decide(*two_points(far_worse, WORSE))
    assert [shape.decision for shape in gate.shapes] == ["reject", "reject"]
    assert gate.decided_by == "8192/256 tokens"
    assert decide(*two_points(WORSE, far_worse)).decided_by == "256/2048 tokens"


def test_a_point_with_too_few_runs_leaves_the_answer_open() -> None:
    a, b = two_points(BETTER, BETTER)
    gate = decide(a[:9], b[:9])
    assert gate.decision == "not_enough_runs"
    assert sorted((shape.kind, shape.decision) for shape in gate.shapes) == [
        ("decode-heavy", "not_enough_runs"),
        ("prefill-heavy", "accept"),
    ]
    assert {shape.interval.level for shape in gate.shapes if shape.interval} == {0.95}


def test_one_shape_is_decided_and_the_other_is_missed() -> None:
    gate = decide(*interleaved(STEADY, BETTER, **PREFILL))
    assert gate.decision == "accept"
    assert gate.missing == ["No decode-heavy point was measured on both arms: the decision holds for the load measured only."]
    assert set(gate.missing) <= set(gate.reasons)


def test_unknown_lengths_show_no_shape() -> None:
    (missing,) = decide(*interleaved(STEADY, BETTER)).missing
    assert "lengths of the load are unknown" in missing


def test_a_point_of_one_arm_is_not_compared() -> None:
    a, b = interleaved(STEADY, BETTER, **PREFILL)
    gate = decide(a, b + arm(BETTER, **DECODE))
    assert gate.decision == "accept"
    assert "Only arm B was measured at the workload point 256/2048 tokens (6 runs): it is not compared." in gate.missing


def test_arms_without_a_common_point_are_not_compared() -> None:
    gate = decide(arm(STEADY, **PREFILL), arm(BETTER, **{**PREFILL, "max_concurrency": 32}))
    assert (gate.decision, gate.shapes, gate.n) == ("not_enough_runs", [], (6, 6))
    assert gate.reasons[0] == "No workload point was measured on both arms."
    assert [missing.split(":")[0] for missing in gate.missing[:2]] == [
        "Only arm A was measured at the workload point 8192/256 tokens, concurrency 16 (6 runs)",
        "Only arm B was measured at the workload point 8192/256 tokens, concurrency 32 (6 runs)",
    ]


def test_repetitions_with_other_seeds_are_one_point_and_spellings_of_no_limit_are_one_rate() -> None:
    runs = [
        *arm([1.0], input_tokens=100_000, completed=100, output_tokens=9_000, request_rate=float("inf")),
        *arm([1.0], input_tokens=103_000, completed=100, output_tokens=9_400, request_rate="inf"),
        *arm([1.0], input_tokens=103_000, completed=100, output_tokens=9_400, request_rate="Infinity"),
    ]
    (point,) = points_of({"A": runs})
    assert len(point.arms["A"]) == 3


def test_one_dataset_in_two_folders_is_one_load() -> None:
    held = [*arm([1.0], dataset="/data/sets/chat.jsonl"), *arm([1.0], dataset="/mnt/bench/chat.jsonl")]
    assert len(points_of({"A": held})) == 1


@pytest.mark.parametrize(
    "change",
    [{"input_tokens": 130_000}, {"request_rate": 4.0}, {"max_concurrency": 8}, {"dataset": "random"}, {"output_tokens": 20_000}],
)
def test_another_load_is_another_point(change: dict[str, object]) -> None:
    load: dict[str, Any] = {
        "input_tokens": 100_000,
        "completed": 100,
        "output_tokens": 9_000,
        "request_rate": 2.0,
        "max_concurrency": 4,
    }
    assert len(points_of({"A": [*arm([1.0], **load), *arm([1.0], **{**load, **change})]})) == 2


def test_a_point_is_named_by_as_much_as_tells_it_from_the_others() -> None:
    load: dict[str, Any] = {"input_tokens": 100_000, "completed": 100, "output_tokens": 9_000}
    runs = [*arm([1.0], **load, max_concurrency=4, requests=100), *arm([1.0], **load, max_concurrency=8, requests=200)]
    assert [point.name for point in points_of({"A": runs})] == ["1000/90 tokens, concurrency 4", "1000/90 tokens, concurrency 8"]
    assert [point.name for point in points_of({"A": arm([1.0], max_concurrency=4)})] == ["all runs"]
    assert [point.name for point in points_of({"A": arm([1.0], max_concurrency=4) + arm([1.0])})] == [
        "concurrency 4",
        "concurrency unknown",
    ]


def test_points_do_not_depend_on_the_order_of_the_files() -> None:
    a, b = two_points(BETTER, WORSE)
    assert decide(a, b) == decide(a[::-1], b[::-1])


@pytest.mark.parametrize(
    "broken",
    [{"input_tokens": 1e308, "completed": 1e-308}, {"completed": 0}, {"mean_input_length": 1e200}, {"input_tokens": 10**400}],
)
def test_lengths_that_no_load_has_are_unknown(broken: dict[str, object]) -> None:
    load: dict[str, Any] = {"input_tokens": 100_000, "completed": 100, "output_tokens": 9_000}
    (point,) = points_of({"A": arm([1.0], **{**load, **broken})})
    assert point.input_tokens in (None, 1000.0)
