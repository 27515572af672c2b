"""What a GGUF model keeps in its KV cache, in the vocabulary that checkpoints in the Hugging Face format have too.

Room: gguf parser. Keys of llama.cpp b2000 to b11434; an architecture that stands in no table is unknown, never taken for plain.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.checkpoint.layer_kinds import FULL, NONE
from kvaudit.parsers.checkpoint.values import positive, words
from kvaudit.parsers.gguf.header import Header

PLAIN = words(
    """
    apertus arcee baichuan bailingmoe chatglm command-r deepseek dots1 ernie4_5 ernie4_5-moe exaone falcon gemma glm4 glm4moe gpt2
    gptneox granite granitemoe hunyuan-dense hunyuan-moe internlm2 llama minicpm minimax-m2 nemotron olmo olmo2 olmoe orion phi2
    qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe qwen3vl qwen3vlmoe refact seed_oss smollm3 stablelm starcoder2 xverse
    """
)
"""Every layer keeps K and V of all tokens, in one shape, unless a key of the file says otherwise."""

_RECURRENT = ("ssm.", "shortconv.", "wkv.", "token_shift_count", "kda.")


def shape_of(header: Header, architecture: str) -> dict[str, Any]:
    """The clue `clue.checkpoint_config` of a GGUF file; what the file does not say is None."""
    heads, listed = _number(header, architecture, "attention.head_count"), _per_layer(header, architecture)
    layers = _number(header, architecture, "block_count")
    hidden = _number(header, architecture, "embedding_length")
    key = _number(header, architecture, "attention.key_length") or _divided(hidden, heads)
    value = _number(header, architecture, "attention.value_length") or key
    attention, why = _attention(header, architecture, listed)
    kinds = [FULL if count else NONE for count in listed] if listed else None
    return {
        "format": "gguf",
        "model_type": architecture,
        "architecture": architecture,
        "layers": layers,
        "heads": heads,
        "kv_heads": _kv_heads(header, architecture, listed, heads),
        "kv_heads_per_layer": listed if listed and len(set(listed)) > 1 else None,
        "head_dim": key,
        "value_head_dim": value if value != key else None,
        "hidden_size": hidden,
        "attention": attention,
        "why": why,
        "layer_types": kinds if kinds and NONE in kinds else None,
        "sliding_window": _number(header, architecture, "attention.sliding_window"),
        "max_position_embeddings": _number(header, architecture, "context_length"),
    }


def _number(header: Header, architecture: str, key: str) -> int | None:
    return positive(header.pairs.get(f"{architecture}.{key}"))


def _per_layer(header: Header, architecture: str) -> list[int] | None:
    """KV heads layer by layer, where the file lists them; 0 is a layer without attention."""
    found = header.pairs.get(f"{architecture}.attention.head_count_kv")
    if not isinstance(found, list) or not all(isinstance(count, int) and 0 <= count < 1 << 16 for count in found):
        return None
    return found or None


def _kv_heads(header: Header, architecture: str, listed: list[int] | None, heads: int | None) -> int | None:
    """KV heads of the layers that have some; a file without the key has one for each head."""
    if listed:
        counts = {count for count in listed if count}
        return counts.pop() if len(counts) == 1 else None
    key = f"{architecture}.attention.head_count_kv"
    return positive(header.pairs.get(key)) if key in header.pairs else heads


def _divided(hidden: int | None, heads: int | None) -> int | None:
    return hidden // heads if hidden and heads and hidden % heads == 0 else None


def _attention(header: Header, architecture: str, listed: list[int] | None) -> tuple[str, str]:
    """Kind of attention and why, as `parsers.checkpoint.geometry` says it."""
    own = {key.removeprefix(f"{architecture}.") for key in header.pairs if key.startswith(f"{architecture}.")}
    if "attention.kv_lora_rank" in own:
        return "unknown", f"{architecture}: how a latent cache is kept depends on the build of llama.cpp"
    if any(key.startswith(_RECURRENT) for key in own) or (listed and 0 in listed):
        return "hybrid", f"{architecture} has layers that keep a state instead of K and V"
    if header.count(f"{architecture}.attention.sliding_window"):
        return "sliding", f"{architecture} with attention.sliding_window"
    if listed and len(set(listed)) > 1:
        return "unknown", "layers differ in their KV heads"
    if architecture in PLAIN:
        return "plain", f"{architecture}: full attention in every layer"
    return "unknown", f"the architecture {architecture!r} stands in no table"
