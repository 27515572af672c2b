"""vLLM `bench throughput` and `bench latency`: the engine in the client's own process, no server and no stream.

Room: `parsers.results`. Keys of vLLM 0.6 to 0.33; `model_id` is new. The token rate counts input and output together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, text
from kvaudit.parsers.results.shape import Shape

_THROUGHPUT: dict[str, str] = {
    "requests": "num_requests",
    "completed": "num_requests",
    "duration": "elapsed_time",
    "total_tokens": "total_num_tokens",
    "request_throughput": "requests_per_second",
    "total_throughput": "tokens_per_second",
}
_PERCENTILES: dict[str, Key] = {"p50": "50", "p75": "75", "p90": "90", "p95": "95", "p99": "99"}


def throughput_claims(shape: Shape) -> bool:
    """The five keys of `bench throughput`."""
    return not shape.listed and shape.has("elapsed_time", "num_requests", "total_num_tokens", "tokens_per_second")


def throughput_drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if isinstance(value, dict):
        run = Draft("vllm-bench-throughput", value, model=text(value.get("model_id")))
        take_throughput(run)
        yield run


def take_throughput(run: Draft, *below: Key) -> None:
    """The figures of `bench throughput`, in the object below some keys."""
    for name, key in _THROUGHPUT.items():
        run.take(name, *below, key)


def latency_claims(shape: Shape) -> bool:
    """The three keys of `bench latency`."""
    return not shape.listed and shape.has("avg_latency", "latencies", "percentiles")


def latency_drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object: latencies of whole batches, in seconds."""
    if isinstance(value, dict):
        run = Draft("vllm-bench-latency", value, model=text(value.get("model_id")))
        take_latency(run)
        yield run


def take_latency(run: Draft, *below: Key) -> None:
    """The figures of `bench latency`, in the object below some keys."""
    run.take("e2e.mean", *below, "avg_latency", scale=1000.0)
    run.statistics("e2e", _PERCENTILES, *below, "percentiles", scale=1000.0)
