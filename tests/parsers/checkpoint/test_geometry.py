from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint.geometry import geometry, latent_elements_per_token, plain_elements_per_token
from kvaudit.parsers.checkpoint.shape import decoder_of

SHAPE = {
    "num_hidden_layers": 4,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_size": 4096,
}
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


def described(model_type: str | None, **changes: Any) -> dict[str, Any]:
    return geometry(decoder_of(SHAPE | {"model_type": model_type} | changes))


FAMILIES: list[tuple[str | None, dict[str, Any], str]] = [
    ("llama", {}, "plain"),
    ("llama", {"layer_types": [FULL] * 4}, "plain"),
    ("llama", {"layer_types": [FULL] * 3 + ["novel_attention"]}, "unknown"),
    ("llama", {"layer_types": [FULL] * 3 + [7]}, "unknown"),
    ("mistral", {"sliding_window": None}, "plain"),
    ("mistral", {"sliding_window": 4096}, "sliding"),
    ("mistral", {}, "unknown"),
    ("qwen2", {"sliding_window": 32768, "use_sliding_window": False}, "plain"),
    ("qwen2", {"sliding_window": 32768}, "plain"),
    ("qwen2", {"sliding_window": 32768, "use_sliding_window": True}, "sliding"),
    ("qwen2", {"use_sliding_window": True}, "unknown"),
    ("qwen3_moe", {"sliding_window": None}, "plain"),
    ("phi3", {"sliding_window": 2047}, "sliding"),
    ("minimax_m2", {"attn_type_list": [1, 1, 1, 1]}, "plain"),
    ("minimax_m1", {"attn_type_list": [0, 0, 0, 1]}, "hybrid"),
    ("llama", {"num_kv_shared_layers": 2}, "unknown"),
    ("llama", {"v_head_dim": 64}, "unknown"),
    ("llama", {"v_head_dim": 128}, "plain"),
    ("llama", {"is_encoder_decoder": True}, "unknown"),
    ("hunyuan_v1_dense", {"use_cla": True}, "unknown"),
    ("deepseek_v3", {"kv_lora_rank": 512, "qk_rope_head_dim": 64}, "mla"),
    ("minicpm3", {"kv_lora_rank": 256}, "unknown"),
    ("kimi_linear", {"kv_lora_rank": 512}, "hybrid"),
    ("deepseek_v4", {"compress_ratios": [0, 4]}, "unknown"),
    ("minimax_m3_vl", {"sparse_attention_config": {"sparse_index_dim": 128}}, "unknown"),
    ("gpt_oss", {"sliding_window": 128, "layer_types": [SLIDING, FULL] * 2}, "sliding"),
    ("gemma3_text", {"sliding_window": 1024}, "sliding"),
    ("exaone4", {"sliding_window": None}, "unknown"),
    ("exaone4", {"sliding_window": 4096, "sliding_window_pattern": "LLLG"}, "sliding"),
    ("llama4_text", {"attention_chunk_size": 8192}, "sliding"),
    ("qwen3_next", {"full_attention_interval": 4}, "hybrid"),
    ("qwen3_5_text", {"layer_types": [LINEAR] * 3 + [FULL]}, "hybrid"),
    ("granitemoehybrid", {"layer_types": ["attention"] * 4}, "unknown"),
    ("jamba", {"attn_layer_period": 8}, "hybrid"),
    ("nemotron_h", {"hybrid_override_pattern": "M*-E"}, "hybrid"),
    ("nemotron-nas", {"block_configs": [{"attention": {"no_op": True}}] * 4}, "unknown"),
    ("lfm2", {"layer_types": ["conv", "conv", FULL, "conv"]}, "hybrid"),
    ("mimo_v2_flash", {"hybrid_layer_pattern": [0, 1, 1, 0], "sliding_window_size": 128, "v_head_dim": 64}, "sliding"),
    ("mllama_text_model", {"cross_attention_layers": [1]}, "unknown"),
    ("never-heard-of", {}, "unknown"),
    (None, {}, "unknown"),
]


@pytest.mark.parametrize(("model_type", "changes", "attention"), FAMILIES)
def test_the_attention_of_a_family_and_a_reason(model_type: str | None, changes: dict[str, Any], attention: str) -> None:
    found = described(model_type, **changes)
    assert found["attention"] == attention
    assert found["why"]
    assert (plain_elements_per_token(found, 1) is not None) == (attention == "plain")


