"""What TensorRT-LLM's metrics say: its arguments as labels, and the pool as gauges.

Room: `parsers`. Sources: tensorrt_llm/metrics/collector.py (1.1 to 1.3; the `*_config_info` labels repeat the arguments and never
learn what the engine made of them) and the Triton backend (`nv_trt_llm_kv_cache_block_metrics`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.parsers.metrics.exposition import Sample
from kvaudit.parsers.metrics.tally import Locate
from kvaudit.parsers.metrics.values import fraction, integer, switch, word
from kvaudit.parsers.tables import fact

_LABELS: dict[str, tuple[tuple[str, str, Callable[[str], Any]], ...]] = {
    "trtllm_model_config_info": (
        ("model", "model.path", word),
        ("dtype", "model.dtype", word),
        ("max_model_len", "model.max_len", integer),
    ),
    "trtllm_parallel_config_info": (
        ("tensor_parallel_size", "parallel.tensor", integer),
        ("pipeline_parallel_size", "parallel.pipeline", integer),
        ("context_parallel_size", "parallel.context", integer),
    ),
    "trtllm_kv_cache_config_info": (
        ("page_size", "kv_cache.block_size", integer),
        ("enable_block_reuse", "kv_cache.prefix_caching", switch),
        ("free_gpu_memory_fraction", "memory.static_fraction", fraction),
        ("cache_dtype", "kv_cache.dtype", word),
    ),
}
_GAUGES = {"trtllm_kv_cache_max_blocks": "kv_cache.blocks", "trtllm_kv_cache_tokens_per_block": "kv_cache.block_size"}
_TRITON = {"max": "kv_cache.blocks", "tokens_per": "kv_cache.block_size"}


def facts_of(samples: Iterable[Sample], locate: Locate) -> list[Fact]:
    """The arguments as requests, the pool's blocks as observations."""
    out = []
    for one in samples:
        for label, name, convert in _LABELS.get(one.name, ()):
            value = convert(one.labels[label]) if label in one.labels else None
            if value is not None:
                out.append(fact(name, value, "requested", [locate(one, label)]))
        name = _GAUGES.get(one.name, "")
        if one.name == "nv_trt_llm_kv_cache_block_metrics":
            name = _TRITON.get(one.labels.get("kv_cache_block_type", ""), "")
        if name and one.value > 0 and one.value.is_integer():
            out.append(fact(name, int(one.value), "observed", [locate(one, one.name)]))
    return out
