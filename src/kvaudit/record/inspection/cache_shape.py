"""Bytes that one token takes in the KV cache of one rank, kind of layer by kind of layer, from the checkpoint alone.

Room: `record`, inspection. Where vLLM's plan is known (`simulation`), it speaks; the rest are families whose layers only a
description needs: an indexer beside a latent cache, chunks, states of unknown size, layers that differ, GGUF files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from kvaudit.parsers.checkpoint.layer_kinds import CHUNKED, CONVOLUTION, FULL, LINEAR, MAMBA, NONE, SLIDING
from kvaudit.record.engine_table import engine_table
from kvaudit.record.simulation.layers import Kind, layer_specs
from kvaudit.record.simulation.releases import Release, release
from kvaudit.record.simulation.setup import NVFP4, Setup, UnpredictableError
from kvaudit.record.simulation.states import state_bytes

WIDTHS: dict[str, float] = {"bfloat16": 2.0, "fp8": 1.0, "nvfp4": NVFP4}
"""Element types by the bytes an element takes; NVFP4 with its scales."""

LLAMA_CPP_WIDTHS: dict[str, float] = {"f16": 2.0, "q8_0": 34 / 32, "q5_0": 22 / 32, "q4_0": 18 / 32}
"""Element types of llama.cpp: blocks of 32 elements with their scales (checked against printed sizes)."""

_KINDS = frozenset({FULL, SLIDING, CHUNKED, LINEAR, MAMBA, CONVOLUTION, NONE})
_OWN_SHAPES = ("kv_lora_rank", "num_kv_shared_layers", "swa_num_key_value_heads", "swa_head_dim", "global_head_dim")
"""Keys that give layers another shape, or none of their own: only a plan that knows them counts."""

_ANY_LENGTH = 1 << 20
_SPARSE_FP8 = 656
"""Bytes of one token in FP8 beside an indexer: 512 elements, four scales of 32 bits, 64 elements in 16 bits (fp8_ds_mla)."""


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers of one kind on one rank.

    `bytes_per_token` is of one layer, by element type; `window` are the tokens kept where not all are; `state_bytes` is what a
    sequence takes whatever its length, None where not known; such a layer has no bytes per token.
    """

    kind: str
    count: int
    bytes_per_token: dict[str, float]
    window: int | None = None
    state_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class CacheShape:
    """All layers that keep something, or why they are not known. `bound` means that the figures are an upper bound."""

    layers: tuple[Layers, ...]
    why: str
    bound: str = ""

    def per_token(self, dtype: str) -> float | None:
        """Bytes of one token within every window, over all layers; states are not counted."""
        found = [layers.bytes_per_token.get(dtype) for layers in self.layers if layers.bytes_per_token]
        if not found or None in found:
            return None
        return sum(float(layers.bytes_per_token[dtype]) * layers.count for layers in self.layers if layers.bytes_per_token)

    def of_prompt(self, dtype: str, tokens: int) -> float | None:
        """Bytes of a prompt of `tokens`: windows keep no more than their own, states are added once. None where not known."""
        total = 0.0
        for layers in self.layers:
            if not layers.bytes_per_token:
                if layers.state_bytes is None:
                    return None
                total += layers.state_bytes * layers.count
                continue
            if dtype not in layers.bytes_per_token:
                return None
            total += layers.bytes_per_token[dtype] * layers.count * min(tokens, layers.window or tokens)
        return total or None


def cache_shape(config: dict[str, Any], tensor: int) -> CacheShape:
    """The layers of one of `tensor` ranks. `config` is the clue of config.json or of a GGUF file."""
    if config.get("format") == "gguf":
        return _gguf(config)
    described = _indexed(config)
    try:
        return described or _planned(config, tensor)
    except UnpredictableError as reason:
        return _listed(config, tensor) or _whole_windows(config, tensor) or CacheShape((), str(reason))


def _planned(config: dict[str, Any], tensor: int) -> CacheShape:
    """Layers as vLLM plans them: plain, latent, windowed and the hybrids whose states are known."""
    setup = Setup(config=config, version=None, tensor=tensor, max_model_len=_ANY_LENGTH, prefix_caching=False)
    return CacheShape(tuple(_merged(setup, release(Version(engine_table("vllm")["newest"])))), str(config.get("why") or ""))


