"""Configuration dumps: `LLM Args:`, `PyTorchConfig(...)` and Dynamo's `TensorRT-LLM engine args: {...}`, key by key.

Room: one parsed dump in, facts out. The first two show what holds after the engine's own decisions, defaults included; the last
is what was asked for. A delegating value (`auto`, None) is requested, whoever prints it. Keys of 0.17 to 1.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.fields import FIELDS, Stage, spelled
from kvaudit.parsers import repr_split

_FIELD_OF = {
    "model": "model.path",
    "model_path": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "trust_remote_code": "model.trust_remote_code",
    "max_batch_size": "scheduler.max_num_seqs",
    "max_num_tokens": "scheduler.max_num_batched_tokens",
    "enable_chunked_prefill": "scheduler.chunked_prefill",
    "tensor_parallel_size": "parallel.tensor",
    "pipeline_parallel_size": "parallel.pipeline",
    "context_parallel_size": "parallel.context",
    "attn_backend": "attention.backend",
}
_KV_FIELD_OF = {
    "dtype": "kv_cache.dtype",
    "enable_block_reuse": "kv_cache.prefix_caching",
    "free_gpu_memory_fraction": "memory.static_fraction",
    "tokens_per_block": "kv_cache.block_size",
}
_SPECULATION = {
    "MTPDecodingConfig": "mtp",
    "EagleDecodingConfig": "eagle",
    "Eagle3DecodingConfig": "eagle3",
    "NGramDecodingConfig": "ngram",
    "DraftTargetDecodingConfig": "draft_target",
    "MedusaDecodingConfig": "medusa",
    "LookaheadDecodingConfig": "lookahead",
    "SADecodingConfig": "suffix",
    "UserProvidedDecodingConfig": "user_provided",
    "AutoDecodingConfig": "auto",
}
_ALWAYS_REQUESTED = frozenset({"kv_cache.dtype"})
"""The dump repeats what was asked for; what it became stands elsewhere, or nowhere."""


@dataclass(frozen=True, slots=True)
class Dump:
    """A parsed dump: `values` by key, `places` where each key stands in its message, `typed` when it is what was asked for."""

    values: dict[str, Any]
    places: dict[str, int]
    whole: bool
    typed: bool = False

    def place(self, key: str) -> int:
        """Where a key stands in the message."""
        return self.places.get(key, 0)


@dataclass(frozen=True, slots=True)
class Said:
    """One value of a dump: `key` is where it stands."""

    field: str
    value: Any
    stage: Stage
    key: str


def of_arguments(message: str) -> Dump:
    """`model='...' tokenizer=None ...`: the line behind `LLM Args:`, keys separated by blanks."""
    return _with_places(message, repr_split.assignments(message))


def of_class(message: str) -> Dump:
    """`PyTorchConfig(key=value, ...)`."""
    values, whole = repr_split.namespace(message)
    return Dump(values, {key: message.find(f"{key}=") for key in values}, whole)


def of_dict(message: str) -> Dump:
    """`TensorRT-LLM engine args: {...}`."""
    values, whole = repr_split.mapping(message)
    return Dump(values, {key: message.find(f"'{key}'") for key in values}, whole, typed=True)


def _with_places(_message: str, found: tuple[dict[str, tuple[Any, int]], bool]) -> Dump:
    held, whole = found
    return Dump({key: value for key, (value, _) in held.items()}, {key: place for key, (_, place) in held.items()}, whole)


def said(dump: Dump) -> Iterator[Said]:
    """The facts of a dump."""
    for key, field in _FIELD_OF.items():
        if key in dump.values:
            yield from _said(dump, field, dump.values[key], key)
    cache = _object(dump.values.get("kv_cache_config"))
    for key, field in _KV_FIELD_OF.items():
        if key in cache:
            yield from _said(dump, field, cache[key], "kv_cache_config")
    if "kv_cache_dtype" in dump.values:
        yield from _said(dump, "kv_cache.dtype", dump.values["kv_cache_dtype"], "kv_cache_dtype")
    yield from _experts(dump)
    yield from _switches(dump)
    yield from _policy(dump)
    yield from _speculation(dump)
    yield from _tiers(dump, cache)


def _said(dump: Dump, field: str, value: Any, key: str) -> Iterator[Said]:
    if isinstance(value, dict | list) or (value is None and not FIELDS[field].none_means):
        return
    if isinstance(value, float) and field == "memory.static_fraction":
        value = round(value, 6)
    asked = dump.typed or field in _ALWAYS_REQUESTED or FIELDS[field].delegates(value)
    yield Said(field, spelled(field, value), "requested" if asked else "resolved", key)


def _experts(dump: Dump) -> Iterator[Said]:
    """With data-parallel attention every rank keeps whole KV heads and a pool of its own."""
    ranks, spread = dump.values.get("tensor_parallel_size"), dump.values.get("enable_attention_dp")
    if isinstance(ranks, int) and isinstance(spread, bool):
        yield from _said(dump, "parallel.data", ranks if spread else 1, "enable_attention_dp")
    size = dump.values.get("moe_expert_parallel_size")
    if isinstance(size, int) and size > 0:
        yield from _said(dump, "parallel.expert", size, "moe_expert_parallel_size")


def _switches(dump: Dump) -> Iterator[Said]:
    values = dump.values
    if isinstance(off := values.get("disable_overlap_scheduler"), bool):
        yield from _said(dump, "scheduler.async_scheduling", not off, "disable_overlap_scheduler")
    if isinstance(on := values.get("use_cuda_graph"), bool):
        yield from _said(dump, "graphs.enforce_eager", not on, "use_cuda_graph")
    elif "cuda_graph_config" in values:
        yield from _said(dump, "graphs.enforce_eager", values["cuda_graph_config"] is None, "cuda_graph_config")


def _policy(dump: Dump) -> Iterator[Said]:
    policy = _object(dump.values.get("scheduler_config")).get("capacity_scheduler_policy")
    if isinstance(policy, str):
        yield from _said(dump, "scheduler.policy", policy.rpartition(".")[2], "scheduler_config")


def _speculation(dump: Dump) -> Iterator[Said]:
    if "speculative_config" not in dump.values:
        return
    config = dump.values["speculative_config"]
    if config is None:
        yield Said("speculative.method", "none", "requested" if dump.typed else "resolved", "speculative_config")
        return
    config = _object(config)
    method = config.get("decoding_type") or _SPECULATION.get(str(config.get("_class")))
    if isinstance(method, str):
        yield from _said(dump, "speculative.method", method.lower(), "speculative_config")
    model = config.get("speculative_model_dir") or config.get("speculative_model")
    if isinstance(model, str):
        yield from _said(dump, "speculative.model", model, "speculative_config")
    length = config.get("max_draft_len")
    if isinstance(length, int) and length > 0:
        yield from _said(dump, "speculative.tokens", length, "speculative_config")


def _tiers(dump: Dump, cache: dict[str, Any]) -> Iterator[Said]:
    """A host cache or a connector; a whole dump with neither proves `none`."""
    connector, host = _object(dump.values.get("kv_connector_config")), cache.get("host_cache_size")
    if isinstance(host, int) and host > 0:
        yield from _said(dump, "kv_cache.offload", "host_cache", "kv_cache_config")
    elif name := connector.get("connector_module") or connector.get("connector"):
        tier = "LMCache" if "lmcache" in str(name).lower() else name
        yield from _said(dump, "kv_cache.offload", tier, "kv_connector_config")
    elif dump.whole and "host_cache_size" in cache and dump.values.get("kv_connector_config", 0) is None:
        yield from _said(dump, "kv_cache.offload", "none", "kv_connector_config")
    backend = _object(dump.values.get("cache_transceiver_config")).get("backend")
    if isinstance(backend, str):
        yield from _said(dump, "kv_transfer.connector", backend, "cache_transceiver_config")


def asked_length(dump: Dump) -> int | None:
    """The context length that was asked for; the served one may be a little longer, for draft and overlap tokens."""
    length = dump.values.get("max_seq_len")
    return length if isinstance(length, int) and length > 0 else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
