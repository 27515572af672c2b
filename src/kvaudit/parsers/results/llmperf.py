"""llmperf (archived in December 2024): a flat summary, and the individual responses as a list.

Room: `parsers.results`. Tokens are counted again with one tokenizer for every model; in early files the throughput of a request
was still that of the stream's pieces. `inter_token_latency_s` is the whole time divided by the tokens, so no quantity here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import MOST_ROWS, Draft, Key, counts, number, text
from kvaudit.parsers.results.shape import Shape

_FIGURES = {
    "requests": "results_num_requests_started",
    "completed": "results_num_completed_requests",
    "failed": "results_number_errors",
    "max_concurrency": "num_concurrent_requests",
    "input_length": "mean_input_tokens",
    "output_length": "mean_output_tokens",
    "output_throughput": "results_mean_output_throughput_token_per_s",
    "mean_input_length": "results_number_input_tokens_mean",
}
_STATISTICS = {"mean": "mean", "std": "stddev", "min": "min", "max": "max"} | {
    share: f"quantiles_{share}" for share in ("p50", "p75", "p90", "p95", "p99")
}
_FAMILIES = {"ttft": "results_ttft_s", "e2e": "results_end_to_end_latency_s"}
_ROW = {
    "input_tokens": ("number_input_tokens", 1.0),
    "output_tokens": ("number_output_tokens", 1.0),
    "total_tokens": ("number_total_tokens", 1.0),
    "output_throughput": ("request_output_throughput_token_per_s", 1.0),
    "ttft": ("ttft_s", 1000.0),
    "e2e": ("end_to_end_latency_s", 1000.0),
}


def summary_claims(shape: Shape) -> bool:
    """The flat keys of the summary."""
    return not shape.listed and shape.has("results_num_requests_started", "results_number_errors", "num_concurrent_requests")


def summary_drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if not isinstance(value, dict):
        return
    run = Draft("llmperf", value, label=text(value.get("name")), model=text(value.get("model")))
    for name, key in _FIGURES.items():
        run.take(name, key)
    run.take("request_throughput", "results_num_completed_requests_per_min", scale=1 / 60)
    run.take("mean_output_length", "results_number_output_tokens_mean", counted="retokenized")
    for statistic in ("min", "max"):
        run.take(f"output_lengths.{statistic}", f"results_number_output_tokens_{statistic}", written=True)
    for family, begin in _FAMILIES.items():
        names: dict[str, Key] = {name: f"{begin}_{key}" for name, key in _STATISTICS.items()}
        run.statistics(family, names, scale=1000.0)
    yield run


def individual_claims(shape: Shape) -> bool:
    """A list of responses."""
    return shape.listed and shape.has("end_to_end_latency_s", "number_output_tokens", "ttft_s")


def individual_drafts(value: Any) -> Iterator[Draft]:
    """One run that holds the responses as rows."""
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    if not rows:
        return
    run = Draft("llmperf", value)
    good = [row for row in rows if row.get("error_code") is None]
    for name, key in (("input_lengths", "number_input_tokens"), ("output_lengths", "number_output_tokens")):
        listed = counts([row.get(key) for row in good])
        if listed:
            run.hold(f"{name}.count", len(listed), 0, key)
            run.hold(f"{name}.sum", sum(listed), 0, key, counted="retokenized" if name.startswith("output") else None)
            run.hold(f"{name}.min", min(listed), 0, key)
            run.hold(f"{name}.max", max(listed), 0, key)
    run.requests = [_row(row) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        run.notes.append(f"only the first {MOST_ROWS} of {len(rows)} responses are kept")
    yield run


def _row(row: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, (key, scale) in _ROW.items():
        figure = number(row.get(key))
        if figure is not None:
            kept[name] = figure * scale if scale != 1.0 else figure
    if row.get("error_code") is not None:
        kept["error"] = str(row["error_code"])[:40]
    return kept
