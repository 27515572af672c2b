"""How each engine is started: programs, modules, images, and which flags stand alone. Data.

Room: `parsers.launch_command`. From the documented arguments of vLLM 0.4 to 0.33, SGLang 0.4 to 0.5.23, TensorRT-LLM 0.17 to
1.3, llama.cpp b3000 to b11434, TGI 2 and 3, LMDeploy 0.6 and newer. A further flag that stands alone is a word more here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine's command line.

    `alone` are flags without a value, `alone_starts` how further ones begin; `many` take several values; `also` are other
    spellings of a flag. `takes_model` says that a word without a flag is the model.
    """

    name: str
    alone: frozenset[str] = frozenset()
    alone_starts: tuple[str, ...] = ()
    many: frozenset[str] = frozenset()
    also: tuple[tuple[str, str], ...] = ()
    takes_model: bool = False
    model_keys: tuple[str, ...] = ("model",)


_VLLM_WORDS = """
    trust_remote_code enforce_eager async_scheduling calculate_kv_scales headless use_v2_block_manager
    return_tokens_as_token_ids allow_credentials language_model_only data_parallel_hybrid_lb data_parallel_external_lb
    kv_sharing_fast_prefill skip_tokenizer_init skip_mm_profiling worker_use_ray engine_use_ray ray_workers_use_nsight
    exclude_tools_when_tool_choice_none trust_request_chat_template interleave_mm_strings
"""
VLLM = Engine(
    name="vllm",
    alone=frozenset(_VLLM_WORDS.split()),
    alone_starts=("enable_", "disable_", "no_"),
    many=frozenset(("served_model_name", "lora_modules", "cudagraph_capture_sizes", "cuda_graph_sizes", "middleware", "api_key")),
    also=(
        ("tp", "tensor_parallel_size"),
        ("pp", "pipeline_parallel_size"),
        ("dp", "data_parallel_size"),
        ("q", "quantization"),
        ("dcp", "decode_context_parallel_size"),
        ("cc", "compilation_config"),
        ("O", "optimization_level"),
        ("ac", "attention_config"),
        ("sc", "speculative_config"),
    ),
    takes_model=True,
    model_keys=("model", "model_tag"),
)
_SGLANG_WORDS = """
    trust_remote_code skip_tokenizer_init log_requests show_time_cost skip_server_warmup is_embedding
    delete_ckpt_after_loading keep_mm_feature_on_device flashinfer_mla_disable_ragged triton_attention_reduce_in_fp32
"""
SGLANG = Engine(
    name="sglang",
    alone=frozenset(_SGLANG_WORDS.split()),
    alone_starts=("enable_", "disable_"),
    many=frozenset(("cuda_graph_bs", "lora_paths")),
    also=(
        ("tp", "tp_size"),
        ("tensor_parallel_size", "tp_size"),
        ("dp", "dp_size"),
        ("data_parallel_size", "dp_size"),
        ("pp", "pp_size"),
        ("pipeline_parallel_size", "pp_size"),
        ("ep", "ep_size"),
        ("expert_parallel_size", "ep_size"),
    ),
    model_keys=("model_path", "model"),
)
TENSORRT_LLM = Engine(
    name="tensorrt_llm",
    alone=frozenset(("trust_remote_code", "enable_chunked_prefill", "fail_fast_on_attention_window_too_large")),
    takes_model=True,
    model_keys=("model",),
)
_LLAMA_CPP_WORDS = """
    kv_unified kvu no_kv_unified mlock no_mmap nkvo no_kv_offload cont_batching cb no_cont_batching nocb jinja no_jinja
    metrics no_metrics slots no_slots embedding embeddings reranking rerank swa_full no_warmup warmup verbose v no_webui
    props no_log_prefix log_prefix log_timestamps no_log_timestamps no_context_shift context_shift offline check_tensors
    direct_io dio no_host no_repack cpu_moe cmoe version help h log_disable
"""
LLAMA_CPP = Engine(
    name="llama_cpp",
    alone=frozenset(_LLAMA_CPP_WORDS.split()),
    model_keys=("m", "model", "hf", "hf_repo", "hfr"),
)
TGI = Engine(
    name="tgi",
    alone=frozenset(("trust_remote_code", "disable_custom_kernels", "json_output", "env", "disable_grammar_support")),
    model_keys=("model_id",),
)
LMDEPLOY = Engine(
    name="lmdeploy",
    alone=frozenset(("trust_remote_code", "enable_prefix_caching", "eager_mode", "enable_metrics")),
    takes_model=True,
)

PROGRAMS: tuple[tuple[Engine, str, tuple[str, ...]], ...] = (
    (VLLM, "vllm", ("serve",)),
    (SGLANG, "sglang", ("serve",)),
    (TENSORRT_LLM, "trtllm-serve", ("serve",)),
    (TENSORRT_LLM, "trtllm-serve", ()),
    (LLAMA_CPP, "llama-server", ()),
    (LLAMA_CPP, "llama-server.exe", ()),
    (TGI, "text-generation-launcher", ()),
    (LMDEPLOY, "lmdeploy", ("serve", "api_server")),
)
"""Engine, program and the verbs that must follow; longer forms first."""

MODULES: dict[str, Engine] = {
    "vllm.entrypoints.openai.api_server": VLLM,
    "vllm.entrypoints.api_server": VLLM,
    "vllm.entrypoints.cli.main": VLLM,
    "sglang.launch_server": SGLANG,
    "sglang.srt.server": SGLANG,
    "tensorrt_llm.commands.serve": TENSORRT_LLM,
}
"""Modules that Python starts with `-m`."""

IMAGES: tuple[tuple[str, Engine], ...] = (
    (r"(?:^|/)vllm-openai(?:-\w+)?(?:[:@]|$)", VLLM),
    (r"(?:^|/)llama\.cpp:server", LLAMA_CPP),
    (r"(?:^|/)text-generation-inference(?:[:@]|$)", TGI),
)
"""Images whose entrypoint is the server, so that their arguments are the server's."""
