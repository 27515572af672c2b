"""How benchmark clients are started: programs, flags that stand alone, and what each flag asks for. Data.

Room: `parsers.results`. From the arguments of vLLM 0.6 to 0.33, SGLang 0.3 to 0.5.23, aiperf, genai-perf and trtllm-bench.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.parsers.checkpoint.values import words
from kvaudit.parsers.launch_command.engines import Engine

_VLLM_ALONE = """
    trust_remote_code save_result save_detailed append_result ignore_eos profile disable_tqdm use_beam_search no_stream
    plot_timeline plot_dataset_stats insecure skip_chat_template no_oversample disable_shuffle enable_multimodal_chat self_timed
    no_reranker skip_tokenizer_init async_engine disable_detokenize
"""
VLLM = Engine(
    name="vllm-bench-serve",
    alone=frozenset(_VLLM_ALONE.split()),
    many=frozenset(("metadata", "goodput", "header", "lora_modules")),
)
_SGLANG_ALONE = """
    disable_tqdm disable_stream return_logprob return_routed_experts disable_ignore_eos apply_chat_template profile
    pd_separated flush_cache tokenize_prompt output_details cache_report gsp_fast_prepare print_requests
"""
SGLANG = Engine(
    name="sglang-bench-serving",
    alone=frozenset(_SGLANG_ALONE.split()),
    also=(("random_input", "random_input_len"), ("random_output", "random_output_len"), ("num_prompt", "num_prompts")),
    many=frozenset(("lora_name", "header")),
)
_AIPERF_ALONE = "streaming verbose v extra_verbose use_server_token_count use_legacy_max_tokens"
AIPERF = Engine(name="aiperf", alone=frozenset(_AIPERF_ALONE.split()))
GENAI_PERF = Engine(name="genai-perf", alone=frozenset(_AIPERF_ALONE.split()))
TRTLLM = Engine(name="trtllm-bench", alone=frozenset(("streaming", "trust_remote_code", "no_skip_tokenizer_init")))


@dataclass(frozen=True, slots=True)
class Client:
    """One client: the words that start it, and quantity to flags where it does not share the arguments of vLLM's client."""

    engine: Engine
    starts: tuple[tuple[str, ...], ...]
    flags: tuple[tuple[str, tuple[str, ...]], ...] = ()


_PERF_FLAGS = (
    ("max_concurrency", ("concurrency",)),
    ("request_rate", ("request_rate",)),
    ("requests", ("request_count", "num_requests", "num_prompts")),
    ("seed", ("random_seed",)),
    ("input_length", ("synthetic_input_tokens_mean", "isl")),
    ("output_length", ("output_tokens_mean", "osl")),
    ("prefix_length", ("prefix_prompt_length",)),
    ("warmups", ("warmup_request_count",)),
    ("endpoint", ("endpoint_type",)),
)

CLIENTS: tuple[Client, ...] = (
    Client(VLLM, (("vllm", "bench", "serve"), ("benchmark_serving.py",), ("-m", "vllm.benchmarks.serve"))),
    Client(SGLANG, (("-m", "sglang.bench_serving"), ("bench_serving.py",), ("sglang", "bench_serving"))),
    Client(AIPERF, (("aiperf", "profile"),), _PERF_FLAGS),
    Client(GENAI_PERF, (("genai-perf", "profile"), ("genai-perf",)), _PERF_FLAGS),
    Client(
        TRTLLM,
        (("trtllm-bench",),),
        (
            ("max_concurrency", ("concurrency",)),
            ("requests", ("num_requests",)),
            ("dataset", ("dataset",)),
            ("warmups", ("warmup",)),
        ),
    ),
)
"""Longer starts first. A name with a dot is a script or module, behind Python or by itself."""

WRAPPERS = words(
    """
    env exec nohup time sudo stdbuf numactl taskset nice timeout uv uvx conda srun mpirun docker podman nerdctl kubectl ssh
    python python3 pypy3 poetry pixi
    """
)
"""Programs behind which a client's name is a program too."""
