"""Metrics dumps for the tests, in the shapes that each server and exporter writes them; every value is invented."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

MODEL = "acme/atlas-8b"


def counter(name: str, value: float, *, help_: str = "A counter.", labels: str = "", created: float | None = None) -> str:
    """One counter of prometheus_client in single-process mode, with its creation stamp where one is given."""
    block = f"{{{labels}}}" if labels else ""
    text = f"# HELP {name} {help_}\n# TYPE {name} counter\n{name}{block} {value}\n"
    if created is not None:
        base = name.removesuffix("_total")
        text += f"# HELP {base}_created {help_}\n# TYPE {base}_created gauge\n{base}_created{block} {created}\n"
    return text


def vllm(
    *,
    prompt: float = 4000.0,
    queries: float = 4000.0,
    hits: float = 1000.0,
    generated: float = 640.0,
    served: float = 20.0,
    preemptions: float = 0.0,
    started: float | None = 1.7612e9,
    created: float | None = 1.7612001e9,
    cpu: float | None = None,
    family: str = "vllm:prefix_cache",
    unit: str = "tokens",
    engines: Sequence[int] = (0,),
    model: str = MODEL,
) -> str:
    """A scrape of vLLM's V1 engine; every data-parallel engine counts the same."""
    text = "# HELP python_info Python platform information.\n# TYPE python_info gauge\n"
    text += 'python_info{implementation="CPython",major="3",minor="12",patchlevel="3",version="3.12.3"} 1.0\n'
    if started is not None:
        text += "# HELP process_start_time_seconds Start.\n# TYPE process_start_time_seconds gauge\n"
        text += f"process_start_time_seconds {started}\n"
    if cpu is not None:
        text += f"# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total {cpu}\n"
    for engine in engines:
        labels = f'engine="{engine}",model_name="{model}"'
        told = f"Prefix cache queries, in terms of number of queried {unit}."
        text += counter(f"{family}_queries_total", queries, help_=told, labels=labels, created=created)
        text += counter(f"{family}_hits_total", hits, labels=labels, created=created)
        text += counter("vllm:num_preemptions_total", preemptions, labels=labels, created=created)
        text += counter("vllm:prompt_tokens_total", prompt, labels=labels, created=created)
        text += counter("vllm:generation_tokens_total", generated, labels=labels, created=created)
        for reason, value in (("stop", 0.0), ("length", served), ("abort", 1.0)):
            text += f'vllm:request_success_total{{engine="{engine}",finished_reason="{reason}",model_name="{model}"}} {value}\n'
    return text


def vllm_v0(*, rate: float, prompt: float = 4000.0) -> str:
    """A scrape of vLLM's V0 engine, whose prefix hit rate is a gauge."""
    labels = f'model_name="{MODEL}"'
    text = "# HELP vllm:gpu_prefix_cache_hit_rate GPU prefix cache block hit rate.\n# TYPE vllm:gpu_prefix_cache_hit_rate gauge\n"
    text += f"vllm:gpu_prefix_cache_hit_rate{{{labels}}} {rate}\n"
    text += counter("vllm:prompt_tokens_total", prompt, labels=labels)
    return text + counter("vllm:generation_tokens_total", 640.0, labels=labels)


def speculative(drafts: float, drafted: float, accepted: Sequence[float]) -> str:
    """The counters of a speculating vLLM server, as `grep spec_decode` leaves them."""
    labels = f'engine="0",model_name="{MODEL}"'
    text = (
        f"vllm:spec_decode_num_drafts_total{{{labels}}} {drafts}\nvllm:spec_decode_num_draft_tokens_total{{{labels}}} {drafted}\n"
    )
    text += f"vllm:spec_decode_num_accepted_tokens_total{{{labels}}} {sum(accepted)}\n"
    for position, value in enumerate(accepted):
        text += f'vllm:spec_decode_num_accepted_tokens_per_pos_total{{{labels},position="{position}"}} {value}\n'
    return text


def sglang(*, prompt: float, cached: dict[str, float] | None = None, served: float = 4.0, pid: int | None = None) -> str:
    """A scrape of SGLang: multi-process mode, so neither start time nor creation stamps."""
    labels = f'model_name="{MODEL}"'
    ranks = f'engine_type="unified",model_name="{MODEL}",pp_rank="0",tp_rank='
    text = "# HELP sglang:max_total_num_tokens Maximum tokens.\n# TYPE sglang:max_total_num_tokens gauge\n"
    text += "".join(f'sglang:max_total_num_tokens{{{ranks}"{rank}"}} 433152.0\n' for rank in (0, 1))
    text += "# HELP sglang:cache_hit_rate The cache hit rate.\n# TYPE sglang:cache_hit_rate gauge\n"
    text += f'sglang:cache_hit_rate{{{ranks}"0"}} 0.875\n'
    text += "".join(f'sglang:num_retracted_requests_total{{{ranks}"{rank}"}} 3.0\n' for rank in (0, 1))
    if pid is not None:
        text += f'sglang:num_retracted_reqs{{{ranks}"0",pid="{pid}"}} 0.0\n'
    text += counter("sglang:prompt_tokens_total", prompt, labels=labels)
    text += counter("sglang:generation_tokens_total", 512.0, labels=labels)
    for source, value in (cached or {}).items():
        text += f'sglang:cached_tokens_total{{cache_source="{source}",{labels}}} {value}\n'
    return text + counter("sglang:num_requests_total", served, labels=labels)


