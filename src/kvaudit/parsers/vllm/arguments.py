"""Launch arguments as vLLM echoes them: `non-default args: {...}` (0.9+) and `args: Namespace(...)` (to 0.8.5).

Room: one parsed dict in, requested facts out. Every value is what was typed (or a default of a whole dump); what the engine
made of it stands elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.parsers import repr_split
from kvaudit.sources.escapes import without_half_pairs

FIELD_OF = {
    "model": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "quantization": "model.quantization",
    "max_model_len": "model.max_len",
    "trust_remote_code": "model.trust_remote_code",
    "kv_cache_dtype": "kv_cache.dtype",
    "block_size": "kv_cache.block_size",
    "enable_prefix_caching": "kv_cache.prefix_caching",
    "max_num_seqs": "scheduler.max_num_seqs",
    "max_num_batched_tokens": "scheduler.max_num_batched_tokens",
    "enable_chunked_prefill": "scheduler.chunked_prefill",
    "async_scheduling": "scheduler.async_scheduling",
    "scheduling_policy": "scheduler.policy",
    "attention_backend": "attention.backend",
    "moe_backend": "moe.backend",
    "linear_backend": "linear.backend",
    "enforce_eager": "graphs.enforce_eager",
    "max_cudagraph_capture_size": "graphs.capture_max",
    "tensor_parallel_size": "parallel.tensor",
    "pipeline_parallel_size": "parallel.pipeline",
    "data_parallel_size": "parallel.data",
    "decode_context_parallel_size": "parallel.context",
    "gpu_memory_utilization": "memory.utilization",
    "cpu_offload_gb": "offload.cpu_weights_gib",
    "seed": "run.seed",
    "generation_config": "model.generation_config",
    "speculative_model": "speculative.model",
    "num_speculative_tokens": "speculative.tokens",
}
_OFFLOAD_KEYS = ("kv_transfer_config", "kv_offloading_size", "kv_offloading_backend", "lmcache_config")
_NOT_TYPED = {"generation_config": ("auto",), "cpu_offload_gb": (0, 0.0)}


@dataclass(frozen=True, slots=True)
class Arguments:
    """A parsed argument dump. `whole`: the line was not cut. `only_typed`: defaults are left out (0.9 and newer)."""

    values: dict[str, Any]
    whole: bool
    only_typed: bool

    @property
    def model(self) -> Any:
        """The model, wherever it was typed."""
        return self.values.get("model") or self.values.get("model_tag")


def parse(body: str, only_typed: bool) -> Arguments:
    """Arguments from the text behind `non-default args: ` or `args: `."""
    values, whole = repr_split.mapping(body) if only_typed else repr_split.namespace(body)
    return Arguments(values, whole, only_typed)


def requested(arguments: Arguments) -> Iterator[tuple[str, Any, str]]:
    """(field, value, key) of everything that was asked for."""
    values = dict(arguments.values)
    if arguments.model:
        values["model"] = arguments.model
    for key, field in FIELD_OF.items():
        value = values.get(key)
        if value is None or value in _NOT_TYPED.get(key, ()):
            continue
        yield field, ("none" if key == "generation_config" and value == "vllm" else value), key
    if values.get("calculate_kv_scales") is True:
        yield "kv_cache.scales", "runtime", "calculate_kv_scales"
    yield from _transfer(arguments)
    yield from _speculation(as_object(values.get("speculative_config")))
    yield from _graphs(as_object(values.get("compilation_config")))
    attention = as_object(values.get("attention_config"))
    if attention.get("backend"):
        yield "attention.backend", attention["backend"], "attention_config"


def _transfer(arguments: Arguments) -> Iterator[tuple[str, Any, str]]:
    config = as_object(arguments.values.get("kv_transfer_config"))
    for key, field in (("kv_connector", "kv_transfer.connector"), ("kv_role", "kv_transfer.role")):
        if isinstance(config.get(key), str):
            yield field, config[key], "kv_transfer_config"


def tier_of(connector: str) -> str:
    """The name of the tier behind a connector: `LMCache` for each of its connectors, else the connector's own."""
    return "LMCache" if "lmcache" in connector.lower() else connector


def offload(arguments: Arguments, connector: Any) -> str | None:
    """`kv_cache.offload` as the arguments and the connector prove it, or None.

    A whole arguments line of 0.9+ without a connector or offload key proves `none`; which connector stands behind
    `kv_offloading_size` depends on the version, so only the connector's own line names it.
    """
    if isinstance(connector, str) and connector:
        return tier_of(connector)
    asked = [key for key in _OFFLOAD_KEYS if arguments.values.get(key) not in (None, 0, 0.0, {})]
    if asked:
        backend = arguments.values.get("kv_offloading_backend")
        if backend == "lmcache" or "lmcache_config" in asked:
            return "LMCache"
        return None
    return "none" if arguments.whole and arguments.only_typed else None


def _speculation(config: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    for keys, field in (
        (("method",), "speculative.method"),
        (("model", "draft_model"), "speculative.model"),
        (("num_speculative_tokens", "num_spec_tokens"), "speculative.tokens"),
    ):
        value = next((config[key] for key in keys if config.get(key) is not None), None)
        if value is not None:
            yield field, value, "speculative_config"


def _graphs(config: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    if isinstance(mode := config.get("cudagraph_mode"), str):
        yield "graphs.mode", mode.rpartition(".")[2], "compilation_config"
    if isinstance(size := config.get("max_cudagraph_capture_size"), int):
        yield "graphs.capture_max", size, "compilation_config"


def as_object(value: Any) -> dict[str, Any]:
    """A nested configuration as an object, whether it was echoed as a dict, a class repr or JSON text."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            document = json.loads(without_half_pairs(value))
        except (ValueError, RecursionError):
            return repr_split.mapping(value)[0]
        return document if isinstance(document, dict) else {}
    return {}
