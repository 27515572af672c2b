"""Whether the runs of two arms were interleaved, so that the first run of one belongs to the first of the other.

Room: `results`. Pairs remove what drifts over the day only where both runs of a pair stand side by side; otherwise the arms are
compared as two independent samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from kvaudit.parsers.results.run import Run


@dataclass(frozen=True)
class Pairing:
    """Both arms in the order in which they are compared, and why they are, or are not, pairs."""

    paired: bool
    why: str
    a: list[Run]
    b: list[Run]


def pair(a: Sequence[Run], b: Sequence[Run], *, interleaved: bool | None) -> Pairing:
    """Pairs where the caller says so, or where the start times alternate in blocks of one run of each arm."""
    times_a, times_b = _times(a), _times(b)
    first, second = _in_time(a, times_a), _in_time(b, times_b)
    if len(a) != len(b):
        return Pairing(False, f"not paired: {len(a)} runs against {len(b)}", first, second)
    if interleaved is not None:
        why = "paired in the order given: the caller says that the runs were interleaved"
        return Pairing(interleaved, why if interleaved else "not paired: the caller says that the runs were not", first, second)
    if times_a is None or times_b is None:
        return Pairing(
            False, "not paired: the files do not say when each run started, so whether they alternated is unknown", first, second
        )
    paired, why = _alternate(times_a, times_b)
    return Pairing(paired, why, first, second)


def _times(runs: Sequence[Run]) -> list[datetime] | None:
    """Start times; None if one is missing or no date."""
    try:
        return (
            [datetime.fromisoformat(run.started) for run in runs if run.started is not None]
            if all(run.started for run in runs)
            else None
        )
    except ValueError:
        return None


def _in_time(runs: Sequence[Run], times: list[datetime] | None) -> list[Run]:
    if times is None or len({time.tzinfo is None for time in times}) != 1:
        return list(runs)
    return [run for _, run in sorted(zip(times, runs, strict=True), key=lambda one: one[0])]


def _alternate(a: list[datetime], b: list[datetime]) -> tuple[bool, str]:
    """Whether every block of two runs in time holds one of each arm: ABAB, ABBA and BAAB do, AABB does not."""
    if len({time.tzinfo is None for time in [*a, *b]}) != 1:
        return False, "not paired: some start times name their zone and some do not"
    if len({*a, *b}) != len(a) + len(b):
        return False, "not paired: two runs have the same start time, so their order is unknown"
    order = [arm for _, arm in sorted([*((time, "A") for time in a), *((time, "B") for time in b)])]
    blocks = {"".join(order[at : at + 2]) for at in range(0, len(order), 2)}
    if blocks <= {"AB", "BA"}:
        return True, "paired: by their start times the runs of the two arms alternated"
    return False, f"not paired: by their start times the runs did not alternate ({_shown(order)})"


def _shown(order: list[str]) -> str:
    return "".join(order[:24]) + ("…" if len(order) > 24 else "")
