"""aiperf and genai-perf: `profile_export_*.json`, every metric an object with its unit, and the CSV twin's tables.

Room: `parsers.results`. Both call the time per output token after the first `inter_token_latency`
((latency − time to first token) ÷ (output length − 1)); the gap between two events is aiperf's `inter_chunk_latency`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at, text
from kvaudit.parsers.results.shape import Shape

_STATISTICS: dict[str, Key] = {
    "mean": "avg",
    "median": "p50",
    **{name: name for name in ("std", "min", "max", "p50", "p75", "p90", "p95", "p99")},
}
LATENCIES = {
    "time_to_first_token": "ttft",
    "inter_token_latency": "tpot",
    "inter_chunk_latency": "itl",
    "request_latency": "e2e",
}
_MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3}
FIGURES = {
    "request_throughput": "request_throughput",
    "output_token_throughput": "output_throughput",
    "total_token_throughput": "total_throughput",
    "request_count": "completed",
    "error_request_count": "failed",
    "total_isl": "input_tokens",
    "total_osl": "output_tokens",
    "input_sequence_length": "mean_input_length",
    "output_sequence_length": "mean_output_length",
    "effective_concurrency": "concurrency",
    "goodput": "goodput",
}
_SETTINGS: dict[str, tuple[tuple[Key, ...], ...]] = {
    "endpoint": (("endpoint", "type"), ("endpoint_type",)),
    "streaming": (("endpoint", "streaming"), ("streaming",)),
    "max_concurrency": (("loadgen", "concurrency"), ("perf_analyzer", "stimulus", "concurrency"), ("concurrency",)),
    "request_rate": (("loadgen", "request_rate"), ("perf_analyzer", "stimulus", "request_rate"), ("request_rate",)),
    "requests": (("loadgen", "request_count"), ("request_count",)),
    "warmups": (("loadgen", "warmup_request_count"), ("warmup_request_count",)),
    "seed": (("input", "random_seed"), ("random_seed",)),
    "input_length": (
        ("input", "prompt", "input_tokens", "mean"),
        ("input", "synthetic_tokens", "mean"),
        ("synthetic_input_tokens_mean",),
    ),
    "output_length": (("input", "prompt", "output_tokens", "mean"), ("input", "output_tokens", "mean"), ("output_tokens_mean",)),
    "prefix_length": (("input", "prompt", "prefix_prompt", "length"), ("input", "prefix_prompt", "length")),
    "dataset": (("input", "custom_dataset_type"), ("input", "public_dataset")),
}
_EXTRA = {"ignore_eos": "ignore_eos", "temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens", "n": "choices"}


def claims(shape: Shape) -> bool:
    """Metrics that are objects with a unit."""
    return not shape.listed and "unit" in shape.below("request_throughput") and "unit" in shape.below("request_latency")


def drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if not isinstance(value, dict):
        return
    run = Draft(_tool(value), value)
    run.model = text(at(value, "input_config", "endpoint", "model_names", 0)) or text(at(value, "input_config", "model_names", 0))
    run.started, run.tool_version = text(value.get("start_time")), text(value.get("aiperf_version"))
    take_metrics(run)
    for name, places in _SETTINGS.items():
        any(run.take(name, "input_config", *place) for place in places)
    _take_extra(run)
    if value.get("was_cancelled") is True:
        run.notes.append("the run was cancelled before its end")
    yield run


def take_metrics(run: Draft) -> None:
    """Every metric of the root object by its name, scaled by its unit."""
    for key, name in FIGURES.items():
        run.take(name, key, "avg")
    for key, family in LATENCIES.items():
        scale = _MILLISECONDS.get(str(at(run.root, key, "unit")).lower())
        if scale is not None:
            run.statistics(family, _STATISTICS, key, scale=scale)
    scale = _MILLISECONDS.get(str(at(run.root, "benchmark_duration", "unit")).lower())
    if scale is not None:
        run.take("duration", "benchmark_duration", "avg", scale=scale / 1000.0)
    for statistic in ("min", "max"):
        run.take(f"output_lengths.{statistic}", "output_sequence_length", statistic)


def _tool(value: dict[str, Any]) -> str:
    command = at(value, "input_config", "cli_command")
    own = any(key in value for key in ("inter_chunk_latency", "was_cancelled", "benchmark_duration", "aiperf_version"))
    return "aiperf" if own or (isinstance(command, str) and command.startswith("aiperf")) else "genai-perf"


def _take_extra(run: Draft) -> None:
    """Inputs that go to the server as they are: pairs in aiperf, an object in genai-perf."""
    extra = at(run.root, "input_config", "input", "extra")
    if isinstance(extra, dict):
        for key, name in _EXTRA.items():
            run.take(name, "input_config", "input", "extra", key, written=True)
    for index, pair in enumerate(extra[:50] if isinstance(extra, list) else []):
        name = _EXTRA.get(str(at(pair, 0)), "")
        if name:
            run.take(name, "input_config", "input", "extra", index, 1, written=True)
