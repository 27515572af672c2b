"""Which flag of which engine asks for which field, and which further flags need a value. Data.

Room: `parsers.launch_command`. Names are spelled with underscores, as the engines' own dumps spell them.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.vllm import arguments as vllm_arguments

_SGLANG = {
    "model_path": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "quantization": "model.quantization",
    "context_length": "model.max_len",
    "kv_cache_dtype": "kv_cache.dtype",
    "page_size": "kv_cache.block_size",
    "moe_runner_backend": "moe.backend",
    "attention_backend": "attention.backend",
    "max_running_requests": "scheduler.max_num_seqs",
    "chunked_prefill_size": "scheduler.max_num_batched_tokens",
    "schedule_policy": "scheduler.policy",
    "tp_size": "parallel.tensor",
    "pp_size": "parallel.pipeline",
    "ep_size": "parallel.expert",
    "speculative_algorithm": "speculative.method",
    "speculative_draft_model_path": "speculative.model",
    "speculative_num_draft_tokens": "speculative.tokens",
    "mem_fraction_static": "memory.static_fraction",
    "random_seed": "run.seed",
    "trust_remote_code": "model.trust_remote_code",
    "cpu_offload_gb": "offload.cpu_weights_gib",
    "disaggregation_mode": "kv_transfer.role",
}
_TENSORRT_LLM = {
    "model": "model.path",
    "tp_size": "parallel.tensor",
    "pp_size": "parallel.pipeline",
    "ep_size": "parallel.expert",
    "max_batch_size": "scheduler.max_num_seqs",
    "max_num_tokens": "scheduler.max_num_batched_tokens",
    "max_seq_len": "model.max_len",
    "kv_cache_free_gpu_memory_fraction": "memory.static_fraction",
    "free_gpu_memory_fraction": "memory.static_fraction",
    "kv_cache_dtype": "kv_cache.dtype",
    "enable_chunked_prefill": "scheduler.chunked_prefill",
    "trust_remote_code": "model.trust_remote_code",
}
_TGI = {
    "model_id": "model.path",
    "revision": "model.revision",
    "quantize": "model.quantization",
    "dtype": "model.dtype",
    "kv_cache_dtype": "kv_cache.dtype",
    "max_total_tokens": "model.max_len",
    "num_shard": "parallel.tensor",
    "trust_remote_code": "model.trust_remote_code",
}
_LMDEPLOY = {"model": "model.path", "session_len": "model.max_len", "tp": "parallel.tensor", "dtype": "model.dtype"}
_LLAMA_CPP = {"ctx_size": "model.max_len", "c": "model.max_len", "seed": "run.seed", "s": "run.seed"}
FIELDS_BY_FLAG = {
    "vllm": vllm_arguments.FIELD_OF,
    "sglang": _SGLANG,
    "tensorrt_llm": _TENSORRT_LLM,
    "tgi": _TGI,
    "lmdeploy": _LMDEPLOY,
    "llama_cpp": _LLAMA_CPP,
}
ALSO_VALUED = {
    "vllm": (
        "served_model_name",
        "host",
        "port",
        "speculative_config",
        "kv_transfer_config",
        "compilation_config",
        "tokenizer",
        "chat_template",
        "tool_call_parser",
        "reasoning_parser",
        "max_logprobs",
        "swap_space",
        "num_gpu_blocks_override",
    ),
    "sglang": ("served_model_name", "host", "port", "mem_fraction_static", "max_total_tokens", "model", "chat_template"),
    "tensorrt_llm": ("host", "port", "backend", "extra_llm_api_options", "config"),
    "llama_cpp": (
        "m",
        "model",
        "hf",
        "hf_repo",
        "host",
        "port",
        "parallel",
        "np",
        "n_gpu_layers",
        "ngl",
        "gpu_layers",
        "batch_size",
        "b",
        "ubatch_size",
        "ub",
        "cache_type_k",
        "ctk",
        "cache_type_v",
        "ctv",
        "alias",
        "a",
        "threads",
        "t",
        "model_draft",
        "md",
    ),
    "tgi": ("port", "hostname"),
    "lmdeploy": ("server_port", "server_name", "cache_max_entry_count", "quant_policy"),
}
SWITCHES: dict[str, dict[str, tuple[str, Any]]] = {
    "sglang": {
        "disable_radix_cache": ("kv_cache.prefix_caching", False),
        "disable_overlap_schedule": ("scheduler.async_scheduling", False),
        "disable_cuda_graph": ("graphs.enforce_eager", True),
        "enable_hierarchical_cache": ("kv_cache.offload", "HiCache"),
        "enable_lmcache": ("kv_cache.offload", "LMCache"),
    },
    "lmdeploy": {"enable_prefix_caching": ("kv_cache.prefix_caching", True)},
}
"""Flags that stand alone, with the field and the value that they ask for."""
