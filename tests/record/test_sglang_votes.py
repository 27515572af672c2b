"""What SGLang's evidence proves about the KV element type, release by release. Expected values follow the released sources."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.derived import infer_everything
from kvaudit.record.kv_dtype.ladder import Rank
from kvaudit.record.kv_dtype.sglang import votes
from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable
from tests.record.builders import PLAIN_CONFIG, said, statement, table

UNKNOWN = None
CT = statement(kv_strategy="tensor", kv_symmetric=True, kv_key="kv_cache_scheme")
MODELOPT = {"method": "modelopt", "producer": "modelopt"}
FILE = statement(**MODELOPT, file="hf_quant_config.json", quant_algo="FP8", kv_num_bits=None, kv_type=None, kv_dynamic=None)
NO_PRODUCER = {**FILE, "producer": ""}
BLOCK = statement(**MODELOPT, quant_algo="NVFP4", kv_key="kv_cache_scheme")
FLAT_FP4 = statement(**MODELOPT, quant_algo="NVFP4", kv_key="kv_cache_quant_algo", kv_num_bits=None, kv_type=None)
STRING_FP8 = statement(**MODELOPT, quant_algo="FP8", kv_key="kv_cache_scheme", kv_num_bits=None, kv_type=None)
NVFP4 = statement(**MODELOPT, quant_algo="NVFP4", kv="nvfp4", kv_num_bits=4)
MIXED = statement(**MODELOPT, quant_algo="MIXED_PRECISION", kv="none", kv_num_bits=None, kv_type=None)
NO_BLOCK = statement(method="", has_block=False, kv="none")


def filled(version: str | None = None, stated: Any = None, line: str | None = "auto", **more: Any) -> FactTable:
    """A bfloat16 Llama on SGLang, unless changed by `more` (dots written as two underscores)."""
    held: dict[str, Any] = {
        "engine.name": "sglang",
        "model.dtype": "bfloat16",
        "model.architecture": "LlamaForCausalLM",
        "engine.version": version,
        "clue.kv_dtype_engine_line": line,
        "clue.checkpoint_statement": stated,
    }
    held |= {name.replace("__", "."): value for name, value in more.items()}
    facts = {name: value for name, value in held.items() if value is not None}
    return table(facts, *([said("kv_cache.dtype", line, "requested")] if line else []))


def settled(version: str | None = None, stated: Any = None, line: str | None = "auto", **more: Any) -> FieldState:
    one = filled(version, stated, line, **more)
    infer_everything(one)
    return one.state("kv_cache.dtype")


@pytest.mark.parametrize(
    ("version", "stated", "expected"),
    [
        ("0.5.2", CT, "bfloat16"),
        ("0.5.18", CT, "bfloat16"),
        ("0.5.19", CT, "fp8_e4m3"),
        ("0.5.23", CT, "fp8_e4m3"),
        ("0.5.23", {**CT, "kv_dynamic": True}, "bfloat16"),
        ("0.5.23", {**CT, "kv_strategy": "attn_head"}, "bfloat16"),
        ("0.5.23", {**CT, "nested": True}, UNKNOWN),
        ("0.5.2", FILE, "bfloat16"),
        ("0.5.3", FILE, "fp8_e4m3"),
        ("0.5.9", NO_PRODUCER, "fp8_e4m3"),
        ("0.5.2", BLOCK, "bfloat16"),
        ("0.5.3", BLOCK, "fp8_e4m3"),
        ("0.5.3", {**BLOCK, "kv_dynamic": None}, "fp8_e4m3"),
        ("0.5.4", FLAT_FP4, "fp8_e4m3"),
        ("0.5.9", FLAT_FP4, "bfloat16"),
        ("0.5.16", FLAT_FP4, UNKNOWN),
        ("0.5.18", FLAT_FP4, "fp8_e4m3"),
        ("0.5.9", STRING_FP8, "bfloat16"),
        ("0.5.9", NVFP4, "bfloat16"),
        ("0.5.9", MIXED, UNKNOWN),
        ("0.5.23", NO_BLOCK, "bfloat16"),
        ("0.5.3rc0", FILE, UNKNOWN),
        ("0.1.dev1+gabc", FILE, UNKNOWN),
        (None, FILE, UNKNOWN),
    ],
)
def test_the_checkpoint_through_the_version_table(version: str | None, stated: Any, expected: str | None) -> None:
    assert settled(version, stated).value == expected


@pytest.mark.parametrize(
    ("names", "stated", "expected"),
    [
        ({"enable_ep_moe"}, FILE, "bfloat16"),
        ({"enable_ep_moe"}, None, "bfloat16"),
        ({"sampling_defaults", "cuda_graph_max_bs"}, FILE, "fp8_e4m3"),
        ({"sampling_defaults", "cuda_graph_max_bs"}, CT, "bfloat16"),
        ({"sampling_defaults", "cuda_graph_max_bs"}, None, UNKNOWN),
        ({"return_input_ids"}, CT, "fp8_e4m3"),
        ({"hicache_host_memory_mode"}, CT, UNKNOWN),
        ({"dcp_size"}, CT, UNKNOWN),
        ({"model_path"}, FILE, UNKNOWN),
        ({"return_input_ids", "enable_ep_moe"}, FILE, UNKNOWN),
    ],
)
def test_the_names_of_the_arguments_tell_the_release(names: set[str], stated: Any, expected: str | None) -> None:
    raw = {"server_args": dict.fromkeys(names)}
    both = [said("clue.raw_configuration", {"config.json": {}}), said("clue.raw_configuration", raw)]
    assert settled(None, stated, clue__raw_configuration=both).value == expected


def test_a_worker_beats_the_flag_and_the_table() -> None:
    state = settled("0.5.23", CT, "bfloat16", clue__kv_dtype_worker="torch.float8_e4m3fn")
    assert (state.value, state.stage) == ("fp8_e4m3", "resolved")
    assert [fact.value for fact in state.facts if fact.stage == "requested"] == ["bfloat16"]


def test_two_pools_of_unlike_types_are_a_conflict() -> None:
    clues = [said("clue.kv_dtype_worker", "torch.bfloat16"), said("clue.kv_dtype_worker", "torch.float8_e4m3fn")]
    assert settled(clue__kv_dtype_worker=clues).state == "conflict"


@pytest.mark.parametrize(
    ("line", "platform", "expected"),
    [
        ("fp8_e4m3", "cuda", "fp8_e4m3"),
        ("fp8_e5m2", "cuda", "fp8_e5m2"),
        ("fp8_e5m2", "rocm", "fp8"),
        ("bf16", None, "bfloat16"),
        ("fp4_e2m1", None, "nvfp4"),
        ("auto", "cuda", UNKNOWN),
    ],
)
def test_the_arguments_line_declares(line: str, platform: str | None, expected: str | None) -> None:
    assert settled(line=line, engine__platform=platform).value == expected


def test_a_type_that_the_engine_chose_for_the_model_is_declared_and_was_not_asked_for() -> None:
    one = filled("0.5.9", None, None, clue__kv_dtype_notice="fp8_e4m3", model__architecture="DeepseekV32ForCausalLM")
    assert [(vote.rank, vote.value) for vote in votes(one)] == [(Rank.DECLARED, "fp8_e4m3")]


def test_models_that_choose_for_themselves_stand_in_no_table() -> None:
    assert settled("0.5.9", NO_BLOCK, model__architecture="GlmMoeDsaForCausalLM").value is UNKNOWN


def test_another_checkpoint_proves_nothing() -> None:
    config = {**PLAIN_CONFIG, "architecture": "OtherForCausalLM"}
    assert settled("0.5.9", FILE, clue__checkpoint_config=config).value is UNKNOWN


def test_arithmetic_settles_a_release_that_prints_no_type() -> None:
    # 65,536 elements × 2 bytes × 131,072 tokens = 16 GiB
    more: dict[str, Any] = {"kv_cache__memory_gib": 16.0, "kv_cache__tokens": 131_072, "parallel__tensor": 1, "parallel__data": 1}
    assert settled(clue__checkpoint_config=PLAIN_CONFIG, **more).value == "bfloat16"
    assert settled(clue__checkpoint_config=PLAIN_CONFIG, **{**more, "kv_cache__memory_gib": 8.0}).value == "fp8"


def test_data_parallel_workers_may_share_ranks_so_the_arithmetic_is_silent() -> None:
    # 4 KV heads a rank with attention over 2 of the 4 ranks: FP8 would look like 16 bits of 4 ranks
    more: dict[str, Any] = {"kv_cache__memory_gib": 4.0, "kv_cache__tokens": 131_072, "parallel__tensor": 4, "parallel__data": 2}
    assert settled(clue__checkpoint_config=PLAIN_CONFIG, **more).value is UNKNOWN


@pytest.mark.parametrize(("stated", "expected"), [("checkpoint", "checkpoint"), ("none", "default_1.0"), (None, "default_1.0")])
def test_an_index_with_scales_beats_the_line_about_the_flag(stated: str | None, expected: str) -> None:
    scales = [said("kv_cache.scales", stated, "stated", file="model.safetensors.index.json")] if stated else []
    one = table({"engine.name": "sglang", "clue.kv_dtype_worker": "torch.float8_e4m3fn", "clue.kv_scale_notice": "fp8"}, *scales)
    infer_everything(one)
    assert one.value("kv_cache.scales") == expected
