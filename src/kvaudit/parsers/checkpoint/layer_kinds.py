"""The kind of every decoder layer, in one vocabulary, from the many ways in which checkpoints list their layers.

Room: checkpoint parsers. One text configuration in, a list out; an unrecognised word stays as it stands, so that nobody
mistakes it for a known kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kvaudit.parsers.checkpoint import families
from kvaudit.parsers.checkpoint.values import as_list, as_object, positive, word, words

FULL, SLIDING, CHUNKED = "full_attention", "sliding_attention", "chunked_attention"
LINEAR, MAMBA, CONVOLUTION, NONE = "linear_attention", "mamba", "convolution", "no_attention"

_LONGEST = 4096
_LISTS = words(
    "attn_type_list block_configs hybrid_layer_pattern hybrid_override_pattern layer_types layers_block_type no_rope_layers"
)
_WORDS: dict[str, str] = {
    "attention": FULL,
    "full_attention": FULL,
    "sliding_attention": SLIDING,
    "sliding_window_attention": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": LINEAR,
    "conv": CONVOLUTION,
    "mamba": MAMBA,
    "mamba2": MAMBA,
    "moe": NONE,
    "mlp": NONE,
}
# NVIDIA Nemotron-H: M a Mamba layer, * attention, - an MLP, E experts.
_LETTERS = {"M": MAMBA, "*": FULL, "-": NONE, "E": NONE}


class Layers(NamedTuple):
    """Layer kinds, and the key (or rule) that says so."""

    kinds: list[str]
    source: str


def layer_kinds(text: dict[str, Any], model_type: str, layers: int | None) -> Layers | None:
    """The kinds of the decoder layers, or None where the configuration does not tell or contradicts its layer count."""
    if any(isinstance(text.get(key), list | str) and len(text[key]) > _LONGEST for key in _LISTS):
        return None
    for read in _READERS:
        found = read(text, model_type, layers)
        if found is not None:
            return found if layers in (None, len(found.kinds)) else None
    return None


def _listed(text: dict[str, Any], _model_type: str, layers: int | None) -> Layers | None:
    """A list may go on with the layers of the MTP module (Step 3.5); they are no decoder layers."""
    for key in ("layer_types", "layers_block_type"):
        items = as_list(text.get(key))[:layers]
        if items:
            return Layers([_kind(item) for item in items], key)
    return None


def _kind(item: Any) -> str:
    name = word(item) or "unrecognised"
    return _WORDS.get(name, name[:40])


def _pattern(text: dict[str, Any], _model_type: str, _layers: int | None) -> Layers | None:
    letters = text.get("hybrid_override_pattern")
    if not isinstance(letters, str) or not letters:
        return None
    return Layers([_LETTERS.get(letter) or _kind(letter) for letter in letters], "hybrid_override_pattern")


def _numbered(text: dict[str, Any], _model_type: str, _layers: int | None) -> Layers | None:
    """MiniMax: `attn_type_list` holds 1 for softmax attention and 0 for lightning (linear) attention."""
    numbers = as_list(text.get("attn_type_list"))
    if not numbers or any(number not in (0, 1) for number in numbers):
        return None
    return Layers([FULL if number else LINEAR for number in numbers], "attn_type_list")


def _flagged(text: dict[str, Any], _model_type: str, layers: int | None) -> Layers | None:
    """MiMo-V2: `hybrid_layer_pattern` holds 1 for layers with a window and 0 for full ones."""
    flags = as_list(text.get("hybrid_layer_pattern"))[:layers]
    if not flags or any(flag not in (0, 1) for flag in flags):
        return None
    return Layers([SLIDING if flag else FULL for flag in flags], "hybrid_layer_pattern")


def _blocks(text: dict[str, Any], _model_type: str, _layers: int | None) -> Layers | None:
    """Nemotron-NAS: one entry a layer, whose attention may be left out or replaced by a linear one."""
    blocks = [as_object(as_object(block).get("attention")) for block in as_list(text.get("block_configs"))]
    if not blocks or not all(blocks):
        return None
    without = [bool(block.get("no_op") or block.get("replace_with_linear")) for block in blocks]
    return Layers([NONE if empty else FULL for empty in without], "block_configs")


def _interval(text: dict[str, Any], _model_type: str, layers: int | None) -> Layers | None:
    every = positive(text.get("full_attention_interval"))
    return _every(layers, every, LINEAR, "full_attention_interval")


def _windows(text: dict[str, Any], model_type: str, layers: int | None) -> Layers | None:
    every = positive(text.get("sliding_window_pattern")) or positive(text.get("_sliding_window_pattern"))
    if every is not None:
        return _every(layers, every, SLIDING, "sliding_window_pattern")
    if positive(text.get("sliding_window")) is None:
        return None
    return _every(layers, families.FULL_EVERY.get(model_type), SLIDING, f"rule of {model_type}")


def _rope(text: dict[str, Any], model_type: str, _layers: int | None) -> Layers | None:
    """Llama 4: layers without rotary embedding are full, the others keep a chunk."""
    flags = as_list(text.get("no_rope_layers"))
    if not flags or not model_type.startswith("llama4") or positive(text.get("attention_chunk_size")) is None:
        return None
    return Layers([CHUNKED if rotary else FULL for rotary in flags], "no_rope_layers")


def _every(layers: int | None, every: int | None, other: str, source: str) -> Layers | None:
    if layers is None or every is None or layers > _LONGEST:
        return None
    return Layers([FULL if (index + 1) % every == 0 else other for index in range(layers)], source)


_READERS: tuple[Callable[[dict[str, Any], str, int | None], Layers | None], ...] = (
    _listed,
    _pattern,
    _numbered,
    _flagged,
    _blocks,
    _interval,
    _windows,
    _rope,
)
