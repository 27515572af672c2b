"""What engines mean by one field: other quantities and other names are neither equal nor unequal."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.evaluate import evaluate
from kvaudit.audit.meanings import OWN_NAMES, QUANTITIES, other_meaning
from kvaudit.fields import FIELDS
from tests.audit.arms import differences, pair, record

ENGINES = {"vllm", "sglang", "tensorrt_llm", "llama_cpp", "ollama", "lmdeploy", "tgi"}


def arm(engine: str, **fields: Any) -> dict[str, Any]:
    return {"engine.name": engine, **{name.replace("__", "."): value for name, value in fields.items()}}


@pytest.mark.parametrize("equal", [True, False])
def test_a_chunk_of_a_prefill_is_no_budget_of_a_step(equal: bool) -> None:
    a = arm("vllm", scheduler__max_num_batched_tokens=8192)
    b = arm("sglang", scheduler__max_num_batched_tokens=8192 if equal else 4096)
    rule = {"fields": ["scheduler.max_num_batched_tokens"]}
    for name in ("differs", "same"):
        outcome = evaluate({name: rule}, pair(a, b))
        assert outcome.truth is None
        assert "vllm: tokens of one step" in outcome.missing[0]
        assert "sglang: prompt tokens of one chunk" in outcome.missing[0]


def test_engines_that_mean_the_same_are_compared() -> None:
    a, b = arm("vllm", scheduler__max_num_batched_tokens=8192), arm("tensorrt_llm", scheduler__max_num_batched_tokens=1024)
    assert evaluate({"differs": {"fields": ["scheduler.max_num_batched_tokens"]}}, pair(a, b)).truth is True
    a, b = arm("vllm", scheduler__max_num_seqs=256), arm("sglang", scheduler__max_num_seqs=48)
    assert evaluate({"differs": {"fields": ["scheduler.max_num_seqs"]}}, pair(a, b)).truth is True


def test_shares_of_the_card_and_of_free_memory_are_no_pair() -> None:
    a, b = arm("vllm", memory__utilization=0.9), arm("sglang", memory__static_fraction=0.9)
    outcome = evaluate({"differs": {"fields": ["memory.utilization", "memory.static_fraction"]}}, pair(a, b))
    assert outcome.truth is None
    assert all("cannot be compared" in text for text in outcome.missing)


def test_one_engine_compares_its_own_words() -> None:
    a, b = arm("sglang", attention__backend="fa3"), arm("sglang", attention__backend="triton")
    assert evaluate({"differs": {"fields": ["attention.backend"]}}, pair(a, b)).truth is True


def test_names_of_two_engines_are_listed_and_decide_nothing() -> None:
    found = differences(arm("vllm", attention__backend="FLASH_ATTN"), arm("sglang", attention__backend="fa3"))[
        "attention.backend"
    ]
    assert (found.class_, found.explained_by) == ("context", None)
    assert found.meaning is not None
    alike = pair(arm("vllm", attention__backend="FLASHINFER"), arm("sglang", attention__backend="flashinfer"))
    assert evaluate({"same": {"fields": ["attention.backend"]}}, alike).truth is None


@pytest.mark.parametrize(
    ("engine", "named", "differs"),
    [("sglang", "awq", None), ("sglang", "gptq", True), ("vllm", "awq", True), ("sglang", "awq_marlin", False)],
)
def test_a_kernels_name_is_no_other_format_in_another_engine(engine: str, named: str, differs: bool | None) -> None:
    a, b = arm("vllm", model__quantization="awq_marlin"), arm(engine, model__quantization=named)
    assert evaluate({"differs": {"fields": ["model.quantization"]}}, pair(a, b)).truth is differs


def test_off_is_off_everywhere() -> None:
    a, b = arm("vllm", speculative__method="none"), arm("sglang", speculative__method="EAGLE3")
    assert evaluate({"differs": {"fields": ["speculative.method"]}}, pair(a, b)).truth is True
    both = pair(arm("vllm", speculative__method="none"), arm("sglang", speculative__method="none"))
    assert evaluate({"same": {"fields": ["speculative.method"]}}, both).truth is True


def test_pools_of_all_devices_are_one_pool_where_there_is_one_gpu() -> None:
    def meaning(gpus: int) -> str | None:
        a, b = (record({**arm(engine), "parallel.gpus": gpus}) for engine in ("vllm", "llama_cpp"))
        return other_meaning(a, b, "kv_cache.memory_gib")

    assert meaning(1) is None
    assert meaning(2) == "vllm: the pool of one rank; llama_cpp: the pools of all devices together"


def test_the_table_names_fields_and_engines() -> None:
    assert {*QUANTITIES, *OWN_NAMES} <= set(FIELDS)
    for name, rows in QUANTITIES.items():
        named = [engine for row in rows for engine in row.engines]
        assert len(named) == len(set(named)), name
        assert set(named) <= ENGINES
