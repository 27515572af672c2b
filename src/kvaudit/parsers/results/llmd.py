"""llm-d-benchmark reports 0.1 to 0.2.1, YAML or JSON: one report per run of another tool, every statistic with its unit.

Room: `parsers.results`. In 0.1 the figures stand under `metrics` and plain rates under `throughput`; since 0.2 under
`results.request_performance.aggregate`, rates as statistics.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at, moment, text
from kvaudit.parsers.results.shape import Shape

_AGGREGATE: tuple[Key, ...] = ("results", "request_performance", "aggregate")
_STATISTICS: dict[str, Key] = {
    "std": "stddev",
    "median": "p50",
    "p99.9": "p99p9",
    **{name: name for name in ("mean", "min", "max", "p50", "p75", "p90", "p95", "p99")},
}
_FAMILIES = {
    "e2e": "request_latency",
    "ttft": "time_to_first_token",
    "tpot": "time_per_output_token",
    "itl": "inter_token_latency",
}
_MILLISECONDS = {"ms": 1.0, "ms/token": 1.0, "s": 1000.0, "s/token": 1000.0, "us": 0.001}
_RATES = {
    "request_throughput": ("requests_per_sec", "request_rate"),
    "input_throughput": ("input_tokens_per_sec", "input_token_rate"),
    "output_throughput": ("output_tokens_per_sec", "output_token_rate"),
    "total_throughput": ("total_tokens_per_sec", "total_token_rate"),
}
_LOAD = {"request_rate": "rate_qps", "max_concurrency": "concurrency", "dataset": "source"}


def claims(shape: Shape) -> bool:
    """A version, a scenario, and figures in one of the two places."""
    new = bool({"request_performance", "component_health"} & shape.below("results"))
    old = {"requests", "latency", "throughput"} <= shape.below("metrics")
    return not shape.listed and shape.has("version", "scenario") and (new or old)


def drafts(value: Any) -> Iterator[Draft]:
    """The one run of the report."""
    if not isinstance(value, dict):
        return
    here: tuple[Key, ...] = _AGGREGATE if isinstance(at(value, *_AGGREGATE), dict) else ("metrics",)
    run = Draft("llm-d-benchmark", value, tool_version=_version(value))
    run.model = _model(value)
    run.take("requests", *here, "requests", "total")
    run.take("failed", *here, "requests", "failures")
    run.take("mean_input_length", *here, "requests", "input_length", "mean")
    run.take("mean_output_length", *here, "requests", "output_length", "mean")
    for statistic in ("min", "max"):
        run.take(f"output_lengths.{statistic}", *here, "requests", "output_length", statistic)
    for name, (old, new) in _RATES.items():
        run.take(name, *here, "throughput", old) or run.take(name, *here, "throughput", new, "mean")
    for family, key in _FAMILIES.items():
        scale = _MILLISECONDS.get(str(at(value, *here, "latency", key, "units")))
        if scale is not None:
            run.statistics(family, _STATISTICS, *here, "latency", key, scale=scale)
    _take_run(run, here)
    yield run


def _model(value: dict[str, Any]) -> str | None:
    """Of the scenario, since 0.2 of the first component that serves one."""
    stack = at(value, "scenario", "stack")
    named = [at(value, "scenario", "model", "name")]
    named += [at(one, "standardized", "model", "name") for one in (stack[:50] if isinstance(stack, list) else [])]
    return next((name for one in named if (name := text(one))), None)


def _version(value: dict[str, Any]) -> str | None:
    version = value.get("version")
    return f"report {version}" if isinstance(version, str | float) and len(str(version)) < 20 else None


def _take_run(run: Draft, here: tuple[Key, ...]) -> None:
    value, load = run.root, ("scenario", "load", "standardized")
    run.label = text(at(value, *load, "tool")) or text(at(value, "scenario", "load", "name"))
    run.started = moment(at(value, *here, "time", "start")) or text(at(value, "run", "time", "start"))
    run.take("duration", *here, "time", "duration") or run.take("duration", "run", "time", "duration")
    for name, key in _LOAD.items():
        run.take(name, *load, key)
    run.take("input_length", *load, "input_seq_len", "value") or run.take("input_length", *load, "input_seq_len")
    run.take("output_length", *load, "output_seq_len", "value") or run.take("output_length", *load, "output_seq_len")
    run.take("prefix_length", *load, "prefix", "prefix_len", "value")
    restarts = at(value, "results", "component_health")
    for component in restarts[:50] if isinstance(restarts, list) else [restarts]:
        total = at(component, "total_restarts")
        if isinstance(total, int) and total > 0:
            run.notes.append(f"{text(at(component, 'component_label')) or 'the service'}: {total} restarts during the run")
