"""One small document of every JSON format of result files; every value is invented and the arithmetic of each holds."""

from __future__ import annotations

import json
from typing import Any

MODEL = "acme/atlas-8b"


def vllm_serve() -> dict[str, Any]:
    """40 requests in 20 s, 1,000 tokens in and 100 out each: 2 requests, 200 and 2,200 tokens per second."""
    return {
        "date": "20270312-101530",
        "endpoint_type": "openai",
        "backend": "openai",
        "label": None,
        "model_id": MODEL,
        "tokenizer_id": MODEL,
        "num_prompts": 40,
        "request_rate": "inf",
        "burstiness": 1.0,
        "max_concurrency": 8,
        "duration": 20.0,
        "completed": 40,
        "failed": 0,
        "total_input_tokens": 40_000,
        "total_output_tokens": 4_000,
        "request_throughput": 2.0,
        "request_goodput": None,
        "output_throughput": 200.0,
        "total_token_throughput": 2_200.0,
        "max_output_tokens_per_s": 240.0,
        "max_concurrent_requests": 12,
        "rtfx": 0.0,
        "mean_ttft_ms": 80.25,
        "median_ttft_ms": 79.5,
        "std_ttft_ms": 4.0,
        "p99_ttft_ms": 95.75,
        "mean_tpot_ms": 39.1,
        "p99.9_tpot_ms": 41.0,
        "mean_itl_ms": 39.1,
        "p99_itl_ms": 55.5,
        "mean_e2el_ms": 3_951.15,
        "p99_e2el_ms": 4_100.0,
    }


def sglang_serving() -> dict[str, Any]:
    """50 requests in 10 s of 512 and 64 tokens: 5 requests, 2,560 and 320 tokens per second."""
    return {
        "tag": "fp8",
        "backend": "sglang",
        "dataset_name": "random",
        "request_rate": float("inf"),
        "max_concurrency": 16,
        "sharegpt_output_len": None,
        "random_input_len": 512,
        "random_output_len": 64,
        "random_range_ratio": 1.0,
        "server_info": {
            "model_path": MODEL,
            "version": "0.5.12",
            "kv_cache_dtype": "auto",
            "disable_radix_cache": False,
            "page_size": 64,
            "tp_size": 2,
            "stream_interval": 4,
            "random_seed": 77,
            "max_total_num_tokens": 131_072,
            "internal_states": [{"memory_usage": {"weight": 15.5, "kvcache": 16.0, "graph": 0.5, "token_capacity": 131_072}}],
        },
        "duration": 10.0,
        "completed": 50,
        "total_input_tokens": 25_600,
        "total_output_tokens": 3_200,
        "total_output_tokens_retokenized": 3_190,
        "request_throughput": 5.0,
        "input_throughput": 2_560.0,
        "output_throughput": 320.0,
        "total_throughput": 2_880.0,
        "mean_e2e_latency_ms": 1_600.0,
        "p90_e2e_latency_ms": 1_700.5,
        "mean_ttft_ms": 40.0,
        "p99_ttft_ms": 60.5,
        "mean_tpot_ms": 24.75,
        "mean_itl_ms": 24.75,
        "p95_itl_ms": 30.25,
        "concurrency": 8.0,
        "accept_length": None,
    }


def vllm_throughput() -> dict[str, Any]:
    """100 requests and 64,000 tokens in 16 s."""
    return {
        "elapsed_time": 16.0,
        "num_requests": 100,
        "total_num_tokens": 64_000,
        "requests_per_second": 6.25,
        "tokens_per_second": 4_000.0,
    }


def vllm_latency() -> dict[str, Any]:
    """Three batches of 1.0, 1.1 and 1.2 s."""
    return {"avg_latency": 1.1, "latencies": [1.0, 1.1, 1.2], "percentiles": {"10": 1.02, "50": 1.1, "90": 1.18, "99": 1.198}}


def vllm_twin() -> list[dict[str, Any]]:
    """The records of the run of `vllm_serve`."""
    kept = {key: value for key, value in vllm_serve().items() if not key.endswith("_ms")}
    arguments = {
        "dataset_name": "random",
        "random_input_len": 1_000,
        "random_output_len": 100,
        "random_prefix_len": 0,
        "sharegpt_output_len": 7,
        "seed": 5,
        "ignore_eos": False,
        "num_prompts": 40,
        "num_warmups": 2,
        "temperature": 0.0,
        "request_rate": float("inf"),
        "backend": "openai",
    }
    benchmark = {"name": "vLLM benchmark", "extra_info": {"args": arguments}}
    return [
        {
            "benchmark": benchmark,
            "model": {"name": MODEL},
            "metric": {"name": name, "benchmark_values": [vllm_serve()[name]], "extra_info": kept},
        }
        for name in vllm_serve()
        if name.endswith("_ms")
    ]


