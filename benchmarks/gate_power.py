"""How often the acceptance gate accepts: on equal speed (never more than 2.5 % of the time) and on a true gain (its power).

Usage: python -m benchmarks.gate_power [--repetitions 5000] [--power-repetitions 1000] [--write]

Simulated runs: arm A around 1000 tok/s, arm B around 1000 × (1 + gain), run-to-run noise of 1 %. Prints Markdown tables;
`--write` puts them into benchmarks/gate_power.md. Intervals and tests are those of the gate itself, over many rows at once; the
project's tests hold the loop against `decide`. Needs no collection of files; takes minutes. Exit code 1: more false accepts than
2.5 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy
from numpy.typing import NDArray

from kvaudit.results.gate.compare import RISK_PAIRED, RISK_UNPAIRED, SIGNIFICANT
from kvaudit.results.gate.exact import permutation, sign_flip
from kvaudit.results.gate.statistics import paired_bootstrap, paired_interval, two_arm_bootstrap, welch_interval

Runs = NDArray[numpy.float64]
"""Shape (repetitions, runs an arm): tok/s, or noise as a share."""
Won = NDArray[numpy.bool_]
"""Shape (repetitions,): whether a test says that B is better."""
Noise = Callable[[numpy.random.Generator, tuple[int, int]], tuple[Runs, Runs]]

SEED = 20_260_701
RUNS_AN_ARM = (6, 8, 10, 12)
NOISE, FLOOR, LIMIT = 0.01, 0.95, 0.025
LEVELS = {True: 1 - RISK_PAIRED, False: 1 - RISK_UNPAIRED}
"""Of the intervals, by whether the runs are pairs."""
TABLES = Path(__file__).with_suffix(".md")
_ROWS_AT_ONCE = 100


def normal(generator: numpy.random.Generator, shape: tuple[int, int]) -> tuple[Runs, Runs]:
    """Independent normal noise."""
    return generator.normal(0, NOISE, shape), generator.normal(0, NOISE, shape)


def heavy_tailed(generator: numpy.random.Generator, shape: tuple[int, int]) -> tuple[Runs, Runs]:
    """Student noise with three degrees of freedom at the same standard deviation: now and then a run goes wrong."""
    return NOISE * generator.standard_t(3, shape) / 3**0.5, NOISE * generator.standard_t(3, shape) / 3**0.5


def slow_outliers(generator: numpy.random.Generator, shape: tuple[int, int]) -> tuple[Runs, Runs]:
    """Skewed noise: an exponential loss of 1 % on average, so that runs are far slower more often than far faster."""
    return NOISE * (1 - generator.exponential(1, shape)), NOISE * (1 - generator.exponential(1, shape))


def drifting(generator: numpy.random.Generator, shape: tuple[int, int]) -> tuple[Runs, Runs]:
    """Normal noise, and a speed that wanders by another 1 % from pair to pair, which both runs of a pair share."""
    drift = generator.normal(0, NOISE, shape).cumsum(axis=1)
    a, b = normal(generator, shape)
    return a + drift, b + drift


NOISES: dict[str, Noise] = {
    "normal": normal,
    "heavy-tailed": heavy_tailed,
    "slow outliers": slow_outliers,
    "drift shared by a pair": drifting,
}


def simulated(kind: str, repetitions: int, runs: int, gain: float) -> tuple[Runs, Runs]:
    """Both arms, from one stream of random numbers for each cell of a table."""
    generator = numpy.random.default_rng([SEED, list(NOISES).index(kind), runs, round(gain * 1000)])
    a, b = NOISES[kind](generator, (repetitions, runs))
    return 1000 * (1 + a), 1000 * (1 + gain) * (1 + b)


def interval_wins(a: Runs, b: Runs, *, paired: bool) -> Won:
    """The t interval lies above zero."""
    bounds = paired_interval(b - a, LEVELS[True]) if paired else welch_interval(a, b, LEVELS[False])
    won: Won = bounds[0] > 0
    return won


def exact_wins(a: Runs, b: Runs, *, paired: bool) -> Won:
    """The exact test is below 0.05 with B on top."""
    tests = [sign_flip(right - left) if paired else permutation(left, right) for left, right in zip(a, b, strict=True)]
    won: Won = numpy.array([test.p < SIGNIFICANT for test in tests], dtype=bool) & (b.mean(axis=1) > a.mean(axis=1))
    return won


def bootstrap_wins(a: Runs, b: Runs, *, paired: bool) -> Won:
    """The BCa interval lies above zero."""
    won = numpy.zeros(len(a), dtype=bool)
    for start in range(0, len(a), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        left, right = a[rows], b[rows]
        bounds = paired_bootstrap(right - left, LEVELS[True]) if paired else two_arm_bootstrap(left, right, LEVELS[False])
        won[rows] = bounds[0] > 0
    return won


def spread_wins(a: Runs, b: Runs) -> Won:
    """The gap reaches the larger run-to-run spread."""
    spread = numpy.maximum(a.std(axis=1, ddof=1), b.std(axis=1, ddof=1))
    return numpy.asarray(b.mean(axis=1) - a.mean(axis=1) >= spread, dtype=bool)


def accepts(a: Runs, b: Runs, *, paired: bool) -> Won:
    """Whether the gate accepts B, per repetition: the cheap tests first, each next one over what is left."""
    accepted: Won = interval_wins(a, b, paired=paired) & spread_wins(a, b) & above_floor(a, b)
    for test in (exact_wins, bootstrap_wins):
        left = numpy.flatnonzero(accepted)
        accepted[left] = test(a[left], b[left], paired=paired)
    return accepted


def above_floor(a: Runs, b: Runs) -> Won:
    """B's best run reaches the floor."""
    return numpy.asarray(b.max(axis=1) >= FLOOR * a.max(axis=1), dtype=bool)


