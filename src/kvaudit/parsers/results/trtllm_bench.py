"""trtllm-bench `--report_json`: the run and what the engine settled on, with its KV element type, in one file.

Room: `parsers.results`. Keys of TensorRT-LLM 0.17 to 1.3. Latencies of the stream only with `--streaming`. What
`--kv_cache_percentage` means changed (0 to 1, 0 to 100), so it is no fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at, number, text
from kvaudit.parsers.results.shape import Shape
from kvaudit.parsers.tensorrt_llm.converters import reported_kv, weight_algorithm

_FIGURES: dict[str, tuple[Key, ...]] = {
    "requests": ("dataset", "num_requests"),
    "completed": ("request_info", "num_requests"),
    "concurrency": ("request_info", "avg_num_concurrent_requests"),
    "mean_input_length": ("request_info", "avg_input_length"),
    "mean_output_length": ("request_info", "avg_output_length"),
    "request_throughput": ("performance", "request_throughput_req_s"),
    "output_throughput": ("performance", "system_output_throughput_tok_s"),
    "total_throughput": ("performance", "system_total_throughput_tok_s"),
    "output_throughput_per_gpu": ("performance", "output_throughput_per_gpu_tok_s"),
    "output_speed": ("streaming_metrics", "token_output_speed_tok_s"),
    "gpus": ("world_info", "world_size"),
    "dataset": ("dataset", "dataset_path"),
    "output_lengths.min": ("dataset", "osl_stats", "minimum"),
    "output_lengths.max": ("dataset", "osl_stats", "maximum"),
    "accept_length": ("decoding_stats", "acceptance_length_percentiles", "average"),
    "e2e.mean": ("performance", "avg_request_latency_ms"),
    "ttft.mean": ("streaming_metrics", "avg_ttft_ms"),
    "tpot.mean": ("streaming_metrics", "avg_tpot_ms"),
}
_STATISTICS: dict[str, Key] = {
    "mean": "average",
    "min": "minimum",
    "max": "maximum",
    "p50": "p50",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
}
_FAMILIES: dict[str, tuple[Key, ...]] = {
    "e2e": ("performance", "request_latency_percentiles_ms"),
    "ttft": ("streaming_metrics", "ttft_percentiles"),
    "tpot": ("streaming_metrics", "tpot_percentiles"),
}
_CORES = {"pytorch": "pytorch", "trt": "tensorrt", "tensorrt": "tensorrt"}
_DTYPES = frozenset({"bfloat16", "float16", "float32"})


def claims(shape: Shape) -> bool:
    """The engine, the world and the performance."""
    return not shape.listed and shape.has("engine", "world_info", "performance") and "kv_cache_dtype" in shape.below("engine")


def drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if not isinstance(value, dict):
        return
    run = Draft("trtllm-bench", value, tool_version=text(at(value, "engine", "version")))
    run.model = text(at(value, "engine", "model"))
    for name, keys in _FIGURES.items():
        run.take(name, *keys)
    run.take("duration", "performance", "total_latency_ms", scale=0.001)
    for family, keys in _FAMILIES.items():
        run.statistics(family, _STATISTICS, *keys)
    _take_engine(run)
    yield run


def _take_engine(run: Draft) -> None:
    """The engine runs in the client's process: what the file says of it is what it settled on."""
    root = run.root
    run.says("engine.name", "tensorrt_llm", "resolved", "engine")
    run.says("engine.version", text(at(root, "engine", "version")), "resolved", "engine", "version")
    core = _CORES.get(str(at(root, "engine", "backend")).lower())
    run.says("engine.core", core, "resolved", "engine", "backend")
    run.says("model.path", run.model, "requested", "engine", "model")
    dtype = str(at(root, "engine", "dtype")).lower()
    run.says("model.dtype", dtype if dtype in _DTYPES else None, "resolved", "engine", "dtype")
    run.says(
        "clue.kv_dtype_worker", reported_kv(str(at(root, "engine", "kv_cache_dtype"))), "resolved", "engine", "kv_cache_dtype"
    )
    weights = weight_algorithm(str(at(root, "engine", "quantization")))
    run.says("model.weight_format", weights, "resolved", "engine", "quantization")
    sizes = {"parallel.tensor": "tp_size", "parallel.pipeline": "pp_size", "parallel.gpus": "world_size"}
    limits = {"scheduler.max_num_seqs": "max_batch_size", "scheduler.max_num_batched_tokens": "max_num_tokens"}
    for field, key in {**sizes, **limits}.items():
        figure = number(at(root, "world_info", key))
        run.says(field, figure if isinstance(figure, int) and figure > 0 else None, "resolved", "world_info", key)
