"""Which difference follows from which, where the check fails, and what --vary silences."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.derivation import _CHECKS
from kvaudit.fields import FIELDS
from tests.audit.arms import GOOD, differences


def _explained(a: dict[str, Any], b: dict[str, Any], field: str, *vary: str) -> tuple[str, str | None, bool]:
    one = differences(a, b, *vary)[field]
    return one.class_, one.explained_by, one.silenced


FOLLOWS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    (
        "model.quantization",
        "model.path",
        {"model.path": "x/a", "model.quantization": "awq"},
        {"model.path": "x/b", "model.quantization": "fp8"},
    ),
    ("model.layers", "model.path", {"model.path": "x/a", "model.layers": 40}, {"model.path": "x/b", "model.layers": 48}),
    ("linear.backend", "model.path", {"model.path": "x/a", "linear.backend": "A"}, {"model.path": "x/b", "linear.backend": "B"}),
    (
        "kv_cache.scheme",
        "model.path",
        {"model.path": "x/a", "kv_cache.scheme": "fp8"},
        {"model.path": "x/b", "kv_cache.scheme": "none"},
    ),
    (
        "kv_cache.dtype",
        "model.dtype",
        {"model.dtype": "bfloat16", "kv_cache.dtype": "bfloat16"},
        {"model.dtype": "float16", "kv_cache.dtype": "float16"},
    ),
    (
        "model.weights_gib",
        "parallel.tensor",
        {"parallel.tensor": 1, "model.weights_gib": 24.0},
        {"parallel.tensor": 2, "model.weights_gib": 12.6},  # 24.0 against 25.2: 4.8 % is replicated
    ),
    (
        "model.weights_gib",
        "model.quantization",
        {"model.quantization": "none", "model.weights_gib": 24.0},
        {"model.quantization": "awq", "model.weights_gib": 8.0},
    ),
    (
        "kv_cache.max_concurrency",
        "kv_cache.tokens",
        {"kv_cache.tokens": 100, "kv_cache.max_concurrency": 10.0},
        {"kv_cache.tokens": 200, "kv_cache.max_concurrency": 20.0},
    ),
    (
        "kv_cache.max_concurrency",
        "model.max_len",
        {"model.max_len": 10, "kv_cache.max_concurrency": 10.0},
        {"model.max_len": 5, "kv_cache.max_concurrency": 20.0},
    ),
    (
        "kv_cache.tokens_total",
        "parallel.data",
        {"parallel.data": 1, "kv_cache.tokens_total": 100},
        {"parallel.data": 2, "kv_cache.tokens_total": 200},
    ),
    (
        "kv_cache.blocks",
        "kv_cache.block_size",
        {"kv_cache.block_size": 16, "kv_cache.blocks": 100},
        {"kv_cache.block_size": 32, "kv_cache.blocks": 50},
    ),
    (
        "kv_cache.bytes_per_element",
        "kv_cache.dtype",
        {"kv_cache.dtype": "bfloat16", "kv_cache.bytes_per_element": 2.0},
        {"kv_cache.dtype": "fp8_e4m3", "kv_cache.bytes_per_element": 1.0},
    ),
    (
        "kv_cache.block_size",
        "kv_cache.dtype",
        {"kv_cache.dtype": "bfloat16", "kv_cache.block_size": 16},
        {"kv_cache.dtype": "fp8_e4m3", "kv_cache.block_size": 32},
    ),
    (
        "kv_cache.block_size",
        "speculative.method",
        {"speculative.method": "none", "kv_cache.block_size": 16},
        {"speculative.method": "mtp", "kv_cache.block_size": 32},
    ),
    (
        "kv_cache.block_size",
        "attention.backend",
        {"attention.backend": "A", "kv_cache.block_size": 16},
        {"attention.backend": "B", "kv_cache.block_size": 32},
    ),
    (
        "attention.backend",
        "kv_cache.dtype",
        {"kv_cache.dtype": "bfloat16", "attention.backend": "FLASH_ATTN"},
        {"kv_cache.dtype": "fp8_e4m3", "attention.backend": "FLASHINFER"},
    ),
    (
        "attention.backend",
        "engine.platform",
        {"engine.platform": "cuda", "attention.backend": "A"},
        {"engine.platform": "rocm", "attention.backend": "B"},
    ),
    (
        "graphs.mode",
        "attention.backend",
        {"attention.backend": "A", "graphs.mode": "FULL"},
        {"attention.backend": "B", "graphs.mode": "PIECEWISE"},
    ),
    (
        "graphs.mode",
        "graphs.enforce_eager",
        {"graphs.enforce_eager": False, "graphs.mode": "FULL"},
        {"graphs.enforce_eager": True, "graphs.mode": "NONE"},
    ),
    (
        "graphs.capture_max",
        "scheduler.max_num_seqs",
        {"scheduler.max_num_seqs": 64, "graphs.capture_max": 64},
        {"scheduler.max_num_seqs": 128, "graphs.capture_max": 128},
    ),
    (
        "graphs.capture_max",
        "speculative.tokens",
        {"speculative.tokens": 1, "graphs.capture_max": 64},
        {"speculative.tokens": 3, "graphs.capture_max": 128},
    ),
    (
        "scheduler.async_scheduling",
        "speculative.method",
        {"speculative.method": "none", "scheduler.async_scheduling": True},
        {"speculative.method": "mtp", "scheduler.async_scheduling": False},
    ),
    (
        "kv_cache.memory_gib",
        "memory.utilization",
        {"memory.utilization": 0.9, "kv_cache.memory_gib": 40.0},
        {"memory.utilization": 0.8, "kv_cache.memory_gib": 32.0},
    ),
    (
        "kv_cache.memory_gib",
        "model.weights_gib",
        {"model.weights_gib": 24.0, "kv_cache.memory_gib": 40.0},
        {"model.weights_gib": 14.0, "kv_cache.memory_gib": 50.0},
    ),
    (
        "runtime.prefix_hit_rate",
        "kv_cache.prefix_caching",
        {"kv_cache.prefix_caching": True, "runtime.prefix_hit_rate": 0.6},
        {"kv_cache.prefix_caching": False, "runtime.prefix_hit_rate": 0.0},
    ),
    (
        "runtime.spec_acceptance",
        "speculative.model",
        {"speculative.model": "a", "runtime.spec_acceptance": 0.6},
        {"speculative.model": "b", "runtime.spec_acceptance": 0.5},
    ),
]


@pytest.mark.parametrize("case", FOLLOWS, ids=[f"{name}-from-{cause}" for name, cause, _, _ in FOLLOWS])
def test_a_difference_follows_from_its_cause(case: tuple[str, str, dict[str, Any], dict[str, Any]]) -> None:
    name, cause, a, b = case
    assert _explained(a, b, name) == ("derived", cause, False)
    assert _explained(b, a, name) == ("derived", cause, False)
    assert _explained(a, b, name, cause) == ("derived", cause, True)
    assert _explained(a, b, name, name)[0] == "expected"


@pytest.mark.parametrize("case", FOLLOWS, ids=[f"{name}-without-{cause}" for name, cause, _, _ in FOLLOWS])
def test_without_its_cause_a_difference_stands_alone(case: tuple[str, str, dict[str, Any], dict[str, Any]]) -> None:
    name, cause, a, b = case
    class_, explained_by, silenced = _explained({**a, cause: b[cause]}, b, name)
    assert (class_, explained_by, silenced) == ("context" if FIELDS[name].impact == "context" else "confound", None, False)


ALONE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # KV that nobody declared is never folded into the model, its scheme, or a 16-bit type of another width
    (
        "kv_cache.dtype",
        {"model.path": "x/a", "kv_cache.scheme": "none", "kv_cache.dtype": "bfloat16"},
        {"model.path": "x/b", "kv_cache.scheme": "fp8", "kv_cache.dtype": "fp8_e4m3"},
    ),
    (
        "kv_cache.dtype",
        {"model.dtype": "bfloat16", "kv_cache.dtype": "bfloat16"},
        {"model.dtype": "float16", "kv_cache.dtype": "fp8_e4m3"},
    ),
    (
        "kv_cache.dtype",
        {"model.dtype": "bfloat16", "kv_cache.dtype": "float16"},
        {"model.dtype": "float16", "kv_cache.dtype": "bfloat16"},
    ),
    # 24.0 × 1 against 20.0 × 2: another checkpoint, not the same one on more ranks
    ("model.weights_gib", {"parallel.tensor": 1, "model.weights_gib": 24.0}, {"parallel.tensor": 2, "model.weights_gib": 20.0}),
    # a backend that was asked for follows from nothing
    (
        "attention.backend",
        {"kv_cache.dtype": "bfloat16", "attention.backend": "FLASH_ATTN"},
        {
            "kv_cache.dtype": "fp8_e4m3",
            "attention.backend": [{"value": "FLASHINFER", "stage": "requested"}, {"value": "FLASHINFER"}],
        },
    ),
    (
        "attention.backend",
        {"kv_cache.dtype": "bfloat16", "attention.backend": "TRITON_ATTN"},
        {"kv_cache.dtype": "fp8_e4m3", "attention.backend": "FLASHINFER"},
    ),
    (
        "attention.backend",
        {"kv_cache.dtype": "fp8_e4m3", "attention.backend": "FLASH_ATTN"},
        {"kv_cache.dtype": "bfloat16", "attention.backend": "FLASHINFER"},
    ),
    (
        "kv_cache.block_size",
        {"kv_cache.dtype": "bfloat16", "kv_cache.block_size": 16},
        {"kv_cache.dtype": "fp8_e4m3", "kv_cache.block_size": {"value": 32, "stage": "requested"}},
    ),
    # the graph mode needs the table of an engine to follow from the KV type
    (
        "graphs.mode",
        {"kv_cache.dtype": "bfloat16", "graphs.mode": "FULL"},
        {"kv_cache.dtype": "fp8_e4m3", "graphs.mode": "PIECEWISE"},
    ),
    # a cause that differs only in its folder, or whose spelling is open, is none
    (
        "model.quantization",
        {"model.path": "/x/a", "model.quantization": "awq"},
        {"model.path": "/y/a", "model.quantization": "fp8"},
    ),
    (
        "kv_cache.block_size",
        {"kv_cache.dtype": "fp8", "kv_cache.block_size": 16},
        {"kv_cache.dtype": "fp8_e4m3", "kv_cache.block_size": 32},
    ),
]


@pytest.mark.parametrize(("name", "a", "b"), ALONE)
def test_where_the_check_fails_the_difference_stays_one_of_its_own(name: str, a: dict[str, Any], b: dict[str, Any]) -> None:
    assert _explained(a, b, name) == ("confound", None, False)


def test_every_check_is_of_a_cause_that_the_registry_names() -> None:
    assert [pair for pair in _CHECKS if pair[1] not in FIELDS[pair[0]].derives] == []


def test_silence_goes_on_through_a_chain() -> None:
    """weights -> memory -> ... : what follows from an expected difference is silent at every step."""
    a = {"model.path": "x/a", "model.quantization": "none", "model.weights_gib": 24.0, "kv_cache.memory_gib": 40.0}
    b = {"model.path": "x/b", "model.quantization": "awq", "model.weights_gib": 14.0, "kv_cache.memory_gib": 50.0}
    assert _explained(a, b, "kv_cache.memory_gib", "model.path") == ("derived", "model.weights_gib", True)
    assert _explained(a, b, "kv_cache.memory_gib") == ("derived", "model.weights_gib", False)
    assert _explained(a, b, "kv_cache.memory_gib", "run.seed") == ("derived", "model.weights_gib", False)


def test_hidden_fp8_is_an_axis_of_its_own_whatever_of_the_weights_is_under_test() -> None:
    a = {**GOOD, "model.path": "x/a", "kv_cache.scheme": "none"}
    b = {
        **GOOD,
        "model.path": "x/b",
        "kv_cache.scheme": "fp8",
        "kv_cache.dtype": "fp8_e4m3",
        "kv_cache.bytes_per_token": 81_920.0,
        "kv_cache.tokens": 524_288,
    }
    for vary in (("model.path",), ("weights",), ("weights", "kv_cache.scheme")):
        assert _explained(a, b, "kv_cache.dtype", *vary) == ("confound", None, False)
        assert _explained(a, b, "kv_cache.tokens", *vary) == ("derived", "kv_cache.dtype", False)
    assert _explained(a, b, "kv_cache.tokens", "weights", "kv_cache.dtype") == ("derived", "kv_cache.dtype", True)


def test_a_draft_head_of_each_model_is_said_by_the_models() -> None:
    a, b = {"model.path": "x/a", "speculative.model": "x/a"}, {"model.path": "x/b", "speculative.model": "x/b"}
    assert _explained(a, b, "speculative.model") == ("derived", "model.path", True)
    assert _explained(a, {**b, "speculative.model": "x/draft"}, "speculative.model") == ("derived", "model.path", False)


def test_capacity_follows_from_all_its_factors_or_from_none() -> None:
    """40 GiB ÷ 163,840 = 262,144; 44 GiB ÷ 81,920 = 576,716: bytes and memory moved, and weights took 4 GiB less."""
    a = GOOD
    b = {
        **GOOD,
        "kv_cache.dtype": "fp8_e4m3",
        "kv_cache.bytes_per_token": 81_920.0,
        "kv_cache.memory_gib": 44.0,
        "kv_cache.tokens": 576_716,
    }
    assert _explained(a, b, "kv_cache.tokens") == ("confound", None, False)
    lighter = {**b, "model.weights_gib": 20.5}
    assert _explained(a, lighter, "kv_cache.tokens") == ("derived", "kv_cache.dtype", False)
    assert _explained(a, lighter, "kv_cache.tokens", "kv_cache.dtype") == ("derived", "kv_cache.dtype", False)
    assert _explained(a, lighter, "kv_cache.tokens", "kv_cache.dtype", "model.weights_gib") == ("derived", "kv_cache.dtype", True)


def test_weights_that_moved_otherwise_explain_no_memory() -> None:
    """The weights shrank by 0.5 GiB, the pool grew by 4: something else moved it."""
    b = {**GOOD, "model.weights_gib": 24.0, "kv_cache.memory_gib": 44.0, "kv_cache.tokens": 288_358}
    assert _explained(GOOD, b, "kv_cache.tokens") == ("confound", None, False)
