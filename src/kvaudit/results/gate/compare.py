"""Two arms at one workload point: the ladder that turns their numbers into a decision.

Room: `results`. Better or worse is said only where the t interval and the bootstrap interval exclude zero, the exact test is
below 0.05 and the gap reaches the larger run-to-run spread; whatever is left is a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import stdev

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate import sentences
from kvaudit.results.gate.figures import Numbers, arm_of, numbers_of
from kvaudit.results.gate.floor import floors, is_stable_but_slow
from kvaudit.results.gate.model import Arm, Comparison, Decision, Direction, Floor
from kvaudit.results.gate.pairing import pair

MINIMUM_RUNS = 6
MOST_RUNS = 200
"""Of an arm at one workload point: many times what anybody repeats, and little enough to resample."""
SIGNIFICANT = 0.05
RISK_PAIRED, RISK_UNPAIRED = 0.05, 0.02
"""Two-sided risk of an interval. Smaller where the runs were not interleaved: what drifts from one block of runs to the next
looks like a difference, and Welch's interval alone would use up the 2.5 % of false accepts that are allowed."""


@dataclass(frozen=True)
class Question:
    """What is compared, and how strictly."""

    metric: str
    direction: Direction
    floor: float
    points: int
    """Workload points that share the risk."""
    interleaved: bool | None


def compare(a: Sequence[Run], b: Sequence[Run], question: Question) -> Comparison:
    """The comparison of two arms whose runs all hold the metric."""
    order = pair(a[:MOST_RUNS], b[:MOST_RUNS], interleaved=question.interleaved)
    arms = [arm_of(runs, question.metric, question.direction) for runs in (order.a, order.b)]
    values = [[run.value for run in arm.runs] for arm in arms]
    risk = (RISK_PAIRED if order.paired else RISK_UNPAIRED) / question.points
    found = numbers_of(values[0], values[1], 1 - risk, paired=order.paired)
    held = floors(order.a, order.b, question.metric, question.direction, question.floor)
    slow = is_stable_but_slow(arms[0], arms[1], held)
    decision, reasons = _decided(arms, found, held, question)
    return Comparison(
        decision=decision,
        n=(len(order.a), len(order.b)),
        paired=order.paired,
        pairing=order.why,
        baseline=arms[0],
        candidate=arms[1],
        difference=found.difference,
        difference_percent=found.percent,
        better=_is_better(found, question) if found.difference else None,
        interval=found.interval,
        bootstrap=found.bootstrap,
        test=found.test,
        floors=held,
        stable_but_slow=slow,
        reasons=[
            *reasons,
            *([sentences.steady(arms)] if slow else []),
            f"The runs were {order.why}.",
            *([f"Only the first {MOST_RUNS} runs of an arm are used."] if max(len(a), len(b)) > MOST_RUNS else []),
        ],
    )


def _is_better(found: Numbers, question: Question) -> bool:
    return ((found.difference or 0.0) > 0) == (question.direction == "higher")


def _decided(arms: list[Arm], found: Numbers, held: list[Floor], question: Question) -> tuple[Decision, list[str]]:
    """The ladder: enough runs, the floor, then what separates the arms."""
    counts = [len(arm.runs) for arm in arms]
    if min(counts) < MINIMUM_RUNS:
        return "not_enough_runs", [sentences.too_few(counts, MINIMUM_RUNS)]
    better, doubts = _is_better(found, question), _doubts(arms, found, question.metric)
    word = "not shown to differ" if doubts else "better" if better else "worse"
    said = sentences.outcome(arms, found, question.metric, word)
    broken = [sentences.below_floor(floor) for floor in held if not floor.holds]
    if broken:
        return "reject", [*broken, said]
    if doubts:
        return "tie", [said, *doubts]
    return ("accept" if better else "reject"), [said]


def _doubts(arms: list[Arm], found: Numbers, metric: str) -> list[str]:
    """Every test that does not separate the arms, as a sentence; empty where all do."""
    intervals = (found.interval, found.bootstrap)
    doubts = [sentences.includes_zero(one) for one in intervals if one and one.low <= 0 <= one.high]
    doubts += [sentences.UNDEFINED for one in intervals if one is None]
    if found.test is not None and found.test.p >= SIGNIFICANT:
        doubts.append(sentences.not_significant(found.test.name, found.test.p, SIGNIFICANT))
    spread = max(stdev([run.value for run in arm.runs]) for arm in arms)
    gap = abs(found.difference or 0.0)
    return [*doubts, sentences.within_spread(gap, spread, metric)] if gap < spread else doubts
