"""Bytes per token and per element by hand, and the width that they prove.

The plain model keeps 2 × 32 layers × 8 KV heads × 128 = 65,536 elements per token: 131,072 bytes of 16 bits, 65,536 of 8 bits.
40 GiB hold 40 × 2^30 ÷ 131,072 = 327,680 tokens of 16 bits, 655,360 of 8 bits.
"""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.kv_dtype.arithmetic import add_bytes_per_token, elements_per_token, same_model, width_votes
from kvaudit.record.table import FactTable
from tests.record.builders import PLAIN_CONFIG, table


def _arm(tokens: int | None = 327_680, gib: float | None = 40.0, config: Any = PLAIN_CONFIG, **more: Any) -> FactTable:
    held = {
        "kv_cache.tokens": tokens,
        "kv_cache.memory_gib": gib,
        "clue.checkpoint_config": config,
        "parallel.tensor": 1,
        "model.dtype": "bfloat16",
        **{name.replace("__", "."): value for name, value in more.items()},
    }
    filled = table({name: value for name, value in held.items() if value is not None})
    add_bytes_per_token(filled)
    return filled


def test_bytes_per_token_and_element_of_sixteen_bits() -> None:
    arm = _arm()
    assert arm.value("kv_cache.bytes_per_token") == 131_072.0
    assert arm.value("kv_cache.bytes_per_element") == 2.0
    fact = arm.state("kv_cache.bytes_per_token").facts[0]
    assert (fact.stage, fact.unit, fact.how) == ("inferred", "bytes", "40.0 GiB × 2^30 ÷ 327,680 tokens")
    assert [origin.excerpt for origin in fact.origins] == ["kv_cache.memory_gib=40.0", "kv_cache.tokens=327680"]


@pytest.mark.parametrize(
    ("tensor", "tokens", "elements"),
    [
        (1, 327_680, 65_536),  # 8 heads on one rank
        (2, 655_360, 32_768),  # 4 heads
        (8, 2_621_440, 8_192),  # 1 head
        (16, 2_621_440, 8_192),  # repeated: still 1 head
    ],
)
def test_heads_are_divided_over_the_ranks_and_then_repeated(tensor: int, tokens: int, elements: int) -> None:
    arm = _arm(tokens, parallel__tensor=tensor)
    assert elements_per_token(arm) == (elements, "")
    assert arm.value("kv_cache.bytes_per_element") == 2.0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"config": None}, "no config.json"),
        ({"model__architecture": "Qwen3ForCausalLM"}, "of another architecture"),
        ({"parallel__pipeline": 2}, "parallel.pipeline"),
        ({"parallel__context": 2}, "parallel.context"),
        ({"parallel__tensor": None}, "tensor-parallel size is not known"),
        ({"parallel__tensor": 3}, "not plain"),
        ({"speculative__method": "eagle3"}, "draft model"),
        ({"config": {**PLAIN_CONFIG, "attention": "mla", "why": "a latent cache"}}, "a latent cache"),
        ({"config": {**PLAIN_CONFIG, "attention": "sliding"}}, "not plain"),
        ({"config": {**PLAIN_CONFIG, "head_dim": None}}, "not plain"),
    ],
)
def test_where_the_division_does_not_hold_it_says_why(changes: dict[str, Any], reason: str) -> None:
    arm = _arm(**changes)
    assert reason in elements_per_token(arm)[1]
    state = arm.state("kv_cache.bytes_per_element")
    assert state.state == "unknown"
    assert reason in str(state.because)
    assert width_votes(arm) == []
    assert arm.value("kv_cache.bytes_per_token") == 131_072.0


@pytest.mark.parametrize("method", ["none", "ngram", "NGRAM", "suffix", None])
def test_drafts_without_layers_do_not_share_the_pool(method: str | None) -> None:
    assert _arm(speculative__method=method).value("kv_cache.bytes_per_element") == 2.0


