"""Which facts a verdict needs, by what an arm holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kvaudit.audit.gate import GATE_CRITICAL, critical, undecided_of_arm, undecided_of_pair
from kvaudit.record.build import LOG_NOT_READ
from kvaudit.record.model import SourceEntry
from tests.audit.arms import GOOD, differences, record

ENGINE = ["kv_cache.dtype", "kv_cache.tokens", "model.path", "parallel.tensor", "kv_cache.prefix_caching"]


@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        (["engine-log"], ENGINE),
        (["metrics"], ENGINE),
        (["engine-log", "checkpoint"], ENGINE),
        (["engine-log", "gpu-snapshot"], [*ENGINE, "gpu.tenants"]),
        (["checkpoint"], ["kv_cache.scheme"]),
        (["gpu-snapshot"], ["gpu.tenants"]),
        (["service"], ["service.restart"]),
        (["engine-log", "service"], ENGINE),
        (["launch-command"], ENGINE),
        (["record", "engine-log"], ENGINE),
        (["record", "checkpoint"], ["kv_cache.scheme"]),
    ],
)
def test_by_kind_of_evidence(kinds: list[str], names: list[str]) -> None:
    assert critical(record({}, *kinds)) == names
    assert undecided_of_arm(record({}, *kinds)) == names
    assert set(names) <= GATE_CRITICAL


def test_a_known_engine_is_engine_evidence_whatever_the_file() -> None:
    assert critical(record({"engine.name": "vllm"}, "checkpoint")) == ENGINE


def test_results_that_name_their_server_ask_for_nothing_of_it() -> None:
    assert critical(record({"engine.name": "vllm"}, "results")) == []
    assert critical(record({"engine.name": "vllm"}, "results", "engine-log")) == ENGINE


def test_two_servers_are_not_compared_by_results_alone() -> None:
    arm = record({"engine.name": "vllm"}, "results")
    assert undecided_of_pair(arm, arm, {}) == ENGINE
    assert undecided_of_pair(arm, arm, {}, of_results=True) == []


@pytest.mark.parametrize(
    ("engine", "without"),
    [
        ("vllm", []),
        ("sglang", []),
        ("tensorrt_llm", []),
        ("llama_cpp", ["parallel.tensor", "kv_cache.prefix_caching"]),
        ("ollama", ["parallel.tensor", "kv_cache.prefix_caching"]),
        ("tgi", ["kv_cache.prefix_caching"]),
    ],
)
def test_what_an_engine_does_not_have_is_not_asked(engine: str, without: list[str]) -> None:
    assert critical(record({"engine.name": engine}, "engine-log")) == [name for name in ENGINE if name not in without]


def test_a_good_arm_leaves_nothing_open() -> None:
    assert undecided_of_arm(record(GOOD, "engine-log")) == []


@pytest.mark.parametrize("name", ["kv_cache.dtype", "kv_cache.tokens", "parallel.tensor", "kv_cache.prefix_caching"])
def test_each_open_fact_is_named(name: str) -> None:
    silent = {key: value for key, value in GOOD.items() if key != name}
    assert undecided_of_arm(record(silent, "engine-log")) == [name]


def test_a_conflict_is_open_and_a_proven_absence_is_not() -> None:
    conflict = [{"value": "bfloat16"}, {"value": "fp8_e4m3"}]
    assert undecided_of_arm(record({**GOOD, "kv_cache.dtype": conflict}, "engine-log")) == ["kv_cache.dtype"]
    assert undecided_of_arm(record({**GOOD, "kv_cache.tokens": None}, "engine-log")) == []


def test_path_or_architecture_is_enough_to_know_the_model() -> None:
    only_architecture = {key: value for key, value in GOOD.items() if key != "model.path"}
    assert undecided_of_arm(record(only_architecture, "engine-log")) == []
    neither = {key: value for key, value in only_architecture.items() if key != "model.architecture"}
    assert undecided_of_arm(record(neither, "engine-log")) == ["model.path"]


def test_a_log_that_nobody_reads_leaves_the_engine_open() -> None:
    arm = record({"kv_cache.scheme": "none"}, "checkpoint")
    arm.sources.append(SourceEntry(path="x.log", kind="ignored", notes=[LOG_NOT_READ]))
    assert undecided_of_arm(arm) == ["engine.name"]


def _pair(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    arms = record({**GOOD, **a}, "engine-log"), record({**GOOD, **b}, "engine-log")
    return undecided_of_pair(*arms, differences({**GOOD, **a}, {**GOOD, **b}))


AUTO: dict[str, Any] = {"kv_cache.dtype": {"value": "auto", "stage": "requested"}}


def test_a_pair_needs_both_arms() -> None:
    assert _pair({}, {}) == []
    assert _pair({}, {"kv_cache.tokens": [{"value": 1}, {"value": 2}]}) == ["kv_cache.tokens"]


def test_a_spelling_that_leaves_the_variant_open_decides_nothing() -> None:
    assert _pair({"kv_cache.dtype": "fp8"}, {"kv_cache.dtype": "fp8_e4m3"}) == ["kv_cache.dtype"]
    assert _pair({"kv_cache.dtype": "fp8"}, {"kv_cache.dtype": "fp8"}) == []


def test_a_proof_by_comparison_decides_the_element_type_only() -> None:
    assert _pair(AUTO, AUTO) == []
    assert _pair(AUTO, {**AUTO, "kv_cache.bytes_per_token": 81_920.0}) == []
    assert _pair(AUTO, {**AUTO, "model.max_len": 4096}) == ["kv_cache.dtype"]
    assert _pair(AUTO, {**AUTO, "kv_cache.bytes_per_token": 120_000.0}) == ["kv_cache.dtype"]


def test_arms_of_other_kinds_need_the_facts_of_both() -> None:
    a, b = record(GOOD, "engine-log"), record({"gpu.tenants": []}, "gpu-snapshot")
    found = undecided_of_pair(a, b, differences(GOOD, {"gpu.tenants": []}))
    assert found == [*ENGINE, "gpu.tenants"]


OPEN = {
    "gpu": 0,
    "pid": 977,
    "name": "python",
    "type": "C",
    "mib": 6_200,
    "class": "unknown",
    "reason": "not yet joined with a log",
}


@pytest.mark.parametrize(
    ("tenant", "undecided"),
    [
        (OPEN, ["gpu.tenants"]),
        ({**OPEN, "mib": None}, ["gpu.tenants"]),
        ({**OPEN, "mib": 120}, []),
        ({**OPEN, "on_run_gpu": False}, []),
        ({**OPEN, "class": "foreign"}, []),
    ],
)
def test_a_list_with_a_process_of_open_owner_decides_nothing(tenant: dict[str, Any], undecided: list[str]) -> None:
    found = replace(record({"gpu.tenants": [tenant]}), sources=[SourceEntry(path="gpus.txt", kind="gpu-snapshot")])
    assert undecided_of_arm(found) == undecided


def test_two_units_with_their_servers_commands_are_compared_as_launches() -> None:
    unit = record({"service.restart": "no", "engine.name": "llama_cpp", "model.path": "m.gguf"})
    unit = replace(unit, sources=[SourceEntry(path="a.service", kind="service")])
    assert undecided_of_arm(unit) == []
    assert undecided_of_pair(unit, unit, {}) == ["kv_cache.dtype", "kv_cache.tokens"]
