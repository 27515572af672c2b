"""The twin that vLLM writes with `SAVE_TO_PYTORCH_BENCHMARK_FORMAT`: one record per metric, each with the client's arguments.

Room: `parsers.results`. Records `{benchmark: {name, extra_info: {args}}, model, metric: {name, benchmark_values, extra_info}}`
(`convert_to_pytorch_benchmark_format`, vLLM 0.8 to 0.33). It is the only file that says dataset, seed and lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.client_arguments import take_arguments
from kvaudit.parsers.results.figures import Draft, at, text
from kvaudit.parsers.results.shape import Shape
from kvaudit.parsers.results.vllm_offline import take_latency, take_throughput
from kvaudit.parsers.results.vllm_serve import TOOL, latency_of, started, take_figures

_MOST_RECORDS = 200


def claims(shape: Shape) -> bool:
    """A list of records of that form."""
    return shape.listed and "extra_info" in shape.below("benchmark") and "benchmark_values" in shape.below("metric")


def drafts(value: Any) -> Iterator[Draft]:
    """One run out of all records of the file."""
    records = value if isinstance(value, list) else []
    arguments = at(records, 0, "benchmark", "extra_info", "args")
    extra = at(records, 0, "metric", "extra_info")
    if not isinstance(arguments, dict) or not isinstance(extra, dict):
        return
    run = Draft(_tool(extra), value)
    run.model = text(extra.get("model_id")) or text(arguments.get("model")) or text(at(records, 0, "model", "name"))
    run.started = started(extra.get("date"))
    below = (0, "metric", "extra_info")
    if run.tool == TOOL:
        take_figures(run, *below)
        for index, record in enumerate(records[:_MOST_RECORDS]):
            name = latency_of(at(record, "metric", "name"))
            if name is not None:
                run.take(name, index, "metric", "benchmark_values", 0)
    elif run.tool == "vllm-bench-throughput":
        take_throughput(run, *below)
    else:
        take_latency(run, *below)
    take_arguments(run, 0, "benchmark", "extra_info", "args")
    yield run


def _tool(extra: dict[str, Any]) -> str:
    if "elapsed_time" in extra:
        return "vllm-bench-throughput"
    return "vllm-bench-latency" if "avg_latency" in extra else TOOL
