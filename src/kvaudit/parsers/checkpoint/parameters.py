"""The number of parameters of a dense decoder, from its shape: what a prefill costs follows from it.

Room: checkpoint parsers. Pure arithmetic over a configuration. Norms and biases, some ten-thousandths, are left out. Mixtures of
experts are not counted: which of their parameters work on a token is another question.
"""

from __future__ import annotations

from kvaudit.parsers.checkpoint.shape import Decoder, head_dim_of, heads_of, hidden_of, kv_heads_of, layers_of
from kvaudit.parsers.checkpoint.values import positive, words

_GATED = words(
    """
    apertus exaone granite internlm2 internlm3 llama ministral ministral3 mistral olmo olmo2 qwen2 qwen2_vl_text qwen2_5_vl_text
    qwen3 qwen3_vl_text seed_oss smollm3
    """
)
"""Families whose MLP has three matrices (gate, up, down) in every layer."""


def dense_parameters(decoder: Decoder) -> int | None:
    """Embedding, attention, MLP and output matrix; None for any family whose matrices are not known."""
    found = [read(decoder) for read in (layers_of, heads_of, kv_heads_of, head_dim_of, hidden_of)]
    vocabulary, inner = (positive(decoder.text.get(key)) for key in ("vocab_size", "intermediate_size"))
    if decoder.model_type not in _GATED or None in found or vocabulary is None or inner is None:
        return None
    layers, heads, kv_heads, head, hidden = (one.value for one in found if one is not None)
    attention = 2 * hidden * heads * head + 2 * hidden * kv_heads * head
    tied = decoder.text.get("tie_word_embeddings", decoder.root.get("tie_word_embeddings")) is True
    return layers * (attention + 3 * hidden * inner) + vocabulary * hidden * (1 if tied else 2)