def vllm_wrapped() -> dict[str, Any]:
    """The figures of `vllm_serve` as a harness stores them."""
    return {
        "model": MODEL,
        "dataset": "quiz",
        "num_prompts": 40,
        "isl_stats": {"avg": 1_000.0},
        "osl_stats": {"avg": 100.0},
        "max_concurrency": 8,
        "temperature": 0.6,
        "benchmark_duration_s": 20.0,
        "serving_metrics": {
            "completed": 40,
            "failed": 0,
            "total_input": 40_000,
            "total_output": 4_000,
            "request_throughput": 2.0,
            "output_throughput": 200.0,
            "total_token_throughput": 2_200.0,
            "mean_ttft_ms": 80.25,
            "percentiles_ttft_ms": [[50.0, 79.5], [99.0, 95.75]],
        },
        "evaluation_metrics": {"overall_correct": 30, "overall_total": 40, "overall_accuracy": 0.75},
    }


def _distribution(mean: float, count: int = 10) -> dict[str, Any]:
    shares = dict.fromkeys(("p001", "p50", "p90", "p99", "p999"), mean)
    held = {"mean": mean, "median": mean, "std_dev": 0.0, "min": mean, "max": mean, "count": count, "percentiles": shares}
    return {"successful": held | {"total_sum": mean * count}, "errored": {"mean": 0.0, "total_sum": 0.0}}


def guidellm() -> dict[str, Any]:
    """10 requests of 32 tokens in and 8 out in 5 s at an offered rate of 2, and 8 streams."""
    metrics = {
        "request_totals": {"successful": 10, "errored": 1, "incomplete": 0, "total": 11},
        "requests_per_second": _distribution(2.0),
        "request_concurrency": _distribution(0.5),
        "request_latency": _distribution(0.25),
        "request_streaming_iterations_count": _distribution(8.0),
        "prompt_token_count": _distribution(32.0),
        "output_token_count": _distribution(8.0),
        "time_to_first_token_ms": _distribution(45.0),
        "inter_token_latency_ms": _distribution(29.25),
        "time_per_output_token_ms": _distribution(31.25),
        "output_tokens_per_second": _distribution(16.0),
        "output_tokens_per_iteration": _distribution(1.0),
    }
    strategies = ({"type_": "constant", "rate": 2.0}, {"type_": "concurrent", "streams": 8})
    spec = {
        "backend": {"model": MODEL, "request_format": "/v1/chat/completions", "stream": True},
        "data": [{"kind": "synthetic_text", "prompt_tokens": 32, "output_tokens": 8, "prefix_buckets": [{"prefix_tokens": 16}]}],
        "seed": {"kind": "static", "value": 42},
        "constraints": [{"kind": "max_seconds", "seconds": 9}, {"kind": "max_requests", "count": 11}],
    }
    benchmarks = [
        {
            "type_": "generative_benchmark",
            "config": {"strategy": strategy},
            "metrics": metrics,
            "start_time": 1_800_000_000.0 + 60 * index,
            "duration": 5.0,
        }
        for index, strategy in enumerate(strategies)
    ]
    return {"metadata": {"version": 2, "guidellm_version": "0.8.0"}, "config": {"spec": spec}, "benchmarks": benchmarks}


def aiperf() -> dict[str, Any]:
    """64 requests of 100 and 200 tokens in 32 s."""

    def metric(value: float, unit: str = "ms") -> dict[str, Any]:
        return {"unit": unit, "avg": value, "p50": value, "p99": value, "min": value, "max": value, "std": 0.0}

    return {
        "request_throughput": {"unit": "requests/sec", "avg": 2.0},
        "request_latency": metric(4_000.0),
        "request_count": {"unit": "requests", "avg": 64.0},
        "time_to_first_token": metric(20_000.0, "us"),
        "inter_token_latency": metric(20.0),
        "inter_chunk_latency": metric(40.0),
        "output_token_throughput": {"unit": "tokens/sec", "avg": 400.0},
        "output_sequence_length": metric(200.0, "tokens"),
        "input_sequence_length": metric(100.0, "tokens"),
        "goodput": None,
        "total_isl": {"unit": "tokens", "avg": 6_400.0},
        "total_osl": {"unit": "tokens", "avg": 12_800.0},
        "benchmark_duration": {"unit": "sec", "avg": 32.0},
        "error_request_count": None,
        "input_config": {
            "endpoint": {"model_names": [MODEL], "type": "chat", "streaming": True},
            "input": {
                "extra": [["ignore_eos", True], ["temperature", 0]],
                "random_seed": 11,
                "prompt": {"input_tokens": {"mean": 100}, "output_tokens": {"mean": 200}},
            },
            "loadgen": {"concurrency": 8, "request_count": 64, "warmup_request_count": 4},
        },
        "was_cancelled": False,
        "start_time": "2027-03-12T10:15:30",
    }


