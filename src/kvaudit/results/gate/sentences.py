"""What the gate says: each reason as one sentence with its figures.

Room: `results`. Words only; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.results.run import unit_of
from kvaudit.results.gate.figures import Numbers
from kvaudit.results.gate.model import Arm, Floor, Interval

UNDEFINED = "An interval is not defined for these runs."


def quantity(value: float, metric: str) -> str:
    """A figure with its unit."""
    unit = unit_of(metric)
    return figure(value) + (f" {unit}" if unit else "")


def figure(value: float) -> str:
    """Four significant digits, thousands grouped."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def signed(percent: float | None) -> str:
    """A share with its sign, `unknown share` where the baseline is zero."""
    return "unknown share" if percent is None else f"{percent:+.2f} %"


def too_few(counts: Sequence[int], minimum: int) -> str:
    """Runs of both arms against the least that can decide."""
    need = f"at least {minimum} an arm are needed (with five pairs no exact test reaches 0.05)"
    return f"{counts[0]} {_runs(counts[0])} of A and {counts[1]} of B: {need}."


def _runs(count: int) -> str:
    return "run" if count == 1 else "runs"


def outcome(arms: Sequence[Arm], found: Numbers, metric: str, word: str) -> str:
    """Both means, the difference and the interval."""
    a, b = (quantity(arm.mean or 0.0, metric) for arm in arms)
    interval = f", {_bounds(found.interval)}" if found.interval else ""
    return f"B is {word}: {metric} {b} against {a} ({signed(found.percent)}{interval})."


def _bounds(interval: Interval) -> str:
    low, high = signed(interval.low_percent), signed(interval.high_percent)
    return f"{100 * interval.level:.4g} % {interval.method} interval {low} to {high}"


def includes_zero(interval: Interval) -> str:
    """An interval that does not separate the arms."""
    return f"The {interval.method} interval, {signed(interval.low_percent)} to {signed(interval.high_percent)}, includes zero."


def not_significant(name: str, p: float, limit: float) -> str:
    """An exact test above the limit."""
    return f"The exact {name} test gives p = {p:.3g}, not below {limit:g}."


def within_spread(gap: float, spread: float, metric: str) -> str:
    """A gap that single runs of one arm show too."""
    return f"The gap of {quantity(gap, metric)} is below the larger run-to-run spread, {quantity(spread, metric)}."


def below_floor(floor: Floor) -> str:
    """A floor that does not hold."""
    best, peak = quantity(floor.candidate, floor.quantity), quantity(floor.peak, floor.quantity)
    share = f"{100 * floor.ratio:.1f} % of A's best run, {peak}: below the floor of {100 * floor.share:.0f} %"
    return f"B's best run, {floor.quantity} {best}, is {share}."


def steady(arms: Sequence[Arm]) -> str:
    """The trap of a steady slow arm."""
    a, b = (arm.spread_percent or 0.0 for arm in arms)
    return f"Stable but slow: B's run-to-run spread is {b:.2g} % against {a:.2g} %, which does not make up for the speed."
