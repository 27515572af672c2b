"""LMDeploy's configuration dumps: `TurbomindEngineConfig(...)`, `PytorchEngineConfig(...)`, `CacheConfig(...)`.

Room: one parsed dump in, (field, value) pairs out. Keys of 0.5 to 0.17. `quant_policy` is LMDeploy's only word about the KV
element type: 0 keeps the model's own, and no checkpoint changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers import repr_split

_FIELD_OF = {
    "model_name": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "model_format": "model.quantization",
    "session_len": "model.max_len",
    "cache_block_seq_len": "kv_cache.block_size",
    "block_size": "kv_cache.block_size",
    "enable_prefix_caching": "kv_cache.prefix_caching",
    "max_batch_size": "scheduler.max_num_seqs",
    "max_prefill_token_num": "scheduler.max_num_batched_tokens",
    "tp": "parallel.tensor",
    "dp": "parallel.data",
    "cp": "parallel.context",
    "ep": "parallel.expert",
    "cache_max_entry_count": "memory.static_fraction",
    "eager_mode": "graphs.enforce_eager",
}
_QUANTIZED_FORMATS = frozenset({"awq", "gptq", "fp8", "mxfp4", "compressed-tensors"})
_POLICIES = {
    0: "model",
    4: "int4",
    8: "int8",
    "QuantPolicy.NONE": "model",
    "QuantPolicy.INT4": "int4",
    "QuantPolicy.INT8": "int8",
}
_PLATFORMS = {"cuda": "cuda", "ascend": "npu", "maca": "maca", "camb": "mlu"}


def parsed(body: str) -> dict[str, Any]:
    """The values of `Name(key=value, ...)` that are certain."""
    return repr_split.namespace(body)[0]


def said(values: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """(field, value, key) of an engine configuration."""
    for key, field in _FIELD_OF.items():
        value = values.get(key)
        unset = value is None and not (key == "revision" and key in values)
        if unset or isinstance(value, dict | list) or (key == "model_format" and value not in _QUANTIZED_FORMATS):
            continue
        yield field, value, key
    platform = _PLATFORMS.get(str(values.get("device_type")))
    if platform:
        yield "engine.platform", platform, "device_type"


def kv_policy(values: dict[str, Any]) -> str | None:
    """The KV element type as `quant_policy` names it; `model` for the model's own, None for policies that were not read."""
    policy = values.get("quant_policy")
    return _POLICIES.get(policy) if isinstance(policy, int | str) and not isinstance(policy, bool) else None


def whole(values: dict[str, Any], key: str) -> int | None:
    """A positive integer of a dump."""
    value = values.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