def llmperf_summary() -> dict[str, Any]:
    """30 of 30 requests, 120 a minute, 150 tokens each."""
    return {
        "version": "2023-08-31",
        "name": "atlas_550_150_summary",
        "model": MODEL,
        "mean_input_tokens": 550,
        "mean_output_tokens": 150,
        "num_concurrent_requests": 5,
        "results_ttft_s_quantiles_p50": 0.2,
        "results_ttft_s_mean": 0.21,
        "results_end_to_end_latency_s_quantiles_p99": 2.5,
        "results_end_to_end_latency_s_mean": 2.25,
        "results_number_output_tokens_mean": 150.0,
        "results_number_output_tokens_min": "149",
        "results_number_output_tokens_max": "151",
        "results_num_requests_started": 30,
        "results_number_errors": 0,
        "results_num_completed_requests": 30,
        "results_num_completed_requests_per_min": 120.0,
        "results_mean_output_throughput_token_per_s": 300.0,
    }


def llmperf_individual() -> list[dict[str, Any]]:
    """Two answers of 150 tokens, 75 a second, and a failure."""
    good = {
        "error_code": None,
        "error_msg": "",
        "inter_token_latency_s": 0.0133,
        "ttft_s": 0.25,
        "end_to_end_latency_s": 2.0,
        "request_output_throughput_token_per_s": 75.0,
        "number_total_tokens": 700,
        "number_output_tokens": 150,
        "number_input_tokens": 550,
    }
    return [good, good, {**good, "error_code": 429, "number_output_tokens": 0}]


def inference_perf() -> dict[str, Any]:
    """A stage of 20 requests, 2 a second of the 4 that were offered."""

    def seconds(value: float) -> dict[str, float]:
        return {"mean": value, "min": value, "median": value, "p99": value, "p99.9": value, "max": value}

    latency = {
        "request_latency": seconds(1.5),
        "time_per_output_token": seconds(0.01),
        "time_to_first_token": seconds(0.5),
        "inter_token_latency": seconds(0.005),
    }
    throughput = {
        "input_tokens_per_sec": 400.0,
        "output_tokens_per_sec": 200.0,
        "total_tokens_per_sec": 600.0,
        "requests_per_sec": 2.0,
    }
    lengths = {"prompt_len": seconds(200.0), "output_len": seconds(100.0)}
    return {
        "load_summary": {"count": 20, "requested_rate": 4.0, "achieved_rate": 2.0},
        "successes": {"count": 20, "latency": latency, "throughput": throughput, **lengths},
        "failures": {"count": 0, "request_latency": None},
    }


def inference_perf_server() -> dict[str, Any]:
    """The same stage from the server's metrics, a quarter of its prompts cached."""
    return {
        "load_summary": {},
        "successes": {
            "count": 20,
            "rate": 2.0,
            "prompt_len": {"mean": 200, "rate": 400.0},
            "output_len": {"mean": 100, "rate": 200.0},
            "request_latency": {"mean": 1.5, "p99": 1.75},
            "prefix_cache_hit_percent": {"mean": 25.0},
        },
        "failures": {},
    }


def inferencemax() -> dict[str, Any]:
    """1,200 tokens per second and GPU, 200 of them output."""
    return {
        "hw": "gpu-x",
        "conc": 16,
        "model": MODEL,
        "infmax_model_prefix": "atlas",
        "framework": "vllm",
        "precision": "fp8",
        "isl": 1_024,
        "osl": 256,
        "tp": 4,
        "tput_per_gpu": 1_200.0,
        "output_tput_per_gpu": 200.0,
        "input_tput_per_gpu": 1_000.0,
        "mean_ttft": 0.125,
        "p99.9_itl": 0.5,
        "mean_intvty": 40.0,
    }


def trtllm_bench() -> dict[str, Any]:
    """200 requests of 128 and 64 tokens in 10 s on two GPUs."""
    return {
        "engine": {
            "model": MODEL,
            "model_path": "None",
            "version": "1.2.0",
            "backend": "Pytorch",
            "dtype": "bfloat16",
            "kv_cache_dtype": "FP8",
            "quantization": None,
        },
        "world_info": {"tp_size": 2, "pp_size": 1, "world_size": 2, "max_batch_size": 64, "max_num_tokens": 8_192},
        "request_info": {
            "num_requests": 200,
            "avg_num_concurrent_requests": 30.0,
            "avg_input_length": 128.0,
            "avg_output_length": 64.0,
        },
        "performance": {
            "total_latency_ms": 10_000.0,
            "avg_request_latency_ms": 1_500.0,
            "request_throughput_req_s": 20.0,
            "system_output_throughput_tok_s": 1_280.0,
            "system_total_throughput_tok_s": 3_840.0,
            "output_throughput_per_gpu_tok_s": 640.0,
            "request_latency_percentiles_ms": {"p50": 1_490.0, "minimum": 1_400.0, "maximum": 1_600.0, "average": 1_500.0},
        },
        "streaming_metrics": {"token_output_speed_tok_s": 45.5, "avg_ttft_ms": 90.5, "avg_tpot_ms": 22.25},
        "dataset": {"num_requests": 200, "dataset_path": "/data/load.jsonl", "osl_stats": {"minimum": 64.0, "maximum": 64.0}},
    }


