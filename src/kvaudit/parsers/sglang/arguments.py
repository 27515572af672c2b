"""The arguments line (`server_args=ServerArgs(...)`, since 0.5.20 a dict): keys to fields, stage per key and value.

Room: one parsed dump in, facts out. The dump holds every argument after SGLang resolved them, defaults included: what only a
user sets, and what leaves the decision to somebody else, is requested; everything else is what the engine settled on. It is
printed before the model is loaded, so `kv_cache_dtype='auto'` in it proves that nobody asked, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from kvaudit.fields import FIELDS, Stage, spelled
from kvaudit.parsers import repr_split
from kvaudit.patterns import LatePattern

_REQUESTED = {
    "model_path": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "quantization": "model.quantization",
    "context_length": "model.max_len",
    "kv_cache_dtype": "kv_cache.dtype",
    "moe_runner_backend": "moe.backend",
}
_RESOLVED = {
    "page_size": "kv_cache.block_size",
    "schedule_policy": "scheduler.policy",
    "max_running_requests": "scheduler.max_num_seqs",
    "attention_backend": "attention.backend",
    "tp_size": "parallel.tensor",
    "pp_size": "parallel.pipeline",
    "ep_size": "parallel.expert",
    "attn_cp_size": "parallel.context",
    "speculative_draft_model_path": "speculative.model",
    "speculative_num_draft_tokens": "speculative.tokens",
    "mem_fraction_static": "memory.static_fraction",
    "random_seed": "run.seed",
    "trust_remote_code": "model.trust_remote_code",
}
_NEGATED = {"disable_radix_cache": "kv_cache.prefix_caching", "disable_overlap_schedule": "scheduler.async_scheduling"}
_TIERS = {"enable_lmcache": "LMCache", "enable_flexkv": "FlexKV", "enable_hierarchical_cache": "HiCache"}
_NEVER_EMPTY = ("model_path", "tokenizer_path", "served_model_name", "host", "dtype", "kv_cache_dtype", "schedule_policy")
_DEVICES = frozenset({"cpu", "xpu", "npu", "hpu", "mps", "musa"})
_CUDA_BACKENDS = LatePattern(
    r"^(?:flashinfer|fa3|fa4|flashmla|cutlass_mla|trtllm_mha|trtllm_mla|flashmla_sparse|tokenspeed_mla)$"
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """A parsed dump. `whole`: the line was not cut."""

    values: dict[str, Any]
    whole: bool


class Said(NamedTuple):
    """One value of the dump; `key` is where it stands."""

    field: str
    value: Any
    stage: Stage
    key: str
    how: str | None = None


def parse(body: str) -> Arguments:
    """Arguments from the text behind `server_args=`, in either syntax."""
    values, whole = repr_split.mapping(body) if body.startswith("{") else repr_split.namespace(body)
    return Arguments({str(key): value for key, value in values.items()}, whole)


def said(arguments: Arguments) -> Iterator[Said]:
    """The facts of the dump."""
    values = arguments.values
    for key, field in _REQUESTED.items():
        if key in values and not (key == "quantization" and values[key] is None):
            yield Said(field, spelled(field, values[key]), "requested", key)
    for key, field in _RESOLVED.items():
        value = values.get(key)
        if value is not None and not FIELDS[field].delegates(value):
            yield Said(field, value, "resolved", key)
    for key, field in _NEGATED.items():
        if isinstance(values.get(key), bool):
            yield Said(field, not values[key], "resolved", key)
    if hybrid := _hybrid_attention(values):
        yield Said("attention.backend", hybrid, "resolved", "decode_attention_backend")
    for rest in (_prefill, _graphs, _speculation, _offload, _transfer, _parallel, _platform, _sampling):
        yield from rest(arguments)


def given(arguments: Arguments) -> dict[str, Any]:
    """The arguments that hold something: the dump names every argument, most of them unset.

    An empty text is the default of many and a dropped value only of those that no release leaves empty.
    """
    return {key: value for key, value in arguments.values.items() if _is_set(value) or (value == "" and key in _NEVER_EMPTY)}


def _is_set(value: Any) -> bool:
    return value is not None and value is not False and value not in ("", [], {})


def _hybrid_attention(values: dict[str, Any]) -> str | None:
    """The backends of both phases, where none was set for both at once."""
    prefill, decode = values.get("prefill_attention_backend"), values.get("decode_attention_backend")
    if values.get("attention_backend") is not None or not isinstance(prefill, str) or not isinstance(decode, str):
        return None
    return prefill if prefill == decode else f"prefill={prefill},decode={decode}"


def _prefill(arguments: Arguments) -> Iterator[Said]:
    size, most = arguments.values.get("chunked_prefill_size"), arguments.values.get("max_prefill_tokens")
    if not isinstance(size, int) or isinstance(size, bool):
        return
    yield Said("scheduler.chunked_prefill", size > 0, "resolved", "chunked_prefill_size")
    if size > 0:
        yield Said("scheduler.max_num_batched_tokens", size, "resolved", "chunked_prefill_size")
    elif isinstance(most, int):
        yield Said("scheduler.max_num_batched_tokens", most, "resolved", "max_prefill_tokens")


def _graphs(arguments: Arguments) -> Iterator[Said]:
    """`disable_cuda_graph` is what was asked for; since 0.5.14 `cuda_graph_config` says what each phase settled on."""
    values = arguments.values
    if isinstance(values.get("disable_cuda_graph"), bool):
        yield Said("graphs.enforce_eager", values["disable_cuda_graph"], "requested", "disable_cuda_graph")
    config = values.get("cuda_graph_config")
    decode = config.get("decode") if isinstance(config, dict) else None
    if isinstance(decode, dict) and isinstance(decode.get("backend"), str):
        off = decode["backend"] == "disabled"
        yield Said("graphs.enforce_eager", off, "resolved", "cuda_graph_config")
        if not off and isinstance(decode.get("max_bs"), int):
            yield Said("graphs.capture_max", decode["max_bs"], "resolved", "cuda_graph_config")
    elif isinstance(values.get("cuda_graph_max_bs"), int) and values.get("disable_cuda_graph") is False:
        yield Said("graphs.capture_max", values["cuda_graph_max_bs"], "resolved", "cuda_graph_max_bs")


def _speculation(arguments: Arguments) -> Iterator[Said]:
    key, values = "speculative_algorithm", arguments.values
    if key in values:
        yield Said("speculative.method", "none" if values[key] is None else values[key], "resolved", key)
    elif arguments.whole and values.get("model_path"):
        how = "the release has no argument for speculative decoding"
        yield Said("speculative.method", "none", "inferred", "model_path", how)


def _offload(arguments: Arguments) -> Iterator[Said]:
    values = arguments.values
    for key, name in _TIERS.items():
        if values.get(key) is True:
            yield Said("kv_cache.offload", name, "resolved", key)
            return
    if arguments.whole and values.get("model_path"):
        key = next((key for key in _TIERS if key in values), "model_path")
        yield Said("kv_cache.offload", "none", "resolved", key, "the arguments enable no second tier of the KV cache")
    if isinstance(gib := values.get("cpu_offload_gb"), int | float) and gib > 0:
        yield Said("offload.cpu_weights_gib", gib, "resolved", "cpu_offload_gb")


def _transfer(arguments: Arguments) -> Iterator[Said]:
    mode = arguments.values.get("disaggregation_mode")
    if mode == "null":
        yield Said("kv_transfer.role", "none", "resolved", "disaggregation_mode")
        yield Said("kv_transfer.connector", "none", "resolved", "disaggregation_mode")
    elif isinstance(mode, str):
        yield Said("kv_transfer.role", mode, "resolved", "disaggregation_mode")
        if isinstance(backend := arguments.values.get("disaggregation_transfer_backend"), str):
            yield Said("kv_transfer.connector", backend, "resolved", "disaggregation_transfer_backend")
    elif arguments.whole and arguments.values.get("model_path"):
        how = "the release has no argument for disaggregation"
        yield Said("kv_transfer.role", "none", "inferred", "model_path", how)
        yield Said("kv_transfer.connector", "none", "inferred", "model_path", how)


def _parallel(arguments: Arguments) -> Iterator[Said]:
    """Data-parallel workers hold a KV pool each; with data-parallel attention they share the GPUs of tensor parallelism."""
    values = arguments.values
    replicas, attention = values.get("dp_size"), values.get("attn_dp_size", 1)
    if not isinstance(replicas, int) or not isinstance(attention, int):
        return
    yield Said("parallel.data", replicas * attention, "resolved", "dp_size")
    tensor, pipeline, shared = values.get("tp_size"), values.get("pp_size", 1), values.get("enable_dp_attention")
    if isinstance(tensor, int) and isinstance(pipeline, int) and (replicas == 1 or isinstance(shared, bool)):
        gpus = tensor * pipeline * (1 if shared else replicas)
        how = "tensor × pipeline" if shared or replicas == 1 else "tensor × pipeline × data"
        yield Said("parallel.gpus", gpus, "inferred", "tp_size", how)


def _platform(arguments: Arguments) -> Iterator[Said]:
    """`device='cuda'` is printed on ROCm too: only a backend that exists for CUDA alone proves CUDA."""
    values = arguments.values
    device = values.get("device")
    if device in _DEVICES:
        yield Said("engine.platform", device, "resolved", "device")
    for key in ("attention_backend", "sampling_backend", "prefill_attention_backend", "decode_attention_backend"):
        if device in ("cuda", None) and isinstance(values.get(key), str) and _CUDA_BACKENDS.search(values[key]):
            yield Said("engine.platform", "cuda", "inferred", key, f"{values[key]} exists for CUDA only")
            return


def _sampling(arguments: Arguments) -> Iterator[Said]:
    if arguments.values.get("sampling_defaults") == "openai":
        yield Said("model.generation_config", "none", "resolved", "sampling_defaults")
