"""The kind of every decoder layer, in one vocabulary, from the many ways in which checkpoints list their layers.

Room: checkpoint parsers. One text configuration in, a list out; an unrecognised word stays as it stands, so that nobody
mistakes it for a known kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kvaudit.parsers.checkpoint import families
from kvaudit.parsers.checkpoint.values import as_list, as_object, positive

FULL, SLIDING, CHUNKED = "full_attention", "sliding_attention", "chunked_attention"
LINEAR, MAMBA, NONE = "linear_attention", "mamba", "no_attention"

_LONGEST = 4096
_WORDS: dict[str, str] = {
    "attention": FULL,
    "full_attention": FULL,
    "sliding_attention": SLIDING,
    "sliding_window_attention": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": LINEAR,
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
    for read in _READERS:
        found = read(text, model_type, layers)
        if found is not None:
            return found if len(found.kinds) <= _LONGEST and layers in (None, len(found.kinds)) else None
    return None


def _listed(text: dict[str, Any], _model_type: str, layers: int | None) -> Layers | None:
    """A list may go on with the layers of the MTP module (Step 3.5); they are no decoder layers."""
    for key in ("layer_types", "layers_block_type"):
        words = as_list(text.get(key))[:layers]
        if words:
            return Layers([_WORDS.get(str(word)[:40], str(word)[:40]) for word in words], key)
    return None


def _pattern(text: dict[str, Any], _model_type: str, _layers: int | None) -> Layers | None:
    letters = text.get("hybrid_override_pattern")
    if not isinstance(letters, str) or not letters:
        return None
    return Layers([_LETTERS.get(letter, letter) for letter in letters], "hybrid_override_pattern")


def _numbered(text: dict[str, Any], _model_type: str, _layers: int | None) -> Layers | None:
    """MiniMax: `attn_type_list` holds 1 for softmax attention and 0 for lightning (linear) attention."""
    numbers = as_list(text.get("attn_type_list"))
    if not numbers or any(number not in (0, 1) for number in numbers):
        return None
    return Layers([FULL if number else LINEAR for number in numbers], "attn_type_list")


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
    _blocks,
    _interval,
    _windows,
    _rope,
)
