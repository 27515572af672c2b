from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint.geometry import geometry
from kvaudit.parsers.checkpoint.shape import decoder_of
from kvaudit.record.inspection.cache_shape import CacheShape, cache_shape


def shape(tensor: int = 1, **root: Any) -> CacheShape:
    return cache_shape(geometry(decoder_of(root)), tensor)


def plain(**more: Any) -> dict[str, Any]:
    base = {"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128}
    return base | {"hidden_size": 4096, **more}


def test_plain_attention_in_every_element_type() -> None:
    found = shape(**plain())
    # 2 × 32 layers × 8 heads × 128
    assert [found.per_token(dtype) for dtype in ("bfloat16", "fp8", "nvfp4")] == [131_072, 65_536, 36_864]


@pytest.mark.parametrize(("tensor", "size"), [(2, 65_536), (8, 16_384), (16, 16_384)])
def test_kv_heads_are_divided_over_the_ranks_and_then_repeated(tensor: int, size: int) -> None:
    assert shape(tensor, **plain()).per_token("bfloat16") == size


def test_heads_that_do_not_divide_are_unknown() -> None:
    found = shape(3, **plain())
    assert (found.layers, found.why) == ((), "8 KV heads do not divide over 3 ranks")


def test_a_latent_vector_is_on_every_rank() -> None:
    config: dict[str, Any] = {
        "model_type": "deepseek_v3",
        "num_hidden_layers": 61,
        "num_attention_heads": 128,
        "kv_lora_rank": 512,
    }
    for tensor in (1, 16):
        found = shape(tensor, **config, qk_rope_head_dim=64, v_head_dim=128)
        assert (found.per_token("bfloat16"), found.per_token("fp8")) == (70_272, 35_136)
        assert found.per_token("nvfp4") is None


def test_an_indexer_comes_on_top_and_fp8_has_a_layout_of_its_own() -> None:
    config: dict[str, Any] = {"model_type": "glm_moe_dsa", "num_hidden_layers": 78, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    found = shape(**config, index_head_dim=128)
    # 78 × ((512 + 64) × 2 + 128 + 4), 78 × (656 + 132)
    assert (found.per_token("bfloat16"), found.per_token("fp8")) == (100_152, 61_464)


def test_windows_keep_no_more_than_their_own_tokens() -> None:
    found = shape(
        model_type="gpt_oss", num_hidden_layers=4, num_attention_heads=64, num_key_value_heads=8, head_dim=64,
        sliding_window=128, layer_types=["sliding_attention", "full_attention"] * 2,
    )  # fmt: skip
    assert [(one.kind, one.count, one.window) for one in found.layers] == [("full attention", 2, None), ("window", 2, 128)]
    assert found.of_prompt("bfloat16", 1000) == 2 * 2048 * 1000 + 2 * 2048 * 128
    assert found.of_prompt("bfloat16", 100) == 4 * 2048 * 100


def test_states_are_counted_once_for_a_prompt() -> None:
    found = shape(
        model_type="qwen3_next", num_hidden_layers=4, num_attention_heads=16, num_key_value_heads=2, head_dim=256,
        full_attention_interval=4, linear_conv_kernel_dim=4, linear_num_key_heads=16, linear_num_value_heads=32,
        linear_key_head_dim=128, linear_value_head_dim=128, torch_dtype="bfloat16",
    )  # fmt: skip
    full, state = found.layers
    assert (full.count, state.count, state.kind) == (1, 3, "recurrent state")
    # (4-1) × (2×16×128 + 32×128) × 2 + 32×128×128 × 2
    assert state.state_bytes == 3 * 8192 * 2 + 524_288 * 2
    assert found.of_prompt("bfloat16", 10) == 2048 * 10 + 3 * state.state_bytes


def test_states_of_unknown_size_leave_the_prompt_unknown() -> None:
    config: dict[str, Any] = {
        "model_type": "lfm2",
        "num_hidden_layers": 2,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "head_dim": 64,
    }
    found = shape(**config, layer_types=["conv", "full_attention"])
    assert found.per_token("bfloat16") == 2 * 2 * 64 * 2
    assert found.of_prompt("bfloat16", 10) is None


def test_layers_without_attention_keep_nothing() -> None:
    blocks = [{"attention": {"n_heads_in_group": 8, "no_op": False}}, {"attention": {"n_heads_in_group": None, "no_op": True}}]
    found = shape(
        model_type="nemotron-nas", num_hidden_layers=2, num_attention_heads=64, hidden_size=8192, block_configs=blocks
    )  # fmt: skip
    assert found.per_token("bfloat16") == 2 * (64 // 8) * 128 * 2


def test_chunks_that_nobody_lists_give_an_upper_bound() -> None:
    config: dict[str, Any] = {
        "model_type": "llama4_text",
        "num_hidden_layers": 48,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
    }
    found = shape(**config, head_dim=128, attention_chunk_size=8192)
    assert found.per_token("bfloat16") == 196_608
    assert "full attention everywhere" in found.bound
    listed = shape(**config, head_dim=128, attention_chunk_size=8192, no_rope_layers=[1, 1, 1, 0] * 12)
    assert [(one.kind, one.count, one.window) for one in listed.layers] == [("full attention", 12, None), ("chunk", 36, 8192)]
    assert listed.bound == ""


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"model_type": "deepseek_v4", "num_hidden_layers": 4}, "compressed KV states"),
        ({"model_type": "atlas9", "num_hidden_layers": 4}, "stands in no table"),
        ({"model_type": "kimi_linear", "num_hidden_layers": 4, "kv_lora_rank": 512}, "kimi_linear"),
        ({"model_type": "llama", "num_hidden_layers": 4}, "KV heads and head size"),
    ],
)
def test_what_is_not_known_is_not_guessed(config: dict[str, Any], why: str) -> None:
    found = shape(**config)
    assert found.layers == ()
    assert why in found.why
    assert (found.per_token("bfloat16"), found.of_prompt("bfloat16", 10)) == (None, None)


def test_llama_cpp_keeps_blocks_of_32_elements() -> None:
    config = {"format": "gguf", "attention": "plain", "layers": 32, "kv_heads": 8, "head_dim": 128}
    sizes = {dtype: cache_shape(config, 1).per_token(dtype) for dtype in ("f16", "q8_0", "q4_0")}
    assert sizes == {"f16": 128 * 1024, "q8_0": 68 * 1024, "q4_0": 36 * 1024}


def test_a_gguf_model_with_layers_that_differ() -> None:
    config = {
        "format": "gguf",
        "attention": "hybrid",
        "layers": 4,
        "kv_heads": 2,
        "kv_heads_per_layer": [0, 2, 0, 2],
        "head_dim": 64,
    }
    found = cache_shape(config, 1)
    assert [(one.kind, one.count) for one in found.layers] == [("full attention", 2), ("recurrent state", 2)]
    assert found.per_token("f16") == 2 * 2 * 128 * 2
