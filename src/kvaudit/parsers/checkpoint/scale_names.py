"""Tensor names of KV scales, of the layers they belong to, and of the projections that show which layers have attention.

Room: checkpoint parsers. Names only. Writers and remaps: vLLM 0.33 `maybe_remap_kv_scale_name` and `get_cache_scale`, and the
same table in SGLang 0.5.23. `.weight_scale`, `.input_scale` and `.weight_scale_inv` scale weights and activations, not the cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from kvaudit.parsers.checkpoint.values import words
from kvaudit.patterns import LatePattern

Tensor = Literal["k", "v", "kv", "q", "probability", "zero_point"]

_LAYER_WORDS = frozenset({"layers", "h", "blocks", "blk"})
_PROJECTIONS = words(
    """
    attn_k attn_qkv attn_v c_attn k k_proj kv_a_proj kv_a_proj_with_mqa kv_b_proj kv_proj qkqkv_proj qkv qkv_proj
    query_key_value v v_proj W_pack Wpack wk wkv wqkv wv
    """
)
_WEIGHTS = frozenset({"weight", "weight_packed", "qweight", "weight_scale"})
_OTHER_TOWER = LatePattern(r"(?:^|\.)(?:visual|vision\w*|audio\w*|image\w*|encoder|vit|mm\w*|sam_model|speech\w*)\.")

_DIGITS = 5
_EMBEDDINGS = ("embed_tokens.weight", "word_embeddings.weight", "wte.weight", "embeddings.weight")
_NORMS = ("norm.weight", "norm_f.weight", "ln_f.weight", "norm_out.weight")
_FUSED = ("qkv_proj", "qkqkv_proj")
_SUFFIXES: tuple[tuple[str, Tensor, str], ...] = (
    (".k_proj.output_scale", "k", "output"),
    (".v_proj.output_scale", "v", "output"),
    (".q_proj.output_scale", "q", "output"),
    (".prob_output_scale", "probability", "output"),
    (".k_cache.scale", "k", "cache"),
    (".v_cache.scale", "v", "cache"),
    (".self_attn.q.scale", "q", "cache"),
    (".kv_scale", "kv", "joint"),
    (".k_scale", "k", "attention"),
    (".v_scale", "v", "attention"),
    (".q_scale", "q", "attention"),
    (".k_zero_point", "zero_point", "attention"),
    (".v_zero_point", "zero_point", "attention"),
    (".q_zero_point", "zero_point", "attention"),
)
_ENDINGS = tuple(suffix for suffix, _, _ in _SUFFIXES)

SCHEMES: dict[str, str] = {
    "attention": "…self_attn.k_scale (llm-compressor, AutoFP8, TGI)",
    "projection": "…k_proj.k_scale (ModelOpt), moved to the attention layer by the loaders",
    "fused": "…qkv_proj.k_scale (fused projections), moved to the attention layer by the loaders",
    "output": "…k_proj.output_scale (Quark, early compressed-tensors), renamed to k_scale by the loaders",
    "cache": "…k_cache.scale (AngelSlim), renamed to k_scale by vLLM",
    "joint": "…kv_scale (AutoFP8 before 0.2): one scale for K and V, deprecated in vLLM",
}
"""What a naming scheme looks like, who writes it, and what a loader does with it."""


class ScaleName(NamedTuple):
    """What a KV scale is of: the layer it belongs to, the tensor it scales, the naming scheme."""

    layer: str
    tensor: Tensor
    scheme: str


def scale_of(name: str) -> ScaleName | None:
    """The KV scale that a tensor name means, None for any other tensor."""
    if not name.endswith(_ENDINGS):
        return None
    for suffix, tensor, scheme in _SUFFIXES:
        if name.endswith(suffix) and not _OTHER_TOWER.search(name):
            owner = name[: -len(suffix)].rpartition(".")[2]
            return ScaleName(layer_of(name) or name[: -len(suffix)], tensor, _scheme(owner, scheme))
    return None


def _scheme(owner: str, scheme: str) -> str:
    if scheme != "attention":
        return scheme
    return "fused" if owner in _FUSED else "projection" if owner.endswith("_proj") else scheme


def layer_of(name: str) -> str | None:
    """The layer a tensor belongs to, by its name up to the number: `model.layers.7`."""
    parts = name.split(".")
    for index, part in enumerate(parts[:-2]):
        if part in _LAYER_WORDS and parts[index + 1].isdecimal() and len(parts[index + 1]) <= _DIGITS:
            return ".".join(parts[: index + 2])
    return None


def attention_layers(names: Iterable[str]) -> list[str]:
    """Layers that have K or V projections, towers for images and sound left out."""
    found = (layer_of(name) for name in names if _is_projection(name) and not _OTHER_TOWER.search(name))
    return list(dict.fromkeys(layer for layer in found if layer))


def _is_projection(name: str) -> bool:
    parts = name.rsplit(".", 2)
    return len(parts) == 3 and parts[2] in _WEIGHTS and parts[1] in _PROJECTIONS


def is_whole(names: Iterable[str]) -> bool:
    """Whether the names can be those of a whole decoder: embedding, last norm, and layers without a gap from 0."""
    embedding = norm = False
    layers: set[str] = set()
    for name in names:
        layer = layer_of(name)
        if layer is not None:
            layers.add(layer)
            continue
        embedding = embedding or name.endswith(_EMBEDDINGS)
        norm = norm or name.endswith(_NORMS)
    numbers = {int(layer.rpartition(".")[2]) for layer in layers if not _OTHER_TOWER.search(f"{layer}.")}
    return embedding and norm and bool(numbers) and numbers == set(range(max(numbers) + 1))
