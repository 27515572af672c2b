"""What settles the KV element type of a TensorRT-LLM run: its report, the announced algorithm, printed bytes, the checkpoint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kvaudit.parsers.facts import Fact
from kvaudit.record.derived import infer_everything
from kvaudit.record.kv_dtype.ladder import Rank
from kvaudit.record.kv_dtype.tensorrt_llm import votes
from kvaudit.record.table import FactTable
from tests.record.builders import PLAIN_CONFIG, said, statement, table

ENGINE = {"engine.name": "tensorrt_llm", "engine.version": "1.2.0", "engine.core": "pytorch", "model.dtype": "bfloat16"}
AUTO = said("kv_cache.dtype", "auto", "requested")


def arm(held: dict[str, Any] | None = None, *more: Fact) -> FactTable:
    return table({**ENGINE, **(held or {})}, *more)


def printed(cost: int) -> Fact:
    return said("kv_cache.bytes_per_token", cost, "observed")


def settled(facts: FactTable) -> tuple[str, Any, Any]:
    infer_everything(facts)
    state = facts.state("kv_cache.dtype")
    return state.state, state.value, state.stage


def test_auto_proves_nothing() -> None:
    assert settled(arm(None, AUTO)) == ("unknown", None, None)


@pytest.mark.parametrize(
    ("cost", "value"),
    # 2 × 32 × 8 × 128 = 65,536 elements a token; NVFP4 takes 4 bits and one scale byte for 16 elements
    [(131_072, "bfloat16"), (65_536, "fp8_e4m3"), (36_864, "nvfp4")],
)
def test_printed_bytes_per_token_settle_it(cost: int, value: str) -> None:
    facts = arm({"parallel.tensor": 1, "clue.checkpoint_config": PLAIN_CONFIG}, AUTO, printed(cost))
    assert settled(facts) == ("known", value, "inferred")


@pytest.mark.parametrize("cost", [131_072 + 4_096, 98_304, 0])
def test_bytes_that_fit_no_width_exactly_settle_nothing(cost: int) -> None:
    facts = arm({"parallel.tensor": 1, "clue.checkpoint_config": PLAIN_CONFIG}, AUTO, printed(cost))
    assert settled(facts)[0] == "unknown"


def test_several_ranks_count_only_where_attention_is_known_to_be_split() -> None:
    held = {"parallel.tensor": 2, "clue.checkpoint_config": PLAIN_CONFIG}
    assert settled(arm(held, AUTO, printed(65_536)))[0] == "unknown"
    assert settled(arm({**held, "parallel.data": 2}, AUTO, printed(65_536)))[0] == "unknown"
    assert settled(arm({**held, "parallel.data": 1}, AUTO, printed(65_536))) == ("known", "bfloat16", "inferred")


def test_windowed_layers_of_one_shape_count_whole() -> None:
    config = {**PLAIN_CONFIG, "attention": "sliding", "sliding_window": 128}
    held = {"parallel.tensor": 1, "clue.checkpoint_config": config}
    assert settled(arm(held, AUTO, printed(65_536))) == ("known", "fp8_e4m3", "inferred")
    other = {**held, "clue.checkpoint_config": {**config, "swa_head_dim": 64}}
    assert settled(arm(other, AUTO, printed(65_536)))[0] == "unknown"


def test_latent_vectors_are_whole_on_every_rank() -> None:
    config = {"attention": "mla", "layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    held = {"parallel.tensor": 8, "clue.checkpoint_config": config}
    assert settled(arm(held, AUTO, printed(61 * 576))) == ("known", "fp8_e4m3", "inferred")


def test_a_draft_models_layers_leave_it_open() -> None:
    held = {"parallel.tensor": 1, "clue.checkpoint_config": PLAIN_CONFIG, "speculative.method": "mtp"}
    assert settled(arm(held, AUTO, printed(65_536)))[0] == "unknown"


def test_memory_over_tokens_settles_it_where_no_bytes_are_printed() -> None:
    held = {"parallel.tensor": 1, "clue.checkpoint_config": PLAIN_CONFIG, "kv_cache.tokens": 327_680}
    assert settled(arm({**held, "kv_cache.memory_gib": 40.0}, AUTO)) == ("known", "bfloat16", "inferred")
    assert settled(arm({**held, "kv_cache.memory_gib": 20.0}, AUTO)) == ("known", "fp8_e4m3", "inferred")


def test_one_byte_of_the_tensorrt_backend_may_be_int8() -> None:
    held = {"engine.core": "tensorrt", "parallel.tensor": 1, "clue.checkpoint_config": PLAIN_CONFIG, "kv_cache.tokens": 327_680}
    assert settled(arm({**held, "kv_cache.memory_gib": 20.0}))[0] == "unknown"
    assert settled(arm({**held, "kv_cache.memory_gib": 40.0})) == ("known", "bfloat16", "inferred")


def test_the_announced_algorithm_holds_under_auto() -> None:
    notice = said("clue.kv_dtype_notice", "fp8")
    (vote,) = votes(arm(None, AUTO, notice))
    assert (vote.rank, vote.value) == (Rank.WORKER, "fp8_e4m3")
    assert settled(arm(None, AUTO, notice)) == ("known", "fp8_e4m3", "resolved")


def test_the_announced_algorithm_is_not_believed_beside_an_explicit_type() -> None:
    assert votes(arm(None, said("kv_cache.dtype", "nvfp4", "requested"), said("clue.kv_dtype_notice", "fp8"))) == []


def test_a_validated_type_is_declared() -> None:
    asked = said("kv_cache.dtype", "fp8", "requested")
    origin = replace(asked.origins[0], reader="tensorrt_llm:kv-dtype-asked")
    (vote,) = votes(arm(None, replace(asked, origins=[origin])))
    assert (vote.rank, vote.value) == (Rank.DECLARED, "fp8_e4m3")


def test_the_report_of_a_benchmark() -> None:
    assert settled(arm(None, AUTO, said("clue.kv_dtype_worker", "model"))) == ("known", "bfloat16", "resolved")
    assert settled(arm(None, AUTO, said("clue.kv_dtype_worker", "fp8"))) == ("known", "fp8_e4m3", "resolved")


def test_the_quantization_file_speaks_before_config_json() -> None:
    file = statement(file="hf_quant_config.json", method="modelopt", quant_algo="NVFP4", producer="modelopt")
    block = statement(method="modelopt", kv="none", quant_algo="NVFP4")
    facts = arm(None, AUTO, said("clue.checkpoint_quantization", block), said("clue.checkpoint_quantization", file))
    assert settled(facts) == ("known", "fp8_e4m3", "inferred")


@pytest.mark.parametrize(
    ("version", "change", "value"),
    [
        ("0.16.0", {"file": "hf_quant_config.json", "method": "modelopt"}, None),
        ("0.20.0", {"file": "hf_quant_config.json", "method": "modelopt"}, "fp8_e4m3"),
        ("1.0.0", {"file": "hf_quant_config.json", "method": "modelopt", "kv": "nvfp4"}, None),
        ("1.1.0", {"file": "hf_quant_config.json", "method": "modelopt", "kv": "nvfp4"}, "nvfp4"),
        ("1.2.0", {"file": "hf_quant_config.json", "method": "modelopt", "kv": "none"}, "bfloat16"),
        ("1.2.0", {}, None),
        ("1.3.0", {}, "fp8_e4m3"),
        ("1.2.0", {"method": "awq", "kv": "none"}, "bfloat16"),
        ("1.2.0", {"has_block": False, "method": "", "kv": "none"}, None),
    ],
)
def test_the_checkpoint_by_release(version: str, change: dict[str, Any], value: str | None) -> None:
    facts = arm({"engine.version": version}, AUTO, said("clue.checkpoint_quantization", statement(**change)))
    assert settled(facts)[1] == value


def test_an_explicit_type_leaves_the_checkpoint_unasked() -> None:
    file = statement(file="hf_quant_config.json", method="modelopt")
    facts = arm(None, said("kv_cache.dtype", "nvfp4", "requested"), said("clue.checkpoint_quantization", file))
    assert settled(facts)[0] == "unknown"
