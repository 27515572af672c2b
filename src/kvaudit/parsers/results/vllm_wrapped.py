"""Files that programs around vLLM's client write: the fields of its `BenchmarkMetrics` as an object, with the dataset beside it.

Room: `parsers.results`. Names of the dataclass of vLLM 0.10 and newer; percentiles are pairs. Where an accuracy was measured its
score is taken too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, at, members, number, text
from kvaudit.parsers.results.shape import Shape
from kvaudit.parsers.results.vllm_serve import FAMILIES, latency_of

_BELOW = "serving_metrics"
_QUANTITIES = {
    "completed": "completed",
    "failed": "failed",
    "input_tokens": "total_input",
    "output_tokens": "total_output",
    "request_throughput": "request_throughput",
    "output_throughput": "output_throughput",
    "total_throughput": "total_token_throughput",
    "peak_output_throughput": "max_output_tokens_per_s",
    "peak_concurrency": "max_concurrent_requests",
}
_AROUND = {
    "requests": "num_prompts",
    "max_concurrency": "max_concurrency",
    "request_rate": "request_rate",
    "dataset": "dataset",
    "temperature": "temperature",
    "seed": "seed",
    "duration": "benchmark_duration_s",
}


_SCORES = frozenset(("overall_accuracy", "accuracy", "score", "acc", "exact_match"))


def claims(shape: Shape) -> bool:
    """The object with its totals."""
    return not shape.listed and {"completed", "total_output", "request_throughput"} <= shape.below(_BELOW)


def drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if not isinstance(value, dict):
        return
    run = Draft("vllm-bench-serve", value, model=text(value.get("model")), label=text(value.get("label")))
    for name, key in _QUANTITIES.items():
        run.take(name, _BELOW, key)
    for name, key in _AROUND.items():
        run.take(name, key)
    run.take("mean_input_length", "isl_stats", "avg")
    run.take("mean_output_length", "osl_stats", "avg")
    for key in members(at(value, _BELOW)):
        if quantity := latency_of(key):
            run.take(quantity, _BELOW, key)
    for short, family in FAMILIES.items():
        _take_percentiles(run, family, f"percentiles_{short}_ms")
    _take_score(run)
    yield run


def _take_percentiles(run: Draft, family: str, key: str) -> None:
    pairs = at(run.root, _BELOW, key)
    for index, pair in enumerate(pairs if isinstance(pairs, list) else []):
        share = number(at(pair, 0))
        if share is not None:
            run.take(f"{family}.p{share:g}", _BELOW, key, index, 1)


def _take_score(run: Draft) -> None:
    """Harnesses name the metric as they like; only a figure that is called accuracy or score is one."""
    metrics = at(run.root, "evaluation_metrics")
    for key in members(metrics):
        if key in _SCORES:
            run.take("score", "evaluation_metrics", key)
    if "score" in run.values:
        any(run.take("score_items", "evaluation_metrics", key) for key in ("overall_total", "total"))