def floor_broken_by_chance(repetitions: int) -> list[tuple[str, list[float]]]:
    """Rejections for the floor on equal speed, by noise: where the noise is large, the floor has to be lower."""
    rows = []
    for factor in (1, 2, 3, 5):
        arms = [simulated("normal", repetitions, runs, 0.0) for runs in RUNS_AN_ARM]
        louder = [(1000 + factor * (a - 1000), 1000 + factor * (b - 1000)) for a, b in arms]
        rows.append((f"{100 * factor * NOISE:g} %", [float(1 - above_floor(a, b).mean()) for a, b in louder]))
    return rows


def rates(kind: str, repetitions: int, gain: float, *, paired: bool = True) -> list[float]:
    """The share of repetitions in which B is accepted, by runs an arm."""
    return [float(accepts(*simulated(kind, repetitions, runs, gain), paired=paired).mean()) for runs in RUNS_AN_ARM]


def each_alone(repetitions: int) -> list[tuple[str, list[float]]]:
    """False wins of each test taken alone, on equal speed with normal noise."""
    arms = [simulated("normal", repetitions, runs, 0.0) for runs in RUNS_AN_ARM]
    tests: dict[str, Callable[[Runs, Runs], Won]] = {
        "paired t": lambda a, b: interval_wins(a, b, paired=True),
        "sign flip": lambda a, b: exact_wins(a, b, paired=True),
        "BCa bootstrap": lambda a, b: bootstrap_wins(a, b, paired=True),
        "gap above the spread": spread_wins,
        "all of them: the gate": lambda a, b: accepts(a, b, paired=True),
    }
    return [(name, [float(test(a, b).mean()) for a, b in arms]) for name, test in tests.items()]


def table(corner: str, rows: list[tuple[str, list[float]]]) -> str:
    """A Markdown table of rates in percent."""
    heads = [corner, *(f"{runs} runs an arm" for runs in RUNS_AN_ARM)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(f'{100 * one:.1f} %' for one in held)} |" for name, held in rows)])


def measured(repetitions: int, power_repetitions: int) -> tuple[str, float]:
    """All tables, and the highest rate of false accepts in them."""
    worst = 0.0
    parts = [f"## Equal speed, normal noise of 1 %: wins of B by each test alone\n\n{table('test', each_alone(repetitions))}"]
    cells = [("normal", True), ("normal", False), *((kind, True) for kind in list(NOISES)[1:])]
    for kind, paired in cells:
        gains = (0.01, 0.02, 0.03, 0.05) if (kind, paired) == ("normal", True) else (0.02, 0.05)
        null = rates(kind, repetitions, 0.0, paired=paired)
        power = [(f"{100 * gain:g} %", rates(kind, power_repetitions, gain, paired=paired)) for gain in gains]
        worst = max(worst, *null)
        order = "interleaved pairs" if paired else "runs not interleaved (Welch)"
        parts.append(f"## Accepted: {order}, noise: {kind}\n\n{table('true gain', [('none', null), *power])}")
    broken = table("run-to-run noise", floor_broken_by_chance(repetitions))
    parts.append(f"## Equal speed: rejected, because B's best run is below {100 * FLOOR:g} % of A's by chance\n\n{broken}")
    return "\n\n".join(parts) + "\n", worst


def main() -> int:
    """Run the calibration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5_000, help="a cell of equal speed")
    parser.add_argument("--power-repetitions", type=int, default=1_000, help="a cell with a true gain")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text, worst = measured(options.repetitions, options.power_repetitions)
    print(text)  # noqa: T201 - a script
    if options.write:
        counts = f"{options.repetitions:,} repetitions a cell of equal speed, {options.power_repetitions:,} a cell with a gain"
        head = f"# Power of the acceptance gate\n\nWritten by `python -m benchmarks.gate_power --write`: {counts}.\n\n"
        TABLES.write_text(head + text, encoding="utf-8")
    print(f"highest rate of false accepts: {worst:.2%} (limit {LIMIT:.1%})", file=sys.stderr)  # noqa: T201 - a script
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
