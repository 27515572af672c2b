"""What only the pair can prove: equal or different KV element types with both values unknown.

Room: `audit`. A record knows only its own arm; here two arms of one model and layout are weighed against each other. Source:
for one layout, KV memory ÷ tokens is proportional to the bytes per element on plain attention; elsewhere the simulation says
what 16 and 8 bits would print.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.report import Difference
from kvaudit.record.model import Record

FIELD = "kv_cache.dtype"
_EQUAL_WITHIN = 0.005
_DIFFERENT_WITHIN = 0.03
_MATERIAL = 0.1
"""Two element widths of one layout are further apart than this, recurrent states and all."""
_WEIGHTS_WITHIN = 0.01
"""An unpinned name may have moved between two starts; weights of another size say that it did."""
_SAME_SETTINGS = (
    "engine.name",
    "engine.version",
    "parallel.tensor",
    "parallel.pipeline",
    "parallel.context",
    "parallel.data",
    "parallel.expert",
    "model.max_len",
    "speculative.method",
    "speculative.tokens",
    "kv_cache.prefix_caching",
)
_GEOMETRY = ("layers", "kv_heads", "head_dim", "attention", "sliding_window", "kv_lora_rank", "qk_rope_head_dim", "layer_types")
_PLAIN_ARCHITECTURES = frozenset(
    {
        "LlamaForCausalLM",
        "Qwen2ForCausalLM",
        "Qwen2MoeForCausalLM",
        "Qwen3ForCausalLM",
        "Qwen3MoeForCausalLM",
        "MixtralForCausalLM",
        "OPTForCausalLM",
        "GPT2LMHeadModel",
        "Phi3ForCausalLM",
    }
)


def kv_dtype_difference(a: Record, b: Record) -> Difference | None:
    """The proof about two KV element types of which at least one is not known; None where the pair proves nothing."""
    ratio = bytes_ratio(a, b)
    if ratio is None or not same_layout(a, b):
        return None
    states = (a.state(FIELD), b.state(FIELD))
    values = (a.value(FIELD), b.value(FIELD))
    if abs(ratio - 1) <= _EQUAL_WITHIN:
        return Difference(field=FIELD, values=values, states=states, class_="context", proof="equal")
    if _plainly_different(a, b, ratio) or _simulated_different(a, b, ratio):
        return Difference(field=FIELD, values=values, states=states, class_="confound", proof="different")
    return None


def _plainly_different(a: Record, b: Record, ratio: float) -> bool:
    return plain(a) and plain(b) and min(abs(ratio / 2 - 1), abs(ratio * 2 - 1)) <= _DIFFERENT_WITHIN


def _simulated_different(a: Record, b: Record, ratio: float) -> bool:
    """Whether the ratio is the one that 16 bits against 8 give on this layout, by the simulation with both widths."""
    config = a.clue("clue.checkpoint_config") or b.clue("clue.checkpoint_config")
    if not isinstance(config, dict):
        return False
    from kvaudit.record.simulation.gather import setup_of
    from kvaudit.record.simulation.setup import UnpredictableError
    from kvaudit.record.simulation.unit import bits_ratio

    try:
        left, right = setup_of(a, config), setup_of(b, config)
        expected = bits_ratio(left, left.model_width, right, 1.0), bits_ratio(left, 1.0, right, right.model_width)
    except UnpredictableError:
        return False
    return any(abs(ratio / one - 1) <= _EQUAL_WITHIN and abs(one - 1) > _MATERIAL for one in expected)


def bytes_ratio(a: Record, b: Record) -> float | None:
    """Bytes per token of a ÷ those of b, None unless both are known and of a sane size."""
    left, right = a.value("kv_cache.bytes_per_token"), b.value("kv_cache.bytes_per_token")
    if not isinstance(left, int | float) or not isinstance(right, int | float) or not left or not right:
        return None
    ratio = left / right
    return ratio if 0 < ratio < float("inf") else None


def same_layout(a: Record, b: Record) -> bool:
    """Whether both arms lay their KV cache out alike, so that only the element width can make bytes per token differ."""
    if any(a.state(name) != "known" or a.value(name) != b.value(name) for name in _SAME_SETTINGS if _set(a, b, name)):
        return False
    return _same_model(a, b) or _same_geometry(a, b)


def _set(a: Record, b: Record, name: str) -> bool:
    """Settings that neither arm prints (draft length without drafting) cannot differ."""
    return a.state(name) == "known" or b.state(name) == "known" or name in ("engine.name", "engine.version")


def _same_model(a: Record, b: Record) -> bool:
    path = a.value("model.path")
    if path is None or path != b.value("model.path"):
        return False
    if a.value("model.architecture") != b.value("model.architecture"):
        return False
    hashes = a.value("model.hash"), b.value("model.hash")
    if None not in hashes:
        return bool(hashes[0] == hashes[1])
    if a.value("model.revision") != b.value("model.revision"):
        return False
    weights = a.value("model.weights_gib"), b.value("model.weights_gib")
    if isinstance(weights[0], dict) or isinstance(weights[1], dict):  # several servers
        return bool(weights[0] == weights[1])
    return None in weights or bool(abs(weights[0] - weights[1]) <= _WEIGHTS_WITHIN * max(weights))


def _same_geometry(a: Record, b: Record) -> bool:
    configs = [arm.clue("clue.checkpoint_config") for arm in (a, b)]
    if not all(isinstance(config, dict) for config in configs):
        return False
    return all(configs[0].get(key) == configs[1].get(key) for key in _GEOMETRY)


def plain(record: Record) -> bool:
    """Whether every layer keeps full, uncompressed KV: by the checkpoint, else by an architecture that has no other kind."""
    config: Any = record.clue("clue.checkpoint_config")
    if isinstance(config, dict):
        return bool(config.get("attention") == "plain")
    no_draft = record.value("speculative.method") == "none"
    return no_draft and record.value("model.architecture") in _PLAIN_ARCHITECTURES