def _merged(setup: Setup, newest: Release) -> list[Layers]:
    """The layers with their bytes in every element type; the kinds come in the same order for each."""
    by_width = {dtype: _specs(setup, width, newest) for dtype, width in WIDTHS.items()}
    out = []
    for index, (spec, count) in enumerate(by_width["bfloat16"] or []):
        if spec.kind is Kind.STATE:
            out.append(Layers("recurrent state", count, {}, state_bytes=state_bytes(setup)))
            continue
        found = {dtype: specs[index][0] for dtype, specs in by_width.items() if specs}
        bytes_per_token = {dtype: one.page / one.block for dtype, one in found.items()}
        latent = setup.config.get("attention") == "mla"
        kind = "latent vector" if latent else "window" if spec.kind is Kind.SLIDING else "full attention"
        out.append(Layers(kind, count, bytes_per_token, window=spec.window or None))
    return out


def _specs(setup: Setup, width: float, newest: Release) -> list[Any] | None:
    try:
        return list(layer_specs(setup, width, newest).items())
    except UnpredictableError:
        if width == WIDTHS["bfloat16"]:
            raise
        return None


def _indexed(config: dict[str, Any]) -> CacheShape | None:
    """A latent vector with an indexer beside it (DeepSeek V3.2, GLM-5): in FP8 both have a layout of their own."""
    layers, latent, rope, index = (
        _whole(config, key) for key in ("layers", "kv_lora_rank", "qk_rope_head_dim", "index_head_dim")
    )
    if config.get("attention") != "mla" or not index or not layers or not latent or not rope:
        return None
    indexer = index + index // 128 * 4
    found = {"bfloat16": 2.0 * (latent + rope) + indexer}
    if (latent, rope) == (512, 64):
        found["fp8"] = float(_SPARSE_FP8 + indexer)
    return CacheShape((Layers("latent vector and indexer", layers, found),), str(config.get("why")))


def _listed(config: dict[str, Any], tensor: int) -> CacheShape | None:
    """Layers by their list where the plan is not known: chunks, states of unknown size, layers without attention."""
    kinds, token = config.get("layer_types"), _plain_token(config, tensor)
    own_shapes = any(config.get(key) for key in _OWN_SHAPES)
    if not isinstance(kinds, list) or token is None or own_shapes or set(kinds) - _KINDS:
        return None
    if config.get("attention") == "unknown" and config.get("layer_types_from") != "block_configs":
        return None
    states = sum(kinds.count(kind) for kind in (LINEAR, MAMBA, CONVOLUTION))
    groups = (
        Layers("full attention", kinds.count(FULL), token),
        Layers("window", kinds.count(SLIDING), token, window=_whole(config, "sliding_window")),
        Layers("chunk", kinds.count(CHUNKED), token, window=_whole(config, "attention_chunk_size")),
        Layers("recurrent state", states, {}),
    )
    return CacheShape(tuple(group for group in groups if group.count), str(config.get("why")))


def _whole_windows(config: dict[str, Any], tensor: int) -> CacheShape | None:
    """Windows of layers that nobody lists: as if every layer kept all tokens."""
    layers, token = _whole(config, "layers"), _plain_token(config, tensor)
    if config.get("attention") != "sliding" or config.get("layer_types") is not None or layers is None or token is None:
        return None
    bound = "which layers keep a window is not listed; the figures are those of full attention everywhere"
    return CacheShape((Layers("full attention", layers, token),), str(config.get("why")), bound)


def _plain_token(config: dict[str, Any], tensor: int) -> dict[str, float] | None:
    heads, head = _whole(config, "kv_heads"), _whole(config, "head_dim")
    if heads is None or head is None or (heads % tensor and tensor % heads):
        return None
    elements = max(1, heads // tensor) * (head + (_whole(config, "value_head_dim") or head))
    return {dtype: elements * width for dtype, width in WIDTHS.items()}


def _gguf(config: dict[str, Any]) -> CacheShape:
    """llama.cpp keeps K and V rows of KV heads × head size for every layer that has KV heads, in blocks of 32 elements."""
    layers, head, why = _whole(config, "layers"), _whole(config, "head_dim"), str(config.get("why"))
    listed = config.get("kv_heads_per_layer") or [config.get("kv_heads")] * (layers or 0)
    if not layers or not head or config.get("attention") == "unknown" or not all(isinstance(count, int) for count in listed):
        return CacheShape((), why)
    value = _whole(config, "value_head_dim") or head
    groups = []
    for heads in sorted({count for count in listed if count}):
        token = {name: heads * (head + value) * width for name, width in LLAMA_CPP_WIDTHS.items()}
        groups.append(Layers("full attention", listed.count(heads), token))
    if config.get("attention") == "hybrid":
        groups.append(Layers("recurrent state", max(1, listed.count(0)), {}))
    bound = "layers with a window keep fewer tokens" if config.get("attention") == "sliding" else ""
    return CacheShape(tuple(groups), why, bound)


def _whole(config: dict[str, Any], key: str) -> int | None:
    value = config.get(key)
    return value if isinstance(value, int) and value > 0 else None
