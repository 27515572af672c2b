"""The acceptance gate of a pair: asked for by `kvaudit results A B`, and by `diff` where both arms hold repeated results.

Room: `audit`. The decision is made in `results.gate`; here the runs are handed over, or the reason why they cannot be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kvaudit.audit.context import PairContext
from kvaudit.errors import KvauditError
from kvaudit.parsers.facts import RUN_CLUE

if TYPE_CHECKING:
    from kvaudit.parsers.results.run import Run
    from kvaudit.results.gate.model import Direction

SAME = "results of two different arms: these are the same figures on both sides"
_REPEATED = 2


@dataclass(frozen=True, slots=True)
class GateWishes:
    """How the gate is to decide."""

    metric: str | None = None
    direction: Direction | None = None
    floor: float = 0.95
    interleaved: bool | None = None


def add_gate(pair: PairContext, wishes: GateWishes | None) -> None:
    """Let the gate decide over the results of both arms, where it can.

    Without wishes nobody asked for it: it then needs repeated runs on both arms, and what it lacks is no error.
    """
    if not any(RUN_CLUE in arm.record.clues for arm in pair.arms):
        pair.gate_missing = _lacking([arm.name for arm in pair.arms])
        return
    from kvaudit.results.evidence import results_of
    from kvaudit.results.runs import same_runs

    a, b = (results_of(arm.record).runs for arm in pair.arms)
    lacking = [arm.name for arm, runs in zip(pair.arms, (a, b), strict=True) if not runs]
    if lacking:
        pair.gate_missing = _lacking(lacking)
    elif same_runs(a, b):
        pair.gate_missing = SAME
    if lacking or (wishes is None and (same_runs(a, b) or min(len(a), len(b)) < _REPEATED)):
        return
    try:
        _decide(pair, a, b, wishes or GateWishes())
    except KvauditError as error:
        if wishes is not None:
            raise
        pair.gate_missing = str(error)


def _lacking(arms: list[str]) -> str:
    return f"repeated results of arm {' and '.join(arms)}"


def _decide(pair: PairContext, a: list[Run], b: list[Run], wishes: GateWishes) -> None:
    from kvaudit.results.corrections import corrected_runs
    from kvaudit.results.evidence import recomputed, results_of
    from kvaudit.results.gate.decide import decide
    from kvaudit.results.runs import singles_of

    corrected = recomputed([results_of(arm.record) for arm in pair.arms])
    if corrected is not None:
        a, b = corrected_runs(a, corrected[0]), corrected_runs(b, corrected[1])
    connectors = [arm.record.value("kv_transfer.connector") for arm in pair.arms]
    pair.gate = decide(
        a,
        b,
        metric=wishes.metric,
        direction=wishes.direction,
        floor=wishes.floor,
        disaggregated=any(one not in (None, "none") for one in connectors),
        interleaved=wishes.interleaved,
        candidates=singles_of(pair.b.record) or None,
    )
