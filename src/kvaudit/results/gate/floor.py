"""The performance floor: B's best run must reach a share of A's best run, however steady B is.

Room: `results`. Best run against best run, so that an unsteady arm's peak counts and equal noise on both sides does not. Where
the metric is a latency the floor is on output throughput, if every run has it: a tail latency may not be bought with speed.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.measurements import is_measured
from kvaudit.results.gate.metrics import THROUGHPUT
from kvaudit.results.gate.model import Arm, Direction, Floor


def floors(a: Sequence[Run], b: Sequence[Run], metric: str, direction: Direction, share: float) -> list[Floor]:
    """The floor of two arms at one point; empty where a figure is zero or below, of which no share can be taken."""
    quantity, way = metric, direction
    if direction == "lower" and all(is_measured(run.number(THROUGHPUT)) for run in [*a, *b]):
        quantity, way = THROUGHPUT, "higher"
    values = [[number for run in runs if is_measured(number := run.number(quantity))] for runs in (a, b)]
    if not all(values) or min(min(arm) for arm in values) <= 0:
        return []
    peak, candidate = (max(arm) if way == "higher" else min(arm) for arm in values)
    ratio = candidate / peak if way == "higher" else peak / candidate
    return [Floor(quantity=quantity, share=share, peak=peak, candidate=candidate, ratio=ratio, holds=ratio >= share)]


def is_stable_but_slow(a: Arm, b: Arm, held: Sequence[Floor]) -> bool:
    """B varies less than A and is below the floor: the steadier arm is no reason to adopt the slower one."""
    if a.spread_percent is None or b.spread_percent is None:
        return False
    return b.spread_percent < a.spread_percent and any(not floor.holds for floor in held)
