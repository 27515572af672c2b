"""The capacity ratio and its factors, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvaudit.audit.capacity import causes_of_tokens, decompose, meaning_of_tokens, same_meaning
from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState, Record
from tests.audit.arms import GOOD, differences, record

# 59.39 GiB ÷ 163,840 bytes = 389,216 tokens (whole blocks of 16); 52.71 GiB ÷ 81,920 bytes = 690,880
A = {
    **GOOD,
    "kv_cache.memory_gib": 59.39,
    "kv_cache.tokens": 389_216,
    "kv_cache.bytes_per_token": 163_840.0,
    "model.weights_gib": 9.91,
}
B = {
    **GOOD,
    "kv_cache.dtype": "fp8_e4m3",
    "kv_cache.memory_gib": 52.71,
    "kv_cache.tokens": 690_880,
    "kv_cache.bytes_per_token": 81_920.0,
    "model.weights_gib": 16.63,
}


def test_the_headline_1_775_is_2_by_0_8875() -> None:
    capacity = decompose(record(A), record(B))
    assert capacity is not None
    assert capacity.ratio == pytest.approx(690_880 / 389_216) == pytest.approx(1.7751, abs=1e-4)
    assert [factor.name for factor in capacity.factors] == ["bytes per token", "KV memory"]
    assert capacity.factors[0].ratio == 2.0
    assert capacity.factors[1].ratio == pytest.approx(52.71 / 59.39) == pytest.approx(0.88752, abs=1e-5)
    assert capacity.residual == pytest.approx(1.7751 / (2.0 * 0.88752), abs=1e-4)
    assert abs(capacity.residual - 1) < 0.001


def test_what_moved_the_memory_in_gib() -> None:
    capacity = decompose(record(A), record(B))
    assert capacity is not None
    # 52.71 - 59.39 = -6.68, of which -(16.63 - 9.91) = -6.72 is weights
    assert [(part.name, part.gib) for part in capacity.memory_parts] == [("weights", -6.72), ("unexplained", 0.04)]


def test_utilization_and_graphs_move_memory_too() -> None:
    a = {**A, "memory.total_gib": 80.0, "graphs.memory_gib": 0.5}
    b = {
        **A,
        "memory.total_gib": 80.0,
        "memory.utilization": 0.8,
        "graphs.memory_gib": 1.25,
        "kv_cache.memory_gib": 50.64,
        "kv_cache.tokens": 331_872,
    }
    capacity = decompose(record(a), record(b))
    assert capacity is not None
    # 80 × (0.8 - 0.9) = -8; graphs -(1.25 - 0.5) = -0.75; 50.64 - 59.39 = -8.75
    assert [(part.name, part.gib) for part in capacity.memory_parts] == [("graphs", -0.75), ("utilization", -8.0)]


figures = st.tuples(st.integers(1_000, 10_000_000), st.floats(0.5, 900), st.floats(100, 1e7))


@given(figures, figures)
def test_factors_multiply_to_ratio_by_residual(left: tuple[int, float, float], right: tuple[int, float, float]) -> None:
    names = ("kv_cache.tokens", "kv_cache.memory_gib", "kv_cache.bytes_per_token")
    arms = [record(dict(zip(names, side, strict=True))) for side in (left, right)]
    capacity = decompose(arms[0], arms[1])
    assert capacity is not None
    product = capacity.factors[0].ratio * capacity.factors[1].ratio
    assert product == pytest.approx(capacity.ratio / capacity.residual, rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({}, {"kv_cache.tokens": 100}),
        ({"kv_cache.tokens": 100}, {}),
        ({"kv_cache.tokens": 0}, {"kv_cache.tokens": 100}),
        ({"kv_cache.tokens": 100.5}, {"kv_cache.tokens": 100}),
    ],
)
def test_no_ratio_without_both_capacities(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert decompose(record(a), record(b)) is None


def test_a_ratio_without_factors_is_all_residual() -> None:
    capacity = decompose(record({"kv_cache.tokens": 100}), record({"kv_cache.tokens": 150}))
    assert capacity is not None
    assert (capacity.ratio, capacity.factors, capacity.residual) == (1.5, [], 1.5)


def _causes(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    return causes_of_tokens(record(a), record(b), differences(a, b))


def test_causes_the_strongest_first() -> None:
    assert _causes(A, B) == ["kv_cache.dtype", "model.weights_gib"]
    assert _causes(A, A) == []


def test_a_factor_of_two_per_cent_needs_no_cause() -> None:
    b = {**A, "kv_cache.memory_gib": 59.39 * 0.985, "kv_cache.tokens": 383_376}
    assert _causes(A, {**B, "kv_cache.memory_gib": 59.0, "model.weights_gib": 9.91, "kv_cache.tokens": 773_312}) == [
        "kv_cache.dtype"
    ]
    assert _causes(A, b) == []


def test_a_material_factor_without_a_cause_explains_nothing() -> None:
    assert _causes(A, {**B, "kv_cache.dtype": "bfloat16"}) == []
    assert _causes(A, {**B, "model.weights_gib": 9.91}) == []
    assert _causes(A, {**B, "kv_cache.dtype": None}) == []


@pytest.mark.parametrize(
    ("fields", "meaning"),
    [
        ({"kv_cache.tokens": 262_144, "model.max_len": 8_192, "kv_cache.max_concurrency": 32.0}, "concurrency"),
        ({"kv_cache.tokens": 262_400, "model.max_len": 8_192, "kv_cache.max_concurrency": 32.0}, "concurrency"),
        ({"kv_cache.tokens": 300_000, "model.max_len": 8_192, "kv_cache.max_concurrency": 32.0}, "blocks"),
        ({"kv_cache.tokens": 300_000, "model.max_len": 8_192}, None),
        ({"kv_cache.tokens": 300_000, "kv_cache.max_concurrency": 32.0}, None),
    ],
)
def test_what_the_printed_figure_counts(fields: dict[str, Any], meaning: str | None) -> None:
    assert meaning_of_tokens(record(fields)) == meaning


def _arm(version: str | None, tokens: int = 262_144, engine: str = "vllm", concurrency: float = 32.0) -> Record:
    fields: dict[str, Any] = {
        "engine.name": engine,
        "kv_cache.tokens": tokens,
        "model.max_len": 8_192,
        "kv_cache.max_concurrency": concurrency,
    }
    return record({**fields, **({"engine.version": version} if version else {})})


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        # both before, or both since 0.21: one meaning, whatever the figures
        (_arm("0.19.1", 300_000), _arm("0.18.0"), True),
        (_arm("0.21.0", 300_000), _arm("0.25.1"), True),
        # on both sides of 0.21 the figures tell: plain attention prints concurrency × limit in both
        (_arm("0.20.2"), _arm("0.21.0"), True),
        (_arm("0.20.2", 300_000), _arm("0.21.0"), False),
        # a build between the two is judged by its figures
        (_arm("0.21.0rc1"), _arm("0.25.1"), True),
        (_arm("0.21.0rc1", 300_000), _arm("0.25.1"), False),
        (_arm(None, 300_000), _arm("0.25.1"), False),
        # another engine counts in its own way
        (_arm("0.5.2", 262_144, "sglang"), _arm("0.25.1"), True),
        (_arm("0.5.2", 300_000, "sglang"), _arm("0.25.1"), False),
    ],
)
def test_same_meaning_around_0_21(a: Record, b: Record, same: bool) -> None:
    assert same_meaning(a, b) is same
    assert same_meaning(b, a) is same


def test_without_versions_and_figures_nobody_knows() -> None:
    assert same_meaning(record({"kv_cache.tokens": 1}), record({"kv_cache.tokens": 2})) is None
    assert same_meaning(_arm("0.20.2"), record({"engine.name": "vllm", "engine.version": "0.21.0", "kv_cache.tokens": 2})) is None


@pytest.mark.parametrize(("attention", "same"), [("plain", True), ("sliding", False), ("hybrid", False)])
def test_across_engines_only_plain_attention_is_counted_alike(attention: str, same: bool) -> None:
    config = {"clue.checkpoint_config": [fact("clue.checkpoint_config", {"attention": attention}, "stated", [])]}
    a, b = (replace(_arm("0.25.1"), clues=config) for _ in "ab")
    fields = {**b.fields, "engine.name": FieldState(state="known", value="sglang")}
    assert same_meaning(a, replace(b, fields=fields)) is same


def test_a_pool_for_windows_in_the_log_is_counted_otherwise_by_another_engine() -> None:
    windowed = record({"engine.name": "sglang", "kv_cache.tokens": 50_000, "clue.windowed_pool": "windows or recurrent state"})
    assert same_meaning(record({"engine.name": "vllm", "kv_cache.tokens": 50_000}), windowed) is False