def llama_cpp(*, processed: int, cached: int | None, drafted: int = 0, accepted: int = 0, started: int | None = None) -> str:
    """An answer of llama-server's `/metrics`; with its HTTP head where a start is given."""
    head = ""
    if started is not None:
        head = f"HTTP/1.1 200 OK\r\nServer: llama.cpp\r\nProcess-Start-Time-Unix: {started}\r\nContent-Length: 900\r\n\r\n"
    values = {"prompt_tokens_total": processed, "prompt_tokens_cached_total": cached, "tokens_predicted_total": 48}
    values |= {"spec_decode_num_draft_tokens_total": drafted, "spec_decode_num_accepted_tokens_total": accepted}
    return head + "".join(
        f"# HELP llamacpp:{name} A number.\n# TYPE llamacpp:{name} counter\nllamacpp:{name} {value}\n"
        for name, value in values.items()
        if value is not None
    )


def tensorrt_llm(*, prompt: float, cached: float | None = None, reused: float | None = None, missed: float | None = None) -> str:
    """A scrape of TensorRT-LLM's `/prometheus/metrics`, with its arguments as labels."""
    labels = f'engine_type="trtllm",model_name="{MODEL}"'
    text = "# HELP trtllm_kv_cache_config_info KV cache configuration info\n# TYPE trtllm_kv_cache_config_info gauge\n"
    text += f'trtllm_kv_cache_config_info{{{labels},page_size="32",enable_block_reuse="True",cache_dtype="auto"}} 1.0\n'
    text += "# TYPE trtllm_parallel_config_info gauge\n"
    text += f'trtllm_parallel_config_info{{{labels},tensor_parallel_size="2",pipeline_parallel_size="1"}} 1.0\n'
    text += f"trtllm_kv_cache_max_blocks{{{labels}}} 2789.0\n"
    text += counter("trtllm_prompt_tokens_total", prompt, labels=labels)
    text += f'trtllm_request_success_total{{{labels},finished_reason="length"}} 7.0\n'
    counted = {"trtllm_prompt_cached_tokens_total": cached, "trtllm_kv_cache_reused_blocks_total": reused}
    for name, value in (counted | {"trtllm_kv_cache_missed_blocks_total": missed}).items():
        text += counter(name, value, labels=labels) if value is not None else ""
    return text


def tgi() -> str:
    """A scrape of text-generation-inference."""
    return counter("tgi_request_count", 12) + counter("tgi_request_success", 12, labels='method="prefill"')


def lmcache(requested: float, hit: float) -> str:
    """LMCache's own counters, as they stand behind vLLM's in one scrape or alone."""
    labels = f'model_name="{MODEL}",role="worker",worker_id="0"'
    return counter("lmcache:num_requested_tokens_total", requested, labels=labels) + counter(
        "lmcache:num_hit_tokens_total", hit, labels=labels
    )


def dcgm(gpus: Sequence[int] = (0, 1), hosts: Sequence[str] = ("rack-7",)) -> str:
    """A scrape of the DCGM exporter: GPUs of one host, or of several."""
    text = "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"
    for host in hosts:
        for gpu in gpus:
            labels = f'gpu="{gpu}",UUID="GPU-0000000{gpu}-aaaa",device="nvidia{gpu}",modelName="NVIDIA L40S",Hostname="{host}"'
            text += f'DCGM_FI_DEV_GPU_UTIL{{{labels},DCGM_FI_DRIVER_VERSION="570.86.15"}} {40 + gpu}\n'
    return text


def open_metrics() -> str:
    """OpenMetrics 1.0: families without `_total`, an exemplar with a brace, a timestamp and the end mark."""
    return (
        "# HELP vllm:prompt_tokens Prompt tokens.\n# TYPE vllm:prompt_tokens counter\n"
        f'vllm:prompt_tokens_total{{engine="0",model_name="{MODEL}"}} 4000.0 # {{trace_id="a}}b"}} 17.0 1761200000.5\n'
        f'vllm:prompt_tokens_created{{engine="0",model_name="{MODEL}"}} 1761200001.25\n'
        "# TYPE vllm:num_requests_running gauge\n"
        f'vllm:num_requests_running{{engine="0",model_name="{MODEL}"}} 3.0 1761200009\n'
        "# EOF\n"
    )


SHAPES: dict[str, str] = {
    "vllm": vllm(cpu=41.5),
    "vllm-two-engines": vllm(engines=(0, 1)),
    "vllm-v0": vllm_v0(rate=-1.0),
    "vllm-grepped": speculative(100.0, 300.0, (80.0, 60.0, 40.0)),
    "sglang": sglang(prompt=9000.0, cached={"device": 3000.0, "host": 600.0}),
    "llama-cpp": llama_cpp(processed=1500, cached=1500),
    "tensorrt-llm": tensorrt_llm(prompt=900.0, reused=12.0, missed=36.0),
    "tgi": tgi(),
    "lmcache": lmcache(2000.0, 500.0),
    "dcgm": dcgm(),
    "crlf": vllm().replace("\n", "\r\n"),
    "escapes": 'x{a="quote \\" brace } back \\\\n line \\n end",b="c,d=e"} 1\nx{a=""} +Inf\nx 2.5e-03 1761200000\n',
}
"""A dump of every shape that the reader must see as prometheus_client does."""


def write(path: Path, text: str) -> str:
    """Write a dump byte by byte; the path comes back as it is named on a command line."""
    path.write_bytes(text.encode())
    return str(path)
