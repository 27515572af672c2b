"""The shape of a decoder under the many names that configurations give it: layers, heads, head size, where it stands.

Room: checkpoint parsers. A value is found with the JSON pointer of its key, or it is unknown; class defaults are used only
where the family's configuration class is known to take them (`families`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.checkpoint import families
from kvaudit.parsers.checkpoint.layer_kinds import FULL, Layers, layer_kinds
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.values import as_list, as_object, positive, word

# Where multimodal configurations keep the decoder (vLLM 0.33 looks in the same places, in this order).
_TEXT_KEYS: tuple[tuple[str, ...], ...] = (
    ("text_config",),
    ("llm_config",),
    ("language_config",),
    ("thinker_config", "text_config"),
)
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_HEADS = ("num_attention_heads", "n_head", "n_heads")
_KV_HEADS = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups")
_HEAD_DIM = ("head_dim", "attention_head_dim", "hidden_size_per_head", "kv_channels")
_HIDDEN = ("hidden_size", "n_embd", "d_model")


@dataclass(frozen=True, slots=True)
class Found:
    """A whole number, the pointers of the keys it comes from, and how (where it does not simply stand there)."""

    value: int
    pointers: tuple[str, ...]
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Decoder:
    """The part of a configuration that describes the decoder: `path` leads to it, empty when it is the whole document."""

    root: dict[str, Any]
    path: tuple[str, ...]
    text: dict[str, Any]

    @property
    def model_type(self) -> str:
        """`model_type` of the decoder, else of the whole configuration, else empty."""
        return word(self.text.get("model_type")) or word(self.root.get("model_type")) or ""

    def pointer(self, key: str) -> str:
        """The pointer of a key of the decoder."""
        return pointer_of(*self.path, key)

    def first(self, keys: tuple[str, ...]) -> Found | None:
        """The first of `keys` that holds a number above zero."""
        for key in keys:
            number = positive(self.text.get(key))
            if number is not None:
                return Found(number, (self.pointer(key),))
        return None


def decoder_of(root: dict[str, Any]) -> Decoder:
    """The decoder's part of a configuration."""
    for path in _TEXT_KEYS:
        text: dict[str, Any] = root
        for key in path:
            text = as_object(text.get(key))
        if text:
            return Decoder(root, path, text)
    return Decoder(root, (), root)


def layers_of(decoder: Decoder) -> Found | None:
    """The number of decoder layers; Nemotron-H of transformers 5 lists them without a count."""
    stated = decoder.first(_LAYERS)
    if stated is not None:
        return stated
    listed = as_list(decoder.text.get("layers_block_type"))
    if not listed:
        return None
    return Found(len(listed), (decoder.pointer("layers_block_type"),), "length of layers_block_type")


def heads_of(decoder: Decoder) -> Found | None:
    """The number of query heads."""
    return decoder.first(_HEADS)


def hidden_of(decoder: Decoder) -> Found | None:
    """The width of the residual stream."""
    return decoder.first(_HIDDEN)


def kinds_of(decoder: Decoder) -> Layers | None:
    """The kind of every layer, where the configuration tells."""
    layers = layers_of(decoder)
    return layer_kinds(decoder.text, decoder.model_type, layers.value if layers else None)


def kv_heads_of(decoder: Decoder) -> Found | None:
    """The number of key/value heads before tensor parallelism."""
    special = _falcon(decoder) or _blocks(decoder)
    if special is not None:
        return special
    keys = tuple(key for key in _KV_HEADS if key != "multi_query_group_num" or decoder.text.get("multi_query_attention"))
    stated = decoder.first(keys)
    if stated is not None:
        return stated
    heads = heads_of(decoder)
    unset = all(decoder.text.get(key) is None for key in _KV_HEADS)
    if heads is None or not unset or decoder.model_type not in families.ONE_KV_HEAD_PER_HEAD:
        return None
    return Found(heads.value, heads.pointers, f"no key/value head count: {decoder.model_type} has one for each head")


def _falcon(decoder: Decoder) -> Found | None:
    """Falcon before its new decoder: `multi_query` means one KV head, whatever the counts say."""
    text = decoder.text
    if decoder.model_type not in ("falcon", "RefinedWeb", "RefinedWebModel") or text.get("new_decoder_architecture"):
        return None
    return Found(1, (decoder.pointer("multi_query"),), "multi_query") if text.get("multi_query") is True else None


def _blocks(decoder: Decoder) -> Found | None:
    """Nemotron-NAS states heads per group; a number only where all layers with attention agree."""
    kinds, heads = kinds_of(decoder), heads_of(decoder)
    if kinds is None or kinds.source != "block_configs" or heads is None:
        return None
    blocks = [as_object(block)["attention"] for block in as_list(decoder.text.get("block_configs"))]
    kept = {positive(block.get("n_heads_in_group")) for block, kind in zip(blocks, kinds.kinds, strict=True) if kind == FULL}
    group = kept.pop() if len(kept) == 1 else None
    if group is None or heads.value % group:
        return None
    pointers = (decoder.pointer("block_configs"), *heads.pointers)
    return Found(heads.value // group, pointers, "num_attention_heads // n_heads_in_group, equal in all layers with attention")


def head_dim_of(decoder: Decoder) -> Found | None:
    """The size of one attention head: as stated, else by division where the family is known to divide.

    With latent attention (MLA) only a stated size counts: hidden_size // heads is no size of anything there.
    """
    stated = decoder.first(_HEAD_DIM)
    if stated is not None:
        return stated
    hidden, heads = hidden_of(decoder), heads_of(decoder)
    divides = decoder.model_type in families.HEAD_DIM_BY_DIVISION and decoder.text.get("kv_lora_rank") is None
    if not divides or hidden is None or heads is None or hidden.value % heads.value:
        return None
    return Found(hidden.value // heads.value, hidden.pointers + heads.pointers, "hidden_size // num_attention_heads")
