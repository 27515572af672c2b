"""What a list of tensor names says of KV scales, as one clue.

Room: checkpoint parsers, shared by the index and the headers. Whether the scales are enough for every layer is decided in
`record`, where the lists of all files come together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kvaudit.parsers.checkpoint.scale_names import ScaleName, attention_layers, scale_of

_MOST_LAYERS = 4096


def scale_clue(names: Sequence[str], listing: str) -> dict[str, Any]:
    """The clue `clue.kv_scales`: layers with K scales, with V scales, and with attention; `listing` is `index` or `header`."""
    found = [scale for name in names if (scale := scale_of(name))]
    return {
        "listing": listing,
        "tensors": len(names),
        "k": _layers(found, "k", "kv"),
        "v": _layers(found, "v", "kv"),
        "q": len(_layers(found, "q")),
        "schemes": sorted({scale.scheme for scale in found if scale.tensor in ("k", "v", "kv")}),
        "attention_layers": attention_layers(names)[:_MOST_LAYERS],
    }


def _layers(found: Sequence[ScaleName], *tensors: str) -> list[str]:
    return list(dict.fromkeys(scale.layer for scale in found if scale.tensor in tensors))[:_MOST_LAYERS]


def scale_tensors(names: Sequence[str]) -> list[str]:
    """The names that are K or V scales."""
    return [name for name in names if (scale := scale_of(name)) and scale.tensor in ("k", "v", "kv")]


def shown_tensors(names: Sequence[str]) -> list[str]:
    """The first K scale and the first V scale: what the evidence shows."""
    first: dict[str, str] = {}
    for name in scale_tensors(names):
        scale = scale_of(name)
        first.setdefault(scale.tensor if scale else "", name)
    return list(first.values())[:2]
