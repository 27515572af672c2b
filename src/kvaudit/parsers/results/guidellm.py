"""guidellm 0.2 to 0.8: `benchmarks.json` or `.yaml` with one entry per strategy, each with every metric as a distribution.

Room: `parsers.results`. Its `inter_token_latency_ms` is the time per output token after the first, and its
`time_per_output_token_ms` holds the time to the first token too, so it is no quantity here. Tokens are those of `usage`, else
the number of stream iterations: `tokens_per_iteration` of exactly 1 shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at, moment, text
from kvaudit.parsers.results.shape import Shape

_STATISTICS: dict[str, Key] = {"mean": "mean", "median": "median", "std": "std_dev", "min": "min", "max": "max"}
_PERCENTILES: dict[str, Key] = {"p50": "p50", "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p99.9": "p999"}
_LATENCIES = {
    "ttft": ("time_to_first_token_ms", 1.0),
    "tpot": ("inter_token_latency_ms", 1.0),
    "e2e": ("request_latency", 1000.0),
}
_MEANS = {
    "request_throughput": ("requests_per_second",),
    "output_throughput": ("output_tokens_per_second",),
    "input_throughput": ("prompt_tokens_per_second",),
    "total_throughput": ("tokens_per_second",),
    "concurrency": ("request_concurrency",),
    "mean_input_length": ("prompt_token_count",),
    "mean_output_length": ("output_token_count",),
    "tokens_per_iteration": ("output_tokens_per_iteration",),
}
_SUMS = {
    "input_tokens": "prompt_token_count",
    "output_tokens": "output_token_count",
    "cached_tokens": "cached_tokens",
    "chunks.sum": "request_streaming_iterations_count",
}
_MOST = 200


def claims(shape: Shape) -> bool:
    """A list of benchmarks of guidellm's own type."""
    return not shape.listed and shape.has("benchmarks") and "generative_benchmark" in shape.head


def drafts(value: Any) -> Iterator[Draft]:
    """One run per benchmark."""
    benchmarks = at(value, "benchmarks")
    for index, one in enumerate(benchmarks[:_MOST] if isinstance(benchmarks, list) else []):
        if isinstance(at(one, "metrics"), dict):
            yield _draft(value, index)


def _draft(value: Any, index: int) -> Draft:
    here = ("benchmarks", index)
    run = Draft("guidellm", value)
    run.tool_version = text(at(value, "metadata", "guidellm_version")) or _release(value, index)
    run.started = moment(at(value, *here, "start_time"))
    _take_counts(run, *here)
    for name, (key, *_) in _MEANS.items():
        run.take(name, *here, "metrics", key, "successful", "mean")
    for name, key in _SUMS.items():
        run.take(name, *here, "metrics", key, "successful", "total_sum")
    for statistic in ("min", "max"):
        run.take(f"output_lengths.{statistic}", *here, "metrics", "output_token_count", "successful", statistic)
    for family, (key, scale) in _LATENCIES.items():
        run.statistics(family, _STATISTICS, *here, "metrics", key, "successful", scale=scale)
        run.statistics(family, _PERCENTILES, *here, "metrics", key, "successful", "percentiles", scale=scale)
    _take_strategy(run, *here)
    _take_settings(run, *here)
    return run


def _release(value: Any, index: int) -> str | None:
    """Before 0.5 no version was written: arguments of the whole run came with 0.4."""
    if isinstance(at(value, "args"), dict):
        return "0.4"
    return "0.2 to 0.3" if isinstance(at(value, "benchmarks", index, "run_stats"), dict) else None


def _take_counts(run: Draft, *here: Key) -> None:
    for totals in (("metrics", "request_totals"), ("request_totals",), ("scheduler_metrics", "requests_made")):
        run.take("completed", *here, *totals, "successful")
        run.take("failed", *here, *totals, "errored")
    run.take("duration", *here, "duration") or run.take("duration", *here, "scheduler_metrics", "measure_duration")


def _take_strategy(run: Draft, *here: Key) -> None:
    """A rate for the open strategies, streams for the closed ones, neither limit for `throughput`."""
    for place in ((*here, "config", "strategy"), (*here, "args", "strategy"), (*here, "scheduler", "strategy")):
        kind = at(run.root, *place, "type_")
        run.label = run.label or text(kind)
        if kind in ("constant", "poisson", "async"):
            run.take("request_rate", *place, "rate") or run.take("request_rate", *place, "initial_rate")
        elif kind in ("concurrent", "throughput", "synchronous"):
            run.hold("request_rate", "inf", *place, "type_")
            if kind == "synchronous":
                run.hold("max_concurrency", 1, *place, "type_")
            else:
                run.take("max_concurrency", *place, "streams") or run.take("max_concurrency", *place, "max_concurrency")


def _take_written_data(run: Draft, *place: Key) -> None:
    """Before 0.7 the data are a text: a path, a name, or the sizes of a synthetic set (`prompt_tokens=256,output_tokens=64`)."""
    written = text(at(run.root, *place))
    pairs = dict(part.split("=", 1) for part in written.split(",") if part.count("=") == 1) if written else {}
    for name, key in (("input_length", "prompt_tokens"), ("output_length", "output_tokens"), ("prefix_length", "prefix_tokens")):
        run.hold(name, pairs.get(key), *place, written=True)
    if written:
        run.hold("dataset", "synthetic" if "prompt_tokens" in pairs else written, *place)


def _take_settings(run: Draft, *here: Key) -> None:
    root = run.root
    places: tuple[tuple[Key, ...], ...] = ((*here, "config", "backend"), ("config", "spec", "backend"), ("args",))
    for place in places:
        run.model = run.model or text(at(root, *place, "model"))
        run.take("endpoint", *place, "request_format") or run.take("endpoint", *place, "request_type")
        run.take("streaming", *place, "stream")
    run.model = run.model or text(at(root, *here, "worker", "backend_model"))
    run.take("seed", "config", "spec", "seed", "value") or run.take("seed", "args", "random_seed")
    _take_written_data(run, "args", "data", 0)
    for place in (("config", "spec", "data", 0), ("args", "data", 0)):
        run.take("dataset", *place, "kind")
        run.take("input_length", *place, "prompt_tokens")
        run.take("output_length", *place, "output_tokens")
        run.take("prefix_length", *place, "prefix_buckets", 0, "prefix_tokens") or run.take(
            "prefix_length", *place, "prefix_tokens"
        )
    run.model = run.model or text(at(root, "args", "backend_kwargs", "model"))
    run.take("requests", "args", "max_requests")
    constraints = at(root, "config", "spec", "constraints")
    for number, constraint in enumerate(constraints if isinstance(constraints, list) else []):
        if at(constraint, "kind") == "max_requests":
            run.take("requests", "config", "spec", "constraints", number, "count")
