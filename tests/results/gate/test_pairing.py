"""Whether runs were interleaved."""

from __future__ import annotations

import pytest

from kvaudit.results.gate.decide import decide
from kvaudit.results.gate.pairing import pair
from tests.results.gate.arms import run

DAY = "2026-03-04T10:{:02}:00"


def arms(order: str, template: str = DAY) -> tuple[bool, str]:
    runs = {"A": [], "B": []}  # type: ignore[var-annotated]
    for minute, name in enumerate(order):
        runs[name].append(run(1.0, started=template.format(minute)))
    found = pair(runs["A"], runs["B"], interleaved=None)
    return found.paired, found.why


@pytest.mark.parametrize("order", ["ABABABABABAB", "ABBAABBAABBA", "BAABABBABAAB"])
def test_turns_make_pairs(order: str) -> None:
    assert arms(order) == (True, "paired: by their start times the runs of the two arms alternated")


@pytest.mark.parametrize("order", ["AAAAAABBBBBB", "AABBAABBAABB", "ABAABBABABAB"])
def test_blocks_of_one_arm_do_not(order: str) -> None:
    paired, why = arms(order)
    assert not paired
    assert why == f"not paired: by their start times the runs did not alternate ({order})"


def test_unequal_numbers_of_runs_do_not() -> None:
    assert arms("ABABA") == (False, "not paired: 3 runs against 2")


def test_unknown_times_prove_nothing() -> None:
    for broken in (None, "yesterday", ""):
        runs = [run(1.0, started=broken) for _ in range(6)]
        found = pair(runs, runs, interleaved=None)
        assert not found.paired
        assert "unknown" in found.why


def test_equal_times_prove_nothing() -> None:
    paired, why = arms("ABABAB", "2026-03-04T10:00:00")
    assert not paired
    assert "same start time" in why


def test_times_of_two_zones_are_compared_and_a_missing_zone_is_not_guessed() -> None:
    east = [run(1.0, started=f"2026-03-04T1{hour}:00:00+02:00") for hour in (0, 2, 4)]
    west = [run(1.0, started=f"2026-03-04T0{hour}:00:00-02:00") for hour in (7, 9)] + [
        run(1.0, started="2026-03-04T11:00:00-02:00")
    ]
    assert pair(east, west, interleaved=None).paired
    unzoned = [run(1.0, started=f"2026-03-04T1{hour}:30:00") for hour in (0, 2, 4)]
    found = pair(east, unzoned, interleaved=None)
    assert not found.paired
    assert "zone" in found.why
    mixed = [east[0], unzoned[0], east[1]]
    assert not pair(mixed, west, interleaved=None).paired


def test_runs_are_paired_by_time_whatever_the_order_of_the_files() -> None:
    a = [run(value, started=DAY.format(minute)) for value, minute in ((3.0, 20), (1.0, 0), (2.0, 10))]
    b = [run(value, started=DAY.format(minute)) for value, minute in ((30.0, 25), (20.0, 15), (10.0, 5))]
    found = pair(a, b, interleaved=None)
    assert found.paired
    assert [one.number("output_throughput") for one in found.a] == [1.0, 2.0, 3.0]
    assert [one.number("output_throughput") for one in found.b] == [10.0, 20.0, 30.0]


def test_the_caller_knows_better() -> None:
    runs = [run(float(at)) for at in range(6)]
    assert pair(runs, runs, interleaved=True).paired
    timed = [run(1.0, started=DAY.format(2 * minute)) for minute in range(6)]
    others = [run(1.0, started=DAY.format(2 * minute + 1)) for minute in range(6)]
    assert pair(timed, others, interleaved=None).paired
    assert not pair(timed, others, interleaved=False).paired


def test_unpaired_runs_are_compared_by_welch_and_by_permutations() -> None:
    gate = decide([1000.0, 1010, 990, 1005, 995, 1000], [1060.0, 1050, 1070, 1055, 1065, 1060])
    assert (gate.decision, gate.paired) == ("accept", False)
    assert gate.interval is not None
    assert gate.interval.method == "Welch t"
    assert gate.test is not None
    assert (gate.test.name, gate.test.p) == ("permutation", 2 / 924)
    assert any("whether they alternated is unknown" in reason for reason in gate.reasons)