@pytest.mark.parametrize(("tokens", "gib"), [(None, 40.0), (327_680, None), (0, 40.0), (327_680, 0.0), (327_680, -1.5)])
def test_without_both_figures_there_is_no_division(tokens: int | None, gib: float | None) -> None:
    arm = _arm(tokens, gib)
    assert arm.state("kv_cache.bytes_per_token").state == "unknown"
    assert width_votes(arm) == []


@pytest.mark.parametrize(
    ("tokens", "dtype", "vote"),
    [
        (327_680, "bfloat16", "bfloat16"),
        (327_680, "float16", "float16"),
        (655_360, "bfloat16", "fp8"),
        (655_360, "float32", "fp8"),
        (163_840, "float32", "float32"),
        (163_840, "bfloat16", None),  # 32 bits beside a 16-bit model: no element type that vLLM keeps
        (327_680, "float32", None),  # 16 bits beside a 32-bit model may be of two kinds
        (327_680, None, None),
        (655_360, None, "fp8"),
        (490_000, "bfloat16", None),  # 1.337 bytes: no width
        (1_310_720, "bfloat16", None),  # half a byte is left to the simulation
        (337_000, "bfloat16", "bfloat16"),  # 1.945: 2.8 % off, within blocks and rounding
        (339_000, "bfloat16", None),  # 1.933: 3.3 % off
    ],
)
def test_the_width_that_the_pool_proves(tokens: int, dtype: str | None, vote: str | None) -> None:
    votes = width_votes(_arm(tokens, model__dtype=dtype))
    assert [one.value for one in votes] == ([vote] if vote else [])


def test_a_vote_shows_its_figures_and_its_lines() -> None:
    (vote,) = width_votes(_arm(655_360))
    assert "65,536 bytes per token ÷ 65,536 elements" in vote.how
    assert "1.00 bytes per element" in vote.how
    assert len(vote.origins) >= 3


@pytest.mark.parametrize(
    ("gib", "tokens", "vote"),
    [
        (16.0, 131_072, "bfloat16"),  # 16 × 2^30 ÷ 131,072 = 131,072 bytes
        (8.0, 131_072, "fp8"),
        (12.0, 131_072, None),
        (0.5, 4_096, None),  # two digits of so small a figure prove nothing
    ],
)
def test_the_need_that_a_failed_start_names(gib: float, tokens: int, vote: str | None) -> None:
    arm = table(
        {
            "clue.kv_needed_gib": gib,
            "clue.kv_needed_tokens": tokens,
            "clue.checkpoint_config": PLAIN_CONFIG,
            "parallel.tensor": 1,
            "model.dtype": "bfloat16",
        }
    )
    votes = width_votes(arm)
    assert [one.value for one in votes] == ([vote] if vote else [])
    if vote:
        assert f"{gib} GiB needed for {tokens:,} tokens" in votes[0].how


@pytest.mark.parametrize("argument", ["num_gpu_blocks_override"])
def test_a_pool_that_was_set_by_hand_proves_nothing(argument: str) -> None:
    arm = _arm(run__args={argument: 512})
    assert arm.state("kv_cache.bytes_per_token").state == "unknown"
    assert argument in str(arm.state("kv_cache.bytes_per_token").because)
    assert _arm(run__args={argument: None}).value("kv_cache.bytes_per_token") == 131_072.0


@pytest.mark.parametrize(
    ("printed", "stated", "same"),
    [
        ("LlamaForCausalLM", "llamaforcausallm", True),
        ("LlamaForCausalLM", "Qwen3ForCausalLM", False),
        (None, "Qwen3ForCausalLM", True),
        ("LlamaForCausalLM", None, True),
    ],
)
def test_same_model(printed: str | None, stated: str | None, same: bool) -> None:
    arm = table({"model.architecture": printed} if printed else {})
    assert same_model(arm, {"architecture": stated}) is same
