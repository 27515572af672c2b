"""Invented models for the simulation's tests, small enough to plan by hand."""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.checkpoint.geometry import geometry
from kvaudit.parsers.checkpoint.shape import decoder_of
from kvaudit.record.simulation.setup import Setup
from kvaudit.record.versions import bounds

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"

# 4 layers x 2 KV heads x 64: 2 x 2 x 64 x 2 = 512 bytes a token and layer at 16 bits.
PLAIN: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "hidden_size": 512,
}
# 3 full and 6 windowed layers, 1 KV head of 128: 2 x 128 x 2 = 512 bytes a token and layer at 16 bits.
WINDOWED: dict[str, Any] = {
    "model_type": "gpt_oss",
    "num_hidden_layers": 9,
    "num_attention_heads": 8,
    "num_key_value_heads": 1,
    "head_dim": 128,
    "hidden_size": 1024,
    "sliding_window": 100,
    "layer_types": [FULL, SLIDING, SLIDING] * 3,
}
# 2 full layers of 1 x 64 (256 bytes a token at 16 bits) and 6 with a recurrent state of
# (4 - 1) x (2 x 2 x 32 + 4 x 32) x 2 + 4 x 32 x 32 x 4 = 1,536 + 16,384 = 17,920 bytes.
RECURRENT: dict[str, Any] = {
    "model_type": "qwen3_5_text",
    "num_hidden_layers": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "head_dim": 64,
    "hidden_size": 256,
    "full_attention_interval": 4,
    "linear_conv_kernel_dim": 4,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 32,
    "linear_value_head_dim": 32,
    "mamba_ssm_dtype": "float32",
}
# 3 layers of a latent vector of 96 + 32 elements: 256 bytes a token and layer at 16 bits.
LATENT: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "hidden_size": 1024,
    "kv_lora_rank": 96,
    "qk_rope_head_dim": 32,
    "num_nextn_predict_layers": 1,
}


def shape(model: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What the checkpoint parser says of a model."""
    return geometry(decoder_of(model | changes))


def setup(model: dict[str, Any], version: str = "0.25.1", max_model_len: int = 4096, **facts: Any) -> Setup:
    """A start of a model on one GPU; `facts` are fields of `Setup`, `model_changes` keys of the model."""
    config = shape(model, **facts.pop("model_changes", {}))
    known = {"tensor": 1, "batched_tokens": 2048, "prefix_caching": False} | facts
    return Setup(config=config, version=bounds(version), max_model_len=max_model_len, **known)
