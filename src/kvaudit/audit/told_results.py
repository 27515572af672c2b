"""Sentences with figures about benchmark results, which rule texts ask for by name.

Room: `audit`. Every figure stands in a result file or in other evidence of the arm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kvaudit.audit.context import ArmContext, PairContext
from kvaudit.audit.predicates.results import truncation
from kvaudit.audit.predicates.results_pair import matched
from kvaudit.parsers.results.run import Run
from kvaudit.results.checking import relative_error
from kvaudit.results.evidence import recomputed, results_of
from kvaudit.results.labels import lacking
from kvaudit.results.prompts import all_meant_unique, cached_share
from kvaudit.results.repeats import WarmUp, impossible, mean_length, warm_ups
from kvaudit.results.runs import place

_MOST = 3
_MANY_HITS = 0.1
_NEAR = 0.05


def _listed(said: Sequence[str]) -> str:
    told = list(dict.fromkeys(said))
    return "; ".join([*told[:_MOST], *([f"and {len(told) - _MOST} more"] if len(told) > _MOST else [])])


def _whose(arm: ArmContext, run: Run, text: str) -> str:
    return f"{place(run)}: {text}" if len(results_of(arm.record).runs) > 1 else text


def _disagreements(arm: ArmContext) -> str:
    """The figures that do not agree, with both of them."""
    found = results_of(arm.record).disagreements
    return _listed([_whose(arm, one.run, one.text) for one in found])


def _counting(arm: ArmContext) -> str:
    """What shows that output tokens are stream events."""
    results = results_of(arm.record)
    return _listed([_whose(arm, one.run, one.text) for one in results.counted or results.distrusted])


def _corrected(arm: ArmContext) -> str:
    """The throughput of runs that counted events, recomputed by one formula that fits every run of every arm."""
    results = results_of(arm.record)
    others = [results_of(arm.other)] if arm.other is not None and results_of(arm.other).runs else []
    found = recomputed([results, *others])
    if found is None:
        return ""
    affected = [one.run for one in results.counted if one.proven]
    said = [
        f"{one.output:,.6g} output and {one.total:,.6g} total tok/s ({one.formula})"
        for run, one in zip(results.runs, found[0], strict=True)
        if run in affected
    ]
    return _listed(said)


def _doubts(arm: ArmContext) -> str:
    """Why the runs show no steady state."""
    return _listed([_whose(arm, one.run, one.text) for one in results_of(arm.record).doubts])


def _hits(arm: ArmContext) -> str:
    """Prompts that were meant to be unique and came from the cache, by who says so; else what repeated runs let suspect."""
    runs = results_of(arm.record).runs
    rate = arm.record.value("runtime.prefix_hit_rate")
    told = [(float(rate), "the server")] if isinstance(rate, int | float) else []
    told += [(share, "the client") for run in runs if (share := cached_share(run)) is not None]
    if all_meant_unique(runs, arm.record) and max((share for share, _ in told), default=0.0) >= _MANY_HITS:
        said = _listed([f"{share:.1%} by {whose}" for share, whose in told])
        return f"prompts that were meant to be unique came from the prefix cache: {said}"
    found = _listed([_warming(one) for one in warm_ups(runs)])
    return f"a prefix cache that the first run warmed is suspected: {found}" if found else ""


def _warming(found: WarmUp) -> str:
    first, later = found.first.number(found.quantity), max(run.number(found.quantity) or 0.0 for run in found.later)
    prompts, count = found.first.number("input_tokens"), len(found.later) + 1
    return (
        f"{found.quantity} {first:,.4g} ms in the first of {count} runs with the same {prompts:,.0f} prompt tokens, "
        f"at most {later:,.4g} ms in the others"
    )


def _speeds(arm: ArmContext) -> str:
    """Two runs of one load with the ratio of their throughputs."""
    found = impossible(results_of(arm.record).runs)
    if found is None:
        return ""
    slow, fast = found.slow.number(found.quantity), found.fast.number(found.quantity)
    return f"{slow:,.6g} tok/s ({place(found.slow)}) and {fast:,.6g} tok/s ({place(found.fast)}), {found.ratio:.2f} times as much"


def _unlabelled(arm: ArmContext) -> str:
    """What the label of a results row lacks."""
    return _listed(lacking(arm.record, results_of(arm.record).runs))


def _cut(arm: ArmContext) -> str:
    """The share of answers that ended at the length limit."""
    return _listed([_whose(arm, run, f"{share:.1%} of the answers") for run, share in truncation(arm)])


RESULTS_TOLD: dict[str, Callable[[ArmContext], str]] = {
    "disagreements": _disagreements,
    "counting": _counting,
    "corrected": _corrected,
    "doubts": _doubts,
    "hits": _hits,
    "speeds": _speeds,
    "unlabelled": _unlabelled,
    "cut": _cut,
}
"""Placeholders of rule texts about the results of one arm."""


def _different(pair: PairContext) -> str:
    """The settings of the load that differ, with both values."""
    found = [one for name, one in pair.differences.items() if name.startswith("result.") and one.class_ == "confound"]
    return _listed([f"{one.field.partition('.')[2]} {_few(one.values[0])} against {_few(one.values[1])}" for one in found])


def _few(value: object) -> str:
    items = [str(one) for one in dict.fromkeys(map(str, value))] if isinstance(value, list) else [str(value)]
    return ", ".join(items[:_MOST]) + (", …" if len(items) > _MOST else "")


def _lengths(pair: PairContext) -> str:
    """The mean answer of both arms at the loads that both measured, and whether their ratio is an acceptance length."""
    a, b = (results_of(arm.record).runs for arm in pair.arms)
    return _listed([text for one, other in matched(a, b) if (text := _two_lengths(one, other))])


def _two_lengths(one: Run, other: Run) -> str:
    left, right = mean_length(one, "output_tokens"), mean_length(other, "output_tokens")
    if not left or not right:
        return ""
    text = f"{left:,.1f} tokens on arm a, {right:,.1f} on arm b"
    shorter, name = (one, "a") if left < right else (other, "b")
    accepted = shorter.number("accept_length")
    if accepted and accepted > 1 and relative_error(max(left, right) / min(left, right), accepted) <= _NEAR:
        text += f" ({accepted:.2f} to one, the acceptance length of arm {name}: its output tokens may be stream events)"
    return text


def _gate(pair: PairContext) -> str:
    """The first reasons of the acceptance gate."""
    return "; ".join(one.rstrip(".") for one in pair.gate.reasons[:2]) if pair.gate else ""


def _slow(pair: PairContext) -> str:
    """The floors that arm b breaks."""
    held = [*pair.gate.floors, *(floor for shape in pair.gate.shapes for floor in shape.floors)] if pair.gate else []
    return _listed(
        [
            f"{one.quantity}: {one.candidate:,.6g} against a peak of {one.peak:,.6g}, {one.ratio:.1%}"
            for one in held
            if not one.holds
        ]
    )


def _single(pair: PairContext) -> str:
    """The best single change, and what the gate says of the combination against it."""
    found = pair.gate.combination if pair.gate else None
    if found is None:
        return ""
    reasons = [reason for shape in found.comparisons for reason in shape.reasons[:1]]
    return f"{found.best_single}: {_listed(reasons)}" if reasons else found.best_single


def _repetitions(pair: PairContext) -> str:
    """How many runs each arm holds."""
    return " and ".join(f"{len(results_of(arm.record).runs)} on arm {arm.name}" for arm in pair.arms)


PAIR_TOLD: dict[str, Callable[[PairContext], str]] = {
    "loads": _different,
    "lengths": _lengths,
    "gate": _gate,
    "slow": _slow,
    "single": _single,
    "repetitions": _repetitions,
}
"""Placeholders of rule texts about the results of two arms."""
