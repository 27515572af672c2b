"""Which metric of which engine says what: the names behind each quantity.

Room: `parsers`, a pure table. Sources: vllm/engine/metrics.py (V0), vllm/v1/metrics/loggers.py (0.8 to 0.33),
sglang/srt/metrics/collector.py (0.4 to 0.5.23), tensorrt_llm/metrics/collector.py (1.1 to 1.3), llama.cpp tools/server (b4000 to
b11434), lmcache/observability.py (0.5).
"""

from __future__ import annotations

Sum = tuple[str, ...]
"""Names whose values add up to one quantity."""

ENGINES: tuple[tuple[str, str], ...] = (
    ("vllm:", "vllm"),
    ("sglang:", "sglang"),
    ("trtllm_", "tensorrt_llm"),
    ("nv_trt_llm_", "tensorrt_llm"),
    ("llamacpp:", "llama_cpp"),
    ("tgi_", "tgi"),
)
"""Prefix of the metric names -> engine."""

OTHERS = ("lmcache:", "DCGM_FI_", "nv_inference_")
"""Prefixes of exporters that are no engine."""

COUNTERS: dict[str, dict[str, tuple[Sum, ...]]] = {
    "vllm": {
        "prompt_tokens": (("vllm:prompt_tokens_total",),),
        "generation_tokens": (("vllm:generation_tokens_total",),),
        "requests": (("vllm:request_success_total",),),
        "external_prefix_queries": (("vllm:external_prefix_cache_queries_total",),),
        "external_prefix_hits": (("vllm:external_prefix_cache_hits_total",),),
        "preemptions": (("vllm:num_preemptions_total",), ("vllm:num_preemptions",)),
        "drafts": (("vllm:spec_decode_num_drafts_total",),),
        "draft_tokens": (("vllm:spec_decode_num_draft_tokens_total",),),
        "accepted_tokens": (("vllm:spec_decode_num_accepted_tokens_total",),),
        "emitted_tokens": (("vllm:spec_decode_num_emitted_tokens_total",),),
    },
    "sglang": {
        "prompt_tokens": (("sglang:prompt_tokens_total",),),
        "generation_tokens": (("sglang:generation_tokens_total",),),
        "requests": (("sglang:num_requests_total",),),
        "preemptions": (("sglang:num_retracted_requests_total",),),
    },
    "tensorrt_llm": {
        "prompt_tokens": (("trtllm_prompt_tokens_total",),),
        "generation_tokens": (("trtllm_generation_tokens_total",),),
        "requests": (("trtllm_request_success_total",),),
        "draft_tokens": (("trtllm_spec_decode_num_draft_tokens_total",),),
        "accepted_tokens": (("trtllm_spec_decode_num_accepted_tokens_total",),),
    },
    "llama_cpp": {
        "prompt_tokens": (("llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"),),
        "prompt_tokens_computed": (("llamacpp:prompt_tokens_total",),),
        "generation_tokens": (("llamacpp:tokens_predicted_total",),),
        "drafts": (("llamacpp:spec_decode_num_drafts_total",),),
        "draft_tokens": (("llamacpp:spec_decode_num_draft_tokens_total",),),
        "accepted_tokens": (("llamacpp:spec_decode_num_accepted_tokens_total",),),
    },
    "lmcache": {
        "lmcache_requested_tokens": (("lmcache:num_requested_tokens_total",),),
        "lmcache_hit_tokens": (("lmcache:num_hit_tokens_total",),),
    },
}
"""Engine -> quantity -> the sums that give it, the first that a dump holds. llama.cpp counts cached prompt tokens apart."""

PREFIX: dict[str, tuple[tuple[Sum, Sum, str | None], ...]] = {
    "vllm": (
        (("vllm:prefix_cache_queries_total",), ("vllm:prefix_cache_hits_total",), "tokens"),
        (("vllm:gpu_prefix_cache_queries_total",), ("vllm:gpu_prefix_cache_hits_total",), None),
        (("vllm:prefix_cache_queries",), ("vllm:prefix_cache_hits",), "tokens"),
    ),
    "sglang": ((("sglang:prompt_tokens_total",), ("sglang:cached_tokens_total",), "tokens"),),
    "tensorrt_llm": (
        (("trtllm_prompt_tokens_total",), ("trtllm_prompt_cached_tokens_total",), "tokens"),
        (
            ("trtllm_kv_cache_reused_blocks_total", "trtllm_kv_cache_missed_blocks_total"),
            ("trtllm_kv_cache_reused_blocks_total",),
            "blocks",
        ),
    ),
    "llama_cpp": (
        (
            ("llamacpp:prompt_tokens_total", "llamacpp:prompt_tokens_cached_total"),
            ("llamacpp:prompt_tokens_cached_total",),
            "tokens",
        ),
    ),
}
"""Queries, hits and their unit, best first. vLLM 0.9.0 to 0.11.2 prints two families of the same number: the first that is
there counts, they are never added. The unit of the older family is what its help text says: blocks up to 0.8.5, tokens later."""

REASON = "finished_reason"
NOT_SERVED = frozenset({"abort", "error"})
"""Reasons of requests that ended without an answer that counts."""

SERVER_LABELS = ("instance", "pod", "exported_instance", "hostname", "Hostname")
"""Labels a scraper adds: two values in one dump are two servers."""

RANK_LABELS = ("pp_rank", "tp_rank", "moe_ep_rank")
"""SGLang labels each rank of one scheduler; a data-parallel worker has a `dp_rank` besides."""

OWN_LABELS = frozenset(
    {REASON, *RANK_LABELS, "cache_source", "source", "is_streaming", "priority", "position", "pid", "le", "mode"}
)
"""Labels that divide one server's series; all others tell servers or engines apart."""
