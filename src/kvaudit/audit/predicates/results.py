"""Predicates about the benchmark results of one arm.

Room: `audit`. What the figures say was worked out in `results`; here it is asked for, with the places of the figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kvaudit.audit.context import ArmContext, Cited, Outcome
from kvaudit.audit.predicates.registry import NUMBER, missing, predicate
from kvaudit.parsers.facts import Origin
from kvaudit.parsers.results.facts import field_of
from kvaudit.parsers.results.run import Run
from kvaudit.parsers.tables import fact
from kvaudit.results.disagreements import checkable
from kvaudit.results.evidence import results_of
from kvaudit.results.gate.points import kind_of
from kvaudit.results.labels import lacking
from kvaudit.results.load import judgeable
from kvaudit.results.prompts import all_meant_unique, cached_share
from kvaudit.results.repeats import impossible, mean_length, warm_ups
from kvaudit.results.runs import flag, origins

NO_RUNS = "a result file of the benchmark client"
SURE = ("proven", "suspected", "beside")
_MOST = 6
_FEWEST_FINISHED = 10


def no_runs(arm: ArmContext) -> Outcome | None:
    """Unknown where the arm holds no run."""
    return None if results_of(arm.record).runs else Outcome(None, missing=[f"arm {arm.name}: {NO_RUNS}"])


def cite(arm: ArmContext, run: Run, names: Iterable[str], how: str | None = None) -> list[Cited]:
    """The figures of a run as evidence, each with its place in the file."""
    return [
        Cited(arm.name, field_of(name), fact(field_of(name), run.values[name].value, "observed", found, how=how))
        for name in dict.fromkeys(names)
        if (found := _told(arm, run, name))
    ]


def _told(arm: ArmContext, run: Run, name: str) -> list[Origin]:
    """Where a figure stands, with the words of the file where the figure has a field of its own."""
    places = {(origin.file, origin.line, origin.pointer) for origin in origins(run, name)}
    read = (origin for one in arm.record.facts(field_of(name)) for origin in one.origins)
    return [one for one in read if (one.file, one.line, one.pointer) in places][:1] or origins(run, name)


def cite_lines(arm: ArmContext, field: str, lines: Iterable[Origin], value: Any = None) -> list[Cited]:
    """Lines of other evidence that speak of the same figure."""
    held = list(lines)
    return [Cited(arm.name, field, fact(field, value, "observed", held))] if held else []


@predicate("arm", {"grave": {"type": "boolean"}}, optional=("grave",))
def figures_disagree(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """Two figures of the results that must agree do not; `grave`: beyond what any real run shows."""
    results = results_of(arm.record)
    if unknown := no_runs(arm):
        return unknown
    found = [one for one in results.disagreements if one.serious or not arguments.get("grave")]
    if found:
        cited = [cited for one in found[:_MOST] for cited in cite(arm, one.run, one.names)]
        lines = [cited for one in found for cited in cite_lines(arm, field_of("output_tokens"), one.origins)]
        return Outcome(True, [*cited, *lines, *arm.cite(*(name for one in found[:_MOST] for name in one.fields))])
    if not any(checkable(run) for run in results.runs):
        return Outcome(None, missing=[f"arm {arm.name}: a second figure in the result file to compare the first with"])
    return Outcome(False, arm.cite("result.completed", "result.duration"))


@predicate("arm", {"certainty": {"enum": list(SURE)}})
def tokens_are_events(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """Output tokens of the results are stream events: proven, at least suspected, or only figures beside the total are."""
    results = results_of(arm.record)
    if unknown := no_runs(arm):
        return unknown
    rank = SURE.index(arguments["certainty"])
    found = [one for one in results.counted if one.proven or rank]
    found += results.distrusted if rank == len(SURE) - 1 else []
    if found:
        lines = [] if any(one.names for one in found[:1]) else results.server_origins("generation_tokens")
        cited = [cited for one in found[:_MOST] for cited in cite(arm, one.run, one.names)]
        return Outcome(True, [*cited, *cite_lines(arm, field_of("output_tokens"), lines)])
    if any("output_tokens" in run.values or "output_throughput" in run.values for run in results.runs):
        return Outcome(False, arm.cite("result.output_tokens"))
    return Outcome(None, missing=[f"arm {arm.name}: the output tokens of the run"])


@predicate("arm", {})
def no_steady_state(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """A run is too short for a steady state, did not reach the load it offered, or offered more than the server takes."""
    results = results_of(arm.record)
    if unknown := no_runs(arm):
        return unknown
    found = results.doubts
    if found:
        cited = [cited for one in found[:_MOST] for cited in [*cite(arm, one.run, one.names), *arm.cite(*one.fields)]]
        return Outcome(True, cited)
    if not any(judgeable(run) for run in results.runs):
        return Outcome(None, missing=[f"arm {arm.name}: the duration of the run, or the rate that it offered and reached"])
    return Outcome(False, arm.cite("result.duration", "result.request_rate"))


@predicate("arm", {"value": NUMBER})
def hits_on_unique_prompts(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The prompts were meant to be unique, and this share of them or more was found in the prefix cache."""
    if arm.record.value("kv_cache.prefix_caching") is False:
        return Outcome(False, arm.cite("kv_cache.prefix_caching"))
    runs = results_of(arm.record).runs
    meant = all_meant_unique(runs, arm.record)
    if meant is False:
        return Outcome(False, arm.cite("result.dataset", "result.prefix_length"))
    shares = [(run, share) for run in runs if (share := cached_share(run)) is not None]
    rate = arm.record.value("runtime.prefix_hit_rate")
    highest = max([*(share for _, share in shares), *([rate] if isinstance(rate, int | float) else [])], default=None)
    if highest is not None and highest < arguments["value"]:
        return Outcome(False, [*arm.cite("runtime.prefix_hit_rate"), *_shares(arm, shares)])
    if meant is None or highest is None:
        needs = (
            [] if meant else [f"arm {arm.name}: whether the prompts were meant to be unique: the dataset of the client's command"]
        )
        needs += [missing(arm, "runtime.prefix_hit_rate")] if highest is None else []
        return Outcome(None, missing=needs)
    if not shares and _may_be_recomputed(arm):
        needs = [f"arm {arm.name}: whether the hits are preempted requests that were computed again: a run without preemptions"]
        return Outcome(None, missing=needs)
    return Outcome(True, [*arm.cite("runtime.prefix_hit_rate", "result.dataset"), *_shares(arm, shares)])