def llmd() -> dict[str, Any]:
    """A report of 0.2: 100 requests, 3 lost."""
    aggregate = {
        "requests": {"total": 100, "failures": 3, "input_length": {"mean": 512.0}, "output_length": {"mean": 64.0, "min": 64.0}},
        "latency": {
            "time_to_first_token": {"mean": 0.25, "p99p9": 0.5, "units": "s"},
            "request_latency": {"mean": 900.0, "units": "ms"},
            "inter_token_latency": {"mean": 1.0, "units": "parsecs"},
        },
        "throughput": {"request_rate": {"mean": 4.0}, "output_token_rate": {"mean": 256.0}},
    }
    return {
        "version": "0.2.1",
        "run": {"uid": "a1", "time": {"start": "2027-03-12T10:15:30Z"}},
        "scenario": {
            "stack": [{"standardized": {"kind": "router"}}, {"standardized": {"model": {"name": MODEL}}}],
            "load": {"standardized": {"tool": "guidellm", "rate_qps": 4, "input_seq_len": {"value": 512}, "source": "random"}},
        },
        "results": {
            "request_performance": {"aggregate": aggregate},
            "component_health": [{"component_label": "decode-0", "total_restarts": 2}],
        },
    }


def llama_bench() -> list[dict[str, Any]]:
    """Prompt processing of 512 tokens at 2,560 a second, generation of 128 at 64 a second."""
    common = {
        "build_commit": "0a1b2c3",
        "build_number": 6123,
        "model_filename": "atlas-8b.gguf",
        "type_k": "q8_0",
        "type_v": "q8_0",
        "n_depth": 0,
        "test_time": "2027-03-12T10:15:30Z",
    }
    return [
        {
            **common,
            "n_prompt": 512,
            "n_gen": 0,
            "avg_ts": 2_560.0,
            "samples_ts": [2_560.0, 2_560.0],
            "samples_ns": [200_000_000, 200_000_000],
        },
        {**common, "n_prompt": 0, "n_gen": 128, "avg_ts": 64.0, "samples_ts": [64.0], "samples_ns": [2_000_000_000]},
    ]


def llama_benchy() -> dict[str, Any]:
    """One entry without context, one with 4,096 tokens of it."""

    def entry(context: int) -> dict[str, Any]:
        return {
            "concurrency": 1,
            "context_size": context,
            "prompt_size": 2_048,
            "response_size": 128,
            "e2e_ttft": {"mean": 850.5, "std": 2.5, "values": [848.0, 853.0]},
            "pp_throughput": {"mean": 2_400.0},
            "tg_throughput": {"mean": 22.5},
            "peak_throughput": {"mean": 30.0},
        }

    return {"benchmarks": [entry(0), entry(4_096)], "model": MODEL, "version": "0.4.0", "timestamp": "2027-03-12 10:15:30Z"}


EVERY: dict[str, Any] = {
    "vllm-bench-serve": vllm_serve,
    "vllm-bench-sweep": lambda: [{**vllm_serve(), "run_number": 3}],
    "vllm-pytorch": vllm_twin,
    "vllm-wrapped": vllm_wrapped,
    "vllm-bench-throughput": vllm_throughput,
    "vllm-bench-latency": vllm_latency,
    "sglang-bench-serving": sglang_serving,
    "guidellm": guidellm,
    "aiperf": aiperf,
    "llmperf": llmperf_summary,
    "llmperf-individual": llmperf_individual,
    "inference-perf": inference_perf,
    "inference-perf-prometheus": inference_perf_server,
    "inferencemax": inferencemax,
    "trtllm-bench": trtllm_bench,
    "llm-d-benchmark": llmd,
    "llama-bench": llama_bench,
    "llama-bench-lines": lambda: llama_bench()[0],
    "llama-benchy": llama_benchy,
}
"""Format name to a function that makes a document."""


def written(document: Any, indent: int | None = None) -> str:
    """A document as the clients write it, infinities and all."""
    return json.dumps(document, indent=indent)
