"""The decision of the gate at one workload point."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kvaudit.errors import UsageError
from kvaudit.results.gate.decide import decide
from kvaudit.results.gate.model import Gate
from tests.results.gate.arms import arm, interleaved, run

STEADY = (1000.5, 1004.0, 996.0, 1002.0, 998.0, 999.5)
"""Mean 1000, standard deviation 2.85: a run-to-run spread of 0.28 %."""


def scaled(factor: float) -> list[float]:
    return [factor * value for value in (1001.0, 1003.0, 997.0, 999.0, 1002.0, 998.0)]


def said(gate: Gate) -> str:
    return " ".join(gate.reasons)


def test_a_gain_beyond_the_noise_is_accepted() -> None:
    gate = decide(*interleaved(STEADY, scaled(1.05)))
    assert (gate.decision, gate.metric, gate.direction, gate.unit) == ("accept", "output_throughput", "higher", "tok/s")
    assert (gate.n, gate.paired) == ((6, 6), True)
    assert gate.difference == pytest.approx(50)
    assert gate.difference_percent == pytest.approx(5)
    assert gate.interval is not None
    assert gate.bootstrap is not None
    assert gate.interval.low_percent is not None
    assert 4 < gate.interval.low_percent < 5
    assert gate.interval.low < gate.bootstrap.low
    assert gate.test is not None
    assert gate.test.p == 2 / 64
    assert "B is better: output_throughput 1,050 tok/s against 1,000 tok/s (+5.00 %" in gate.reasons[0]


def test_a_loss_beyond_the_noise_is_rejected() -> None:
    gate = decide(*interleaved(STEADY, scaled(0.97)))
    assert gate.decision == "reject"
    assert gate.better is False
    assert all(floor.holds for floor in gate.floors)
    assert "B is worse" in gate.reasons[0]


def test_the_latency_is_better_when_lower() -> None:
    gate = decide(*interleaved(STEADY, scaled(0.9), metric="itl.p99"), disaggregated=True)
    assert (gate.decision, gate.metric, gate.direction, gate.unit) == ("accept", "itl.p99", "lower", "ms")
    assert decide(*interleaved(STEADY, scaled(1.1), metric="itl.p99"), metric="p99 ITL").decision == "reject"
    assert decide(*interleaved(STEADY, scaled(0.9), metric="itl.p99"), metric="p99 ITL", direction="higher").decision == "reject"


def test_five_pairs_decide_nothing_however_clear_they_are() -> None:
    gate = decide(*interleaved(STEADY[:5], scaled(2)[:5]))
    assert gate.decision == "not_enough_runs"
    assert "5 runs of A and 5 of B: at least 6 an arm are needed" in gate.reasons[0]


@pytest.mark.parametrize("counts", [(6, 5), (1, 6), (1, 1), (0, 6), (0, 0)])
def test_the_smaller_arm_counts(counts: tuple[int, int]) -> None:
    gate = decide(arm(STEADY[: counts[0]]), arm(scaled(1.1)[: counts[1]]))
    assert gate.decision == "not_enough_runs"
    assert gate.n == counts


def test_the_story_of_the_steady_slow_config() -> None:
    unsteady = (1000.0, 1180.0, 1050.0, 1240.0, 960.0, 1120.0)
    steady = (992.0, 992.5, 991.5, 992.0, 992.8, 991.2)  # a spread of 0.06 %, and 20 % below the peak of 1240
    gate = decide(*interleaved(unsteady, steady))
    assert gate.decision == "reject"
    assert gate.stable_but_slow
    assert [(floor.peak, floor.candidate, floor.holds) for floor in gate.floors] == [(1240.0, 992.8, False)]
    assert "80.1 % of A's best run" in gate.reasons[0]
    assert "Stable but slow" in said(gate)


def test_a_slow_config_that_is_no_steadier_is_slow_only() -> None:
    gate = decide(*interleaved(STEADY, [800.0, 850.0, 790.0, 860.0, 810.0, 840.0]))
    assert (gate.decision, gate.stable_but_slow) == ("reject", False)


def test_the_floor_is_the_callers() -> None:
    arms = interleaved(STEADY, scaled(0.97))
    assert not decide(*arms, floor=0.98).floors[0].holds
    for wrong in (0.0, 1.5, float("nan")):
        with pytest.raises(UsageError, match="the floor is a share"):
            decide(*arms, floor=wrong)


def test_a_tail_latency_bought_with_throughput_is_below_the_floor() -> None:
    fast: dict[str, Any] = {"output_throughput": 900.0}
    slow: dict[str, Any] = {"output_throughput": 700.0}
    a, b = arm(STEADY, metric="itl.p99", **fast), arm(scaled(0.9), metric="itl.p99", **slow)
    gate = decide(a, b, metric="itl.p99")
    assert gate.decision == "reject"
    assert [floor.quantity for floor in gate.floors] == ["output_throughput"]
    assert gate.floors[0].ratio == pytest.approx(7 / 9)


def test_the_story_of_the_half_percent_that_was_adopted() -> None:
    baseline = (1000.0, 1007.0, 995.0, 1003.0, 992.0, 1003.0)
    for adopted in ((0, 9, -8, 11, -6, 4), (5, 12, -7, 14, 0, 6)):  # mean gains of 0.17 % and 0.5 %
        gate = decide(*interleaved(baseline, [value + gain for value, gain in zip(baseline, adopted, strict=True)]))
        assert gate.decision == "tie"
        assert "includes zero" in said(gate)
        assert "is below the larger run-to-run spread" in said(gate)


def test_a_gap_below_the_spread_of_one_arm_is_a_tie_even_if_every_pair_agrees() -> None:
    wandering = (900.0, 950.0, 1000.0, 1050.0, 1100.0, 1150.0)
    gate = decide(*interleaved(wandering, [value + 2 + value / 1000 for value in wandering]))
    assert gate.decision == "tie"
    assert gate.interval is not None
    assert gate.interval.low > 0
    assert [reason for reason in gate.reasons if "includes zero" in reason or "gives p" in reason] == []
    assert "The gap of 3.025 tok/s is below the larger run-to-run spread, 93.63 tok/s." in gate.reasons


def test_the_same_arm_twice_is_a_tie() -> None:
    gate = decide(*interleaved(STEADY, STEADY))
    assert (gate.decision, gate.difference, gate.better) == ("tie", 0.0, None)


def test_runs_that_do_not_vary_at_all() -> None:
    gate = decide([100.0] * 6, [110.0] * 6, interleaved=True)
    assert gate.decision == "accept"
    assert gate.interval is not None
    assert (gate.interval.low, gate.interval.high) == (10.0, 10.0)


def test_the_same_input_gives_the_same_answer() -> None:
    a, b = interleaved(STEADY, scaled(1.004))
    first = decide(a, b)
    assert first == decide(a, b) == decide(a[::-1], b[::-1])
    assert first.seed == 20170401
    assert first.resamples == 9999
    assert json.loads(json.dumps(first.model_dump(mode="json"), allow_nan=False))["decision"] == first.decision


def test_each_figure_keeps_its_place() -> None:
    gate = decide(*interleaved(STEADY, scaled(1.05)))
    assert gate.candidate is not None
    held = gate.candidate.runs[1]
    assert (held.file, held.pointer, held.started) == ("b/1.json", "/output_throughput", "2026-03-04T00:30:00")


def test_the_place_of_a_figure_is_its_own_line_and_file_before_those_of_its_run() -> None:
    plain = run(1000.0, file="runs.jsonl").model_copy(update={"line": 7})
    figure = plain.values["output_throughput"]
    placed = plain.model_copy(update={"values": {"output_throughput": figure.model_copy(update={"line": 12})}})
    other = plain.model_copy(update={"values": {"output_throughput": figure.model_copy(update={"file": "client.log"})}})
    held = decide([plain, placed, other], [plain]).baseline
    assert held is not None
    assert [(one.file, one.line) for one in held.runs] == [("runs.jsonl", 7), ("runs.jsonl", 12), ("client.log", None)]


def test_two_runs_an_arm_give_an_interval_and_spreads_but_no_decision() -> None:
    gate = decide([99.0, 101.0], [104.0, 108.0])
    assert gate.decision == "not_enough_runs"
    assert gate.interval is not None
    assert gate.baseline is not None
    assert gate.baseline.spread_percent == pytest.approx(2**0.5)
    assert gate.baseline.range_percent == pytest.approx(2.0)
    assert gate.difference_percent == pytest.approx(6.0)


def test_the_floor_of_a_latency_without_throughput_is_on_the_latency() -> None:
    gate = decide(*interleaved(STEADY, scaled(1.25), metric="itl.p99"), metric="itl.p99")
    assert [(floor.quantity, floor.peak, floor.holds) for floor in gate.floors] == [("itl.p99", 996.0, False)]
    assert gate.floors[0].ratio == pytest.approx(996.0 / (1.25 * 997.0))


def test_runs_without_the_metric_are_named_and_what_they_have_instead() -> None:
    a, b = arm(STEADY, file="a/", metric="ttft.p99"), arm(scaled(1.0), file="b/", metric="ttft.p99")
    gate = decide(a, b)
    assert gate.decision == "not_enough_runs"
    assert "No run of arm A has output_throughput." in gate.missing
    assert "Every run has ttft.p99." in gate.missing
    assert "b/3.json of arm B has no usable output_throughput: it is left out." in gate.missing


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1e300, 1e-300, 10**400, True, "950", None, [1.0]])
def test_a_figure_that_is_no_measurement_is_left_out(bad: object) -> None:
    a, b = interleaved([*STEADY, 1001.0], [*scaled(1.05), 1050.0])
    broken = run(1.0, file="b/bad.json")
    b[6] = broken.model_copy(
        update={"values": {"output_throughput": broken.values["output_throughput"].model_copy(update={"value": bad})}}
    )
    gate = decide(a, b)
    assert gate.n == (7, 6)
    assert gate.decision == "accept"
    assert "b/bad.json of arm B has no usable output_throughput: it is left out." in gate.missing


def test_a_copy_of_a_run_counts_once() -> None:
    figures: dict[str, Any] = {"ttft__mean": 51.2, "itl__mean": 9.75, "duration": 61.04, "completed": 200}
    a, b = arm(STEADY, **figures), arm([*scaled(1.1)[:5], scaled(1.1)[4]], file="b/", **figures)
    gate = decide(a, b)
    assert gate.decision == "not_enough_runs"
    assert gate.n == (6, 5)
    assert "b/5.json of arm B has the figures of b/4.json: a copy counts once." in gate.missing


def test_a_file_of_thousands_of_runs_is_cut_and_that_is_said() -> None:
    a = [1000.0 + one % 7 for one in range(300)]
    gate = decide(a, [value + 50 for value in a])
    assert (gate.decision, gate.n) == ("accept", (200, 200))
    assert "Only the first 200 runs of an arm are used." in gate.reasons


def test_two_clients_count_in_their_own_ways() -> None:
    a, b = interleaved(STEADY, scaled(1.05))
    b = [one.model_copy(update={"tool": "sglang-bench-serving"}) for one in b]
    assert "Arm A was measured by vllm-bench-serve, arm B by sglang-bench-serving" in said(decide(a, b))