def _may_be_recomputed(arm: ArmContext) -> bool:
    """Whether requests were preempted, or nothing shows that none was: a preempted one finds its own blocks in the cache."""
    preempted = arm.record.value("runtime.preemptions")
    return preempted > 0 if isinstance(preempted, int) else arm.record.value("runtime.max_waiting") != 0


def _shares(arm: ArmContext, shares: list[tuple[Run, float]]) -> list[Cited]:
    return [cited for run, _ in shares[:_MOST] for cited in cite(arm, run, ("cached_tokens", "input_tokens"))]


@predicate("arm", {})
def first_run_slower(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """Of runs with the very same prompts the first waited much longer for its first tokens than every later one."""
    if unknown := no_runs(arm):
        return unknown
    found = warm_ups(results_of(arm.record).runs)
    if arm.record.value("kv_cache.prefix_caching") is False or not found:
        return Outcome(False, arm.cite("kv_cache.prefix_caching"))
    names = ("input_tokens", found[0].quantity)
    return Outcome(True, [cited for one in found for run in (one.first, *one.later[:2]) for cited in cite(arm, run, names)])


@predicate("arm", {})
def one_load_two_speeds(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """Two runs of one load on one server differ in throughput by more than half."""
    if unknown := no_runs(arm):
        return unknown
    found = impossible(results_of(arm.record).runs)
    if found is None:
        return Outcome(False, arm.cite("result.output_throughput"))
    if sum(source.kind == "engine-log" for source in arm.record.sources) > 1:
        return Outcome(None, missing=[f"arm {arm.name}: on which of its servers each run was measured"])
    names = ("output_throughput", "input_tokens", "output_tokens")
    return Outcome(True, [*cite(arm, found.slow, names), *cite(arm, found.fast, names)])


@predicate("arm", {})
def one_shape_only(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """Several runs were measured, and none of them is prefill-heavy, or none is decode-heavy."""
    if unknown := no_runs(arm):
        return unknown
    runs = results_of(arm.record).runs
    kinds = {kind_of(mean_length(run, "input_tokens"), mean_length(run, "output_tokens")) for run in runs} - {"unknown"}
    if {"prefill-heavy", "decode-heavy"} <= kinds:
        return Outcome(False, arm.cite("result.input_tokens", "result.output_tokens"))
    if len(runs) < 2 or not kinds:
        return Outcome(None, missing=[f"arm {arm.name}: results of a prefill-heavy and of a decode-heavy load"])
    return Outcome(True, [cited for run in runs[:_MOST] for cited in cite(arm, run, ("input_tokens", "output_tokens"))])


@predicate("arm", {})
def row_label_lacks(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """A row of results cannot be labelled with both the weights and the settings that it was measured with."""
    if unknown := no_runs(arm):
        return unknown
    needs = lacking(arm.record, results_of(arm.record).runs)
    if not needs:
        return Outcome(False, arm.cite("model.path", "kv_cache.dtype", "result.model"))
    cited = [cited for run in results_of(arm.record).runs[:2] for cited in cite(arm, run, ("completed",))]
    return Outcome(True, cited, [f"arm {arm.name}: {text}" for text in needs])


@predicate("arm", {"share": NUMBER})
def answers_cut(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """At least this share of the answers ended at the length limit, where the limit was not the aim."""
    if unknown := no_runs(arm):
        return unknown
    told = truncation(arm)
    if not told:
        return Outcome(None, missing=[f"arm {arm.name}: why the answers ended (finish_reason), stored per request"])
    found = [run for run, share in told if share >= arguments["share"]]
    if not found:
        return Outcome(False, [cited for run, _ in told[:_MOST] for cited in cite(arm, run, ("truncated", "finished"))])
    return Outcome(True, [cited for run in found[:_MOST] for cited in cite(arm, run, ("truncated", "finished"))])


@predicate("arm", {"points": NUMBER})
def cut_more_than_the_other(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The share of answers cut at the length limit is this far from that of the other arm, or farther."""
    if arm.other is None:
        return Outcome(None, missing=["the results of a second arm"])
    other = ArmContext(arm.name, arm.other)
    shares = [[share for _, share in truncation(one)] for one in (arm, other)]
    if not shares[0] or not shares[1]:
        return Outcome(None, missing=["why the answers ended (finish_reason), on both arms"])
    means = [sum(one) / len(one) for one in shares]
    cited = [cited for run, _ in truncation(arm)[:_MOST] for cited in cite(arm, run, ("truncated", "finished"))]
    return Outcome(abs(means[0] - means[1]) > arguments["points"], cited)


def truncation(arm: ArmContext) -> list[tuple[Run, float]]:
    """The share of answers that ended at the length limit, for runs that list reasons and did not mean to end there."""
    told = []
    for run in results_of(arm.record).runs:
        cut, finished = run.number("truncated"), run.number("finished") or run.number("completed")
        if cut is not None and finished and finished >= _FEWEST_FINISHED and flag(run, "ignore_eos") is not True:
            told.append((run, cut / finished))
    return told
