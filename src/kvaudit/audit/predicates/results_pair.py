"""Predicates about the benchmark results of two arms: lengths, repetitions, and what the acceptance gate says.

Room: `audit`. The same figures on both sides are one set of runs and compare nothing.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import Cited, Outcome, PairContext
from kvaudit.audit.predicates.registry import NUMBER, TEXT, predicate
from kvaudit.audit.predicates.results import NO_RUNS, cite
from kvaudit.parsers.results.run import Run
from kvaudit.results.corrections import corrected_runs
from kvaudit.results.evidence import recomputed, results_of
from kvaudit.results.gate.points import points_of
from kvaudit.results.repeats import mean_length
from kvaudit.results.runs import same_runs

_MOST = 4
_TWO_ARMS = "results of two different arms: these are the same figures on both sides"
_ANSWERS = "score"
"""The metric whose unit is the question: one run an arm is enough."""
_NAMES = ("output_tokens", "completed", "ignore_eos")


def runs_on_both(pair: PairContext) -> tuple[list[Run], list[Run]] | Outcome:
    """The runs of both arms; unknown where one has none, or where both have the same ones."""
    a, b = (results_of(arm.record).runs for arm in pair.arms)
    if not a or not b:
        without = [arm.name for arm, runs in zip(pair.arms, (a, b), strict=True) if not runs]
        return Outcome(None, missing=[f"arm {name}: {NO_RUNS}" for name in without])
    return Outcome(None, missing=[_TWO_ARMS]) if same_runs(a, b) else (a, b)


@predicate("pair", {"count": NUMBER})
def fewer_runs_than(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """An arm holds fewer runs than this at every load that both arms measured; of accuracy the questions count, not the runs."""
    found = runs_on_both(pair)
    if isinstance(found, Outcome):
        return found
    if pair.gate is not None and pair.gate.metric == _ANSWERS:
        return Outcome(False, _cited(pair, found, (_ANSWERS, "score_items")))
    a, b = found
    shared = [point.arms for point in points_of({"a": a, "b": b}) if len(point.arms) == 2]
    most = max((min(map(len, arms.values())) for arms in shared), default=min(len(a), len(b)))
    return Outcome(most < arguments["count"], _cited(pair, found, ("completed", "output_throughput")))


def _cited(pair: PairContext, runs: tuple[list[Run], list[Run]], names: tuple[str, ...]) -> list[Cited]:
    """These figures of the first runs of both arms."""
    both = zip(pair.arms, runs, strict=True)
    return [cited for arm, held in both for run in held[:_MOST] for cited in cite(arm, run, names)]


@predicate("pair", {"share": NUMBER})
def answer_lengths_differ(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The mean answers of the two arms differ in length by this share or more at a load that both measured."""
    found = runs_on_both(pair)
    if isinstance(found, Outcome):
        return found
    compared = matched(*(as_counted_right(pair) or found))
    lengths = [(one, other, mean_length(one, "output_tokens"), mean_length(other, "output_tokens")) for one, other in compared]
    known = [(one, other, left, right) for one, other, left, right in lengths if left and right]
    if not known:
        return Outcome(None, missing=["runs of one load on both arms, with their completed requests and output tokens"])
    wide = [(one, other) for one, other, left, right in known if abs(left - right) >= arguments["share"] * max(left, right)]
    pairs = wide or [(known[0][0], known[0][1])]
    return Outcome(bool(wide), _cited(pair, ([one for one, _ in pairs], [other for _, other in pairs]), _NAMES))


def as_counted_right(pair: PairContext) -> tuple[list[Run], list[Run]] | None:
    """The runs of both arms with recomputed tokens, where those of one are stream events; None where nothing is recomputed."""
    arms = [results_of(arm.record) for arm in pair.arms]
    found = recomputed(arms)
    return None if found is None else (corrected_runs(arms[0].runs, found[0]), corrected_runs(arms[1].runs, found[1]))


def matched(a: list[Run], b: list[Run]) -> list[tuple[Run, Run]]:
    """The first runs of both arms at each load that both measured; the only runs where each arm has one."""
    if len(a) == len(b) == 1:
        return [(a[0], b[0])]
    by_prompts = [(one, other) for one in a for other in b if _same_prompts(one, other)]
    seen: dict[tuple[Any, ...], tuple[Run, Run]] = {}
    for one, other in by_prompts:
        seen.setdefault((one.number("input_tokens"), one.number("max_concurrency"), one.number("request_rate")), (one, other))
    return list(seen.values())


def _same_prompts(one: Run, other: Run) -> bool:
    names = ("input_tokens", "completed", "max_concurrency", "request_rate")
    return one.number("input_tokens") is not None and all(one.number(name) == other.number(name) for name in names)


@predicate("pair", {"decisions": {"type": "array", "items": TEXT, "minItems": 1}})
def gate_decides(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The acceptance gate over the repeated results of both arms comes to one of these decisions."""
    if pair.gate is None:
        return Outcome(None, missing=[pair.gate_missing])
    if isinstance(found := runs_on_both(pair), Outcome):
        return found
    return Outcome(pair.gate.decision in arguments["decisions"], measured(pair))


@predicate("pair", {})
def slow_and_stable(pair: PairContext, _arguments: dict[str, Any]) -> Outcome:
    """Arm b varies less than arm a and stays below the performance floor."""
    if pair.gate is None:
        return Outcome(None, missing=[pair.gate_missing])
    found = pair.gate.stable_but_slow or any(shape.stable_but_slow for shape in pair.gate.shapes)
    known = found or any(shape.floors for shape in pair.gate.shapes)
    return Outcome(found, measured(pair)) if known else Outcome(None, missing=["at least two runs an arm: peaks and spreads"])


@predicate("pair", {"loses": {"type": "boolean"}}, optional=("loses",))
def combination_no_better(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The combination does not beat the best single change that it is made of; `loses`: the single change is better."""
    combination = pair.gate.combination if pair.gate else None
    if combination is None:
        return Outcome(None, missing=["the results of each single change: kvaudit results A B --single NAME=PATH"])
    if combination.decision == "not_enough_runs":
        return Outcome(None, missing=[f"six runs or more of the single change {combination.best_single} and of the combination"])
    wanted = ("reject",) if arguments.get("loses") else ("reject", "tie")
    return Outcome(combination.decision in wanted, measured(pair))


def measured(pair: PairContext) -> list[Cited]:
    """The figures that the gate decided by."""
    if pair.gate is None:
        return []
    metric = pair.gate.metric
    a, b = ([run for run in results_of(arm.record).runs if metric in run.values] for arm in pair.arms)
    return _cited(pair, (a, b), (metric,))
