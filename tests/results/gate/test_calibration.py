"""False accepts and power of the gate on simulated runs, and that the benchmark's loop is the gate."""

from __future__ import annotations

import numpy
import pytest

from benchmarks import gate_power
from kvaudit.results.gate.decide import decide
from kvaudit.results.gate.statistics import paired_interval
from tests.conftest import ROOT


@pytest.mark.parametrize("paired", [True, False])
def test_on_equal_speed_at_most_one_in_forty_is_accepted(paired: bool) -> None:
    a, b = gate_power.simulated("normal", 2_000, 6, 0.0)
    assert 0 < gate_power.accepts(a, b, paired=paired).mean() <= 0.025


def test_a_gain_of_five_percent_is_seen_with_six_runs() -> None:
    a, b = gate_power.simulated("normal", 50, 6, 0.05)
    assert gate_power.accepts(a, b, paired=True).mean() > 0.95


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("kind", "runs", "gain"), [("normal", 6, 0.015), ("slow outliers", 8, 0.015)])
def test_the_loop_of_the_benchmark_is_the_gate(kind: str, runs: int, gain: float, paired: bool) -> None:
    a, b = gate_power.simulated(kind, 30, runs, gain)
    rows = [decide(left.tolist(), right.tolist(), interleaved=paired).decision for left, right in zip(a, b, strict=True)]
    accepted = gate_power.accepts(a, b, paired=paired)
    assert [row == "accept" for row in rows] == accepted.tolist()
    assert 0 < accepted.sum() < 30


def test_two_points_of_equal_speed_share_the_risk() -> None:
    """With two workload points either could win by luck: the stricter intervals keep the whole at one in forty."""
    level = 1 - 0.05 / 2
    a, b = gate_power.simulated("normal", 4_000, 6, 0.0)
    lows = paired_interval(b - a, level)[0].reshape(2_000, 2)
    assert numpy.mean((lows > 0).any(axis=1)) <= 0.025 + 0.007  # two standard errors of the simulation


def test_the_documentation_shows_the_measured_rates() -> None:
    measured = {_cells(line) for line in gate_power.TABLES.read_text(encoding="utf-8").splitlines()}
    page = (ROOT / "docs" / "acceptance-gate.md").read_text(encoding="utf-8").splitlines()
    shown = {_cells(line) for line in page if line.count(" %") >= 4 and line.startswith("|")}
    assert len(shown) == 10
    assert shown <= measured


def _cells(line: str) -> tuple[str, ...]:
    return tuple(line.split("|")[2:])


def test_the_tables_are_complete() -> None:
    text, worst = gate_power.measured(40, 5)
    assert text.count("| none |") == 5
    assert 0 <= worst <= 1