@pytest.mark.parametrize(
    ("changes", "kinds", "source"),
    [
        ({"layer_types": [SLIDING, FULL, SLIDING, FULL]}, [SLIDING, FULL, SLIDING, FULL], "layer_types"),
        ({"layer_types": [SLIDING, FULL] * 3}, [SLIDING, FULL, SLIDING, FULL], "layer_types"),
        ({"layer_types": [SLIDING]}, None, None),
        (
            {"layers_block_type": ["mamba", "moe", "attention", "mlp"]},
            ["mamba", "no_attention", FULL, "no_attention"],
            "layers_block_type",
        ),
        ({"hybrid_override_pattern": "ME*-"}, ["mamba", "no_attention", FULL, "no_attention"], "hybrid_override_pattern"),
        ({"hybrid_override_pattern": "ME*"}, None, None),
        ({"full_attention_interval": 2}, [LINEAR, FULL, LINEAR, FULL], "full_attention_interval"),
        ({"sliding_window": 512, "sliding_window_pattern": 2}, [SLIDING, FULL, SLIDING, FULL], "sliding_window_pattern"),
        ({"model_type": "cohere2", "sliding_window": 512}, [SLIDING, SLIDING, SLIDING, FULL], "rule of cohere2"),
        (
            {"model_type": "llama4_text", "attention_chunk_size": 8192, "no_rope_layers": [1, 1, 1, 0]},
            ["chunked_attention"] * 3 + [FULL],
            "no_rope_layers",
        ),
        ({"model_type": "smollm3", "no_rope_layers": [1, 1, 1, 0]}, None, None),
        ({"attn_type_list": [1, 2, 1, 1]}, None, None),
        ({"num_hidden_layers": 10**9, "full_attention_interval": 2}, None, None),
    ],
)
def test_layers_are_listed_in_one_vocabulary(changes: dict[str, Any], kinds: list[str] | None, source: str | None) -> None:
    found = described(changes.pop("model_type", "some_type"), **changes)
    assert (found["layer_types"], found["layer_types_from"]) == (kinds, source)


@pytest.mark.parametrize(
    ("layers", "kv_heads", "head_dim", "tensor_parallel", "elements"),
    [
        (32, 8, 128, 1, 65_536),  # 2 x 32 x 8 x 128; at two bytes the 131,072 bytes of an 8B Llama 3
        (94, 4, 128, 1, 96_256),  # 2 x 94 x 4 x 128
        (94, 4, 128, 8, 24_064),  # repeated: one head on each of eight ranks
        (32, 8, 128, 8, 8_192),
        (32, 6, 128, 4, None),  # six heads do not divide over four ranks
        (32, 8, 128, 0, None),
        (32, 8, None, 1, None),
    ],
)
def test_elements_per_token_of_plain_attention(
    layers: int, kv_heads: int, head_dim: int | None, tensor_parallel: int, elements: int | None
) -> None:
    config = described("qwen3", num_hidden_layers=layers, num_key_value_heads=kv_heads, head_dim=head_dim)
    assert plain_elements_per_token(config, tensor_parallel) == elements


def test_elements_per_token_of_latent_attention() -> None:
    latent = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_hidden_layers": 61}
    assert latent_elements_per_token(described("deepseek_v3", **latent)) == 61 * 576
    assert latent_elements_per_token(described("deepseek_v32", **latent, index_head_dim=128)) is None
    assert latent_elements_per_token(described("llama")) is None


def test_everything_the_arithmetic_of_hybrids_needs_is_kept() -> None:
    recurrent = {
        "linear_conv_kernel_dim": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "mamba_ssm_dtype": "float32",
        "max_position_embeddings": 32768,
    }
    found = described("qwen3_5_text", layer_types=[LINEAR] * 3 + [FULL], mtp_num_hidden_layers=1, **recurrent)
    assert recurrent.items() <= found.items()
    assert (found["mtp_layers"], found["sliding_window"], found["heads"], found["kv_heads"]) == (1, None, 32, 8)


def test_a_chunk_size_that_the_family_does_not_use_is_left_out() -> None:
    keys = {"hybrid_layer_pattern": [0, 1, 1, 0], "sliding_window": 128, "attention_chunk_size": 128, "v_head_dim": 64}
    found = described("mimo_v2_flash", **keys)
    assert "attention_chunk_size" not in found
    assert (found["sliding_window"], found["value_head_dim"]) == (128, 64)
    assert found["layer_types"] == [FULL, SLIDING, SLIDING, FULL]


def test_the_keys_of_windowed_layers_are_kept() -> None:
    keys = {"sliding_window": 1024, "global_head_dim": 512, "num_global_key_value_heads": 2, "num_kv_shared_layers": 18}
    found = described("gemma4_text", layer_types=[SLIDING, FULL] * 2, **keys)
    assert keys.items() <= found.items()


@pytest.mark.parametrize(
    ("changes", "layers"),
    [
        ({"num_nextn_predict_layers": 1}, 1),
        ({"mtp_num_hidden_layers": 1}, 1),
        ({"num_mtp_modules": 3}, None),
        ({}, None),
        ({"num_nextn_predict_layers": 1, "mtp_hybrid_override_pattern": "*E"}, 1),
        ({"num_nextn_predict_layers": 1, "mtp_layers_block_type": ["attention", "moe", "attention"]}, 2),
    ],
)
def test_attention_layers_of_the_draft_module(changes: dict[str, Any], layers: int | None) -> None:
    assert described("some_type", **changes)["mtp_attention_layers"] == layers


def test_a_shape_of_windowed_layers_stated_apart() -> None:
    other = {"attention_type": "sliding_attention", "num_attention_heads": 96, "num_attention_groups": 4, "head_dim": 64}
    found = described("step3p5", sliding_window=512, layer_types=[SLIDING, FULL] * 2, attention_other_setting=other)
    assert (found["swa_num_key_value_heads"], found["swa_head_dim"]) == (4, 64)
    assert "swa_head_dim" not in described(
        "step3p5", attention_other_setting={"attention_type": "full_attention", "head_dim": 64}
    )


def test_whether_keys_are_reused_as_values_is_kept() -> None:
    assert described("gemma4_text", attention_k_eq_v=True)["attention_k_eq_v"] is True
    assert "attention_k_eq_v" not in described("gemma4_text", attention_k_eq_v="yes")
