"""What settles the KV element type of LMDeploy and TGI runs."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Fact
from kvaudit.record.derived import infer_everything
from kvaudit.record.table import FactTable
from tests.record.builders import PLAIN_CONFIG, said, statement, table

UNASKED = said("kv_cache.dtype", "auto", "requested")
ARGUMENTS = {"model_id": "acme/atlas", "kv_cache_dtype": None}


def settled(facts: FactTable) -> tuple[str, Any, Any]:
    infer_everything(facts)
    state = facts.state("kv_cache.dtype")
    return state.state, state.value, state.stage


def lmdeploy(policy: str | None, **held: Any) -> FactTable:
    clue = {"clue.kv_dtype_engine_line": policy} if policy else {}
    return table({"engine.name": "lmdeploy", **clue, **held}, UNASKED)


def tgi(*more: Fact, **held: Any) -> FactTable:
    return table({"engine.name": "tgi", **{name.replace("__", "."): value for name, value in held.items()}}, UNASKED, *more)


def test_lmdeploy_keeps_the_models_type_under_policy_zero() -> None:
    assert settled(lmdeploy("model", **{"model.dtype": "bfloat16"})) == ("known", "bfloat16", "inferred")
    assert settled(lmdeploy("model"))[0] == "unknown"


def test_lmdeploy_names_quantized_types() -> None:
    assert settled(lmdeploy("int8")) == ("known", "int8", "resolved")
    assert settled(lmdeploy(None))[0] == "unknown"


def test_the_width_of_lmdeploys_blocks_does_not_make_int8_fp8() -> None:
    # 8 GiB ÷ 131,072 tokens = 65,536 bytes, one for each of 2 × 32 × 8 × 128 elements
    held = {"kv_cache.memory_gib": 8.0, "kv_cache.tokens": 131_072, "parallel.tensor": 1, "clue.checkpoint_config": PLAIN_CONFIG}
    assert settled(lmdeploy("int8", **held)) == ("known", "int8", "resolved")


@pytest.mark.parametrize(
    ("attention", "platform", "value"),
    [("flashinfer", "cuda", "fp8_e4m3"), ("flashinfer", None, "fp8_e4m3"), ("paged", "cuda", None), ("flashinfer", "rocm", None)],
)
def test_tgi_takes_the_scheme_of_one_kind_of_checkpoint(attention: str, platform: str | None, value: str | None) -> None:
    held = {"run__args": ARGUMENTS, "attention__backend": attention, "clue__checkpoint_quantization": statement()}
    facts = tgi(**held, **({"engine__platform": platform} if platform else {}))
    facts.add(said("clue.checkpoint_statement", statement()))
    assert settled(facts)[1] == value


def test_tgi_keeps_the_models_type_for_every_other_checkpoint() -> None:
    facts = tgi(said("clue.checkpoint_statement", statement(method="modelopt")), run__args=ARGUMENTS, model__dtype="bfloat16")
    assert settled(facts) == ("known", "bfloat16", "inferred")


def test_tgi_without_a_checkpoint_is_open() -> None:
    assert settled(tgi(run__args=ARGUMENTS, model__dtype="bfloat16"))[0] == "unknown"


def test_older_tgi_knows_no_other_type() -> None:
    assert settled(tgi(run__args={"model_id": "acme/atlas"}, model__dtype="float16")) == ("known", "float16", "inferred")


def test_tgis_arguments_and_shards_name_types() -> None:
    asked = said("kv_cache.dtype", "fp8_e5m2", "requested")
    assert settled(table({"engine.name": "tgi"}, asked)) == ("known", "fp8_e5m2", "resolved")
    assert settled(tgi(clue__kv_dtype_worker="fp8_e4m3")) == ("known", "fp8_e4m3", "resolved")
