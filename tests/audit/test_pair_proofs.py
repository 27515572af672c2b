"""What a pair proves about two KV element types that no record knows."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.audit import Wishes, diff
from kvaudit.audit.pair_proofs import bytes_ratio, kv_dtype_difference, plain, same_layout
from kvaudit.audit.rules import bundled_rules
from tests.audit.arms import differences, record

ARM: dict[str, Any] = {
    "engine.name": "vllm",
    "engine.version": "0.25.1",
    "engine.ready": True,
    "model.path": "acme/atlas-13b",
    "model.architecture": "LlamaForCausalLM",
    "model.revision": "0c6f1b2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b",
    "model.dtype": "bfloat16",
    "model.max_len": 8192,
    "model.weights_gib": 24.5,
    "parallel.tensor": 1,
    "parallel.pipeline": 1,
    "speculative.method": "none",
    "kv_cache.prefix_caching": True,
    "kv_cache.dtype": {"value": "auto", "stage": "requested"},
    "kv_cache.memory_gib": 40.0,
    "kv_cache.tokens": 262_144,
    "kv_cache.bytes_per_token": 163_840.0,
}
PLAIN = {"architecture": "LlamaForCausalLM", "attention": "plain", "layers": 40, "kv_heads": 8, "head_dim": 128}
OTHER_SHAPE = {**PLAIN, "kv_heads": 4}


def _proof(b: dict[str, Any], a: dict[str, Any] | None = None) -> str | None:
    found = kv_dtype_difference(record({**ARM, **(a or {})}), record({**ARM, **b}))
    return found.proof if found else None


def _per_token(value: float) -> dict[str, Any]:
    return {"kv_cache.bytes_per_token": value}


@pytest.mark.parametrize(
    ("per_token", "proof"),
    [
        (163_840.0, "equal"),
        (163_840.0 * 1.0049, "equal"),
        (163_840.0 / 1.0049, "equal"),
        (163_840.0 * 1.006, None),
        (81_920.0, "different"),
        (81_920.0 * 1.029, "different"),
        (81_920.0 / 1.029, "different"),
        (81_920.0 * 1.032, None),
        (327_680.0, "different"),
        (327_680.0 * 1.032, None),
        (122_880.0, None),
        (40_960.0, None),
    ],
)
def test_the_ratio_of_bytes_per_token(per_token: float, proof: str | None) -> None:
    assert _proof(_per_token(per_token)) == proof


@pytest.mark.parametrize(
    "other",
    [
        {"engine.name": "sglang"},
        {"engine.version": "0.24.0"},
        {"model.path": "acme/atlas-34b"},
        {"model.revision": "ffffffffffffffffffffffffffffffffffffffff"},
        {"model.revision": None},
        {"model.architecture": "Qwen3ForCausalLM"},
        {"model.weights_gib": 30.0},
        {"model.max_len": 4096},
        {"parallel.tensor": 2},
        {"parallel.pipeline": 2},
        {"parallel.context": 2},
        {"parallel.data": 2},
        {"parallel.expert": 2},
        {"speculative.method": "mtp"},
        {"speculative.tokens": 3},
        {"kv_cache.prefix_caching": False},
    ],
)
def test_nothing_is_proved_where_the_layouts_are_not_known_to_be_alike(other: dict[str, Any]) -> None:
    assert _proof(other) is None
    assert _proof({**other, **_per_token(81_920.0)}) is None
    assert _proof({}, other) is None


@pytest.mark.parametrize(
    "name", ["engine.name", "engine.version", "parallel.tensor", "model.max_len", "kv_cache.prefix_caching", "model.path"]
)
def test_what_one_arm_does_not_say_is_not_alike(name: str) -> None:
    silent = {key: value for key, value in ARM.items() if key != name}
    assert kv_dtype_difference(record(ARM), record(silent)) is None
    assert kv_dtype_difference(record(silent), record(ARM)) is None


def test_both_unpinned_is_the_same_model_as_long_as_the_weights_agree() -> None:
    unpinned = {"model.revision": None}
    assert _proof(unpinned, unpinned) == "equal"
    assert _proof({**unpinned, "model.weights_gib": 24.6}, unpinned) == "equal"
    assert _proof({**unpinned, "model.weights_gib": 25.0}, unpinned) is None


def test_hashes_of_the_checkpoint_go_before_the_revision() -> None:
    assert _proof({"model.hash": "aa", "model.revision": None}, {"model.hash": "aa"}) == "equal"
    assert _proof({"model.hash": "bb"}, {"model.hash": "aa"}) is None


def test_other_models_with_checkpoints_of_one_shape() -> None:
    shaped = {"clue.checkpoint_config": PLAIN}
    other = {"model.path": "acme/atlas-13b-w4", **shaped}
    assert _proof(other, shaped) == "equal"
    assert _proof({**other, **_per_token(81_920.0)}, shaped) == "different"
    assert _proof({**other, "clue.checkpoint_config": OTHER_SHAPE}, shaped) is None
    assert _proof(other) is None


@pytest.mark.parametrize(
    ("fields", "is_plain"),
    [
        ({"model.architecture": "LlamaForCausalLM", "speculative.method": "none"}, True),
        ({"model.architecture": "LlamaForCausalLM"}, False),
        ({"model.architecture": "Gemma3ForCausalLM", "speculative.method": "none"}, False),
        ({"model.architecture": "LlamaForCausalLM", "speculative.method": "eagle"}, False),
        ({"clue.checkpoint_config": PLAIN}, True),
        (
            {
                "clue.checkpoint_config": {**PLAIN, "attention": "mla"},
                "model.architecture": "LlamaForCausalLM",
                "speculative.method": "none",
            },
            False,
        ),
    ],
)
def test_plain_attention(fields: dict[str, Any], is_plain: bool) -> None:
    assert plain(record(fields)) is is_plain


def test_a_factor_of_two_proves_nothing_where_attention_is_not_plain() -> None:
    windowed = {"model.architecture": "Gemma3ForCausalLM"}
    assert _proof({**windowed, **_per_token(81_920.0)}, windowed) is None
    assert _proof(windowed, windowed) == "equal"


def test_the_proof_is_a_difference_and_never_a_value() -> None:
    found = differences(ARM, {**ARM, **_per_token(81_920.0)})["kv_cache.dtype"]
    assert (found.states, found.values, found.class_, found.proof) == (
        ("unknown", "unknown"),
        (None, None),
        "confound",
        "different",
    )
    equal = differences(ARM, ARM)["kv_cache.dtype"]
    assert (equal.class_, equal.proof) == ("context", "equal")
    assert differences(ARM, {**ARM, **_per_token(81_920.0)}, "kv_cache.dtype")["kv_cache.dtype"].class_ == "expected"


def test_equal_satisfies_the_gate_and_different_fires() -> None:
    arm, other = record(ARM), record({**ARM, **_per_token(81_920.0), "kv_cache.tokens": 524_288})
    kept = [rule for rule in bundled_rules() if rule.id == "kv-dtype-differs"]
    equal = diff(arm, record(ARM), kept, Wishes(accept_unknown=("gpu.tenants",)))
    assert (equal.verdict, equal.undecided) == ("comparable", [])
    assert equal.arms[0].state("kv_cache.dtype") == "unknown"
    different = diff(arm, other, kept, Wishes(accept_unknown=("gpu.tenants",)))
    assert (different.verdict, [finding.rule for finding in different.findings]) == ("not_comparable", ["kv-dtype-differs"])
    unlike = diff(arm, record({**ARM, "model.path": "acme/atlas-34b"}), kept, Wishes(accept_unknown=("gpu.tenants",)))
    assert (unlike.verdict, unlike.undecided) == ("cannot_tell", ["kv_cache.dtype"])


def test_one_known_and_one_unknown_type_are_decided_by_the_pair_too() -> None:
    known = {"kv_cache.dtype": "bfloat16"}
    assert _proof(_per_token(81_920.0), known) == "different"
    assert _proof({}, known) == "equal"


def test_bytes_ratio_and_layout() -> None:
    a, b = record(ARM), record({**ARM, **_per_token(81_920.0)})
    assert bytes_ratio(a, b) == 2.0
    assert bytes_ratio(a, record({})) is None
    assert same_layout(a, b)


@pytest.mark.parametrize(("left", "right"), [(1e-300, 1e300), (1e300, 1e-300), (0, 5.0)])
def test_a_ratio_of_no_sane_size_is_none(left: float, right: float) -> None:
    arms = [record({"kv_cache.bytes_per_token": value}, "engine-log") for value in (left, right)]
    assert bytes_ratio(*arms) is None
