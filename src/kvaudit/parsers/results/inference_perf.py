"""kubernetes-sigs/inference-perf: `*_lifecycle_metrics.json` of the client, `*_prometheus_metrics.json` of the server.

Room: `parsers.results`. Times are in seconds. The client counts tokens again piece by piece, which counts more than there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at
from kvaudit.parsers.results.shape import Shape

_FAMILIES = {
    "e2e": "request_latency",
    "ttft": "time_to_first_token",
    "tpot": "time_per_output_token",
    "itl": "inter_token_latency",
}
_STATISTICS: dict[str, Key] = {
    name: name for name in ("mean", "median", "min", "max", "p50", "p75", "p90", "p95", "p99", "p99.9")
}
_FIGURES: dict[str, tuple[Key, ...]] = {
    "requests": ("load_summary", "count"),
    "request_rate": ("load_summary", "requested_rate"),
    "max_concurrency": ("load_summary", "concurrency"),
    "completed": ("successes", "count"),
    "failed": ("failures", "count"),
    "request_throughput": ("successes", "throughput", "requests_per_sec"),
    "input_throughput": ("successes", "throughput", "input_tokens_per_sec"),
    "output_throughput": ("successes", "throughput", "output_tokens_per_sec"),
    "total_throughput": ("successes", "throughput", "total_tokens_per_sec"),
    "mean_input_length": ("successes", "prompt_len", "mean"),
    "output_lengths.min": ("successes", "output_len", "min"),
    "output_lengths.max": ("successes", "output_len", "max"),
}
_OF_SERVER: dict[str, tuple[Key, ...]] = {
    "completed": ("successes", "count"),
    "request_throughput": ("successes", "rate"),
    "mean_input_length": ("successes", "prompt_len", "mean"),
    "input_throughput": ("successes", "prompt_len", "rate"),
    "mean_output_length": ("successes", "output_len", "mean"),
    "output_throughput": ("successes", "output_len", "rate"),
}


def claims(shape: Shape) -> bool:
    """Load, successes and failures, with the client's latencies."""
    return not shape.listed and shape.has("load_summary", "successes", "failures") and "latency" in shape.below("successes")


def drafts(value: Any) -> Iterator[Draft]:
    """The one stage, or the summary of all stages."""
    if not isinstance(value, dict):
        return
    run = Draft("inference-perf", value)
    for name, keys in _FIGURES.items():
        run.take(name, *keys)
    run.take("mean_output_length", "successes", "output_len", "mean", counted="retokenized")
    for family, key in _FAMILIES.items():
        run.statistics(family, _STATISTICS, "successes", "latency", key, scale=1000.0)
    yield run


def server_claims(shape: Shape) -> bool:
    """The same three keys without the client's latencies."""
    return (
        not shape.listed
        and shape.has("load_summary", "successes", "failures")
        and {"count", "rate", "prompt_len"} <= shape.below("successes")
    )


def server_drafts(value: Any) -> Iterator[Draft]:
    """What the server's own metrics say of the same stage."""
    if not isinstance(value, dict):
        return
    run = Draft("inference-perf-prometheus", value)
    for name, keys in _OF_SERVER.items():
        run.take(name, *keys)
    for family in ("e2e", "ttft", "tpot"):
        run.statistics(family, _STATISTICS, "successes", _FAMILIES[family], scale=1000.0)
    if isinstance(at(value, "successes", "prefix_cache_hit_percent"), dict):
        run.take("prefix_hit_rate", "successes", "prefix_cache_hit_percent", "mean", scale=0.01)
    yield run
