"""What counts as a difference, and of which class."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.differences import equal_as_recorded, expand_vary
from kvaudit.errors import UsageError
from kvaudit.fields import FIELDS, GROUPS
from tests.audit.arms import GOOD, differences


def _class(a: dict[str, Any], b: dict[str, Any], *vary: str) -> dict[str, str]:
    return {name: one.class_ for name, one in differences({**GOOD, **a}, {**GOOD, **b}, *vary).items()}


def test_equal_arms_have_no_difference() -> None:
    assert differences(GOOD, GOOD) == {}
    assert differences({}, {}) == {}


def test_order_is_that_of_the_registry() -> None:
    found = differences(
        {"run.seed": 1, "engine.version": "1", "model.max_len": 1}, {"run.seed": 2, "engine.version": "2", "model.max_len": 2}
    )
    assert list(found) == ["engine.version", "model.max_len", "run.seed"]


@pytest.mark.parametrize(
    ("field", "left", "right", "class_"),
    [
        ("model.max_len", 8192, 4096, "confound"),
        ("run.seed", 0, 1, "confound"),
        ("engine.version", "0.25.1", "0.24.0", "confound"),
        ("attention.backend", "FLASH_ATTN", "FLASHINFER", "confound"),
        ("engine.core", "v0", "v1", "context"),
        ("scheduler.policy", "fcfs", "priority", "context"),
        ("runtime.preemptions", 0, 3, "context"),
        ("memory.utilization", 0.9, 0.9005, "context"),  # within 0.1 %
        ("memory.utilization", 0.9, 0.91, "confound"),
        ("model.weights_gib", 24.5, 24.6, "context"),  # within 1 %
        ("model.weights_gib", 24.5, 25.0, "confound"),
        ("gpu.clocks_mhz", [1980, 1980], [1980, 1900], "context"),  # within 10 %
        ("gpu.clocks_mhz", [1980, 1980], [1980, 1500], "confound"),
        ("gpu.clocks_mhz", [1980, 1980], [1980], "confound"),
        ("engine.starts", 1, 2, "cosmetic"),
        ("run.args", {"port": 8000}, {"port": 8001}, "cosmetic"),
        ("gpu.uuids", ["a"], ["b"], "cosmetic"),
        ("model.path", "/data/acme/atlas-13b", "acme/atlas-13b/", "cosmetic"),
        ("model.path", "acme/atlas-13b", "acme/atlas-34b", "confound"),
        ("kv_cache.dtype", "fp8", "fp8_e4m3", "unknown"),
        ("kv_cache.dtype", "fp8_e5m2", "fp8_e4m3", "confound"),
    ],
)
def test_class_by_field_and_values(field: str, left: Any, right: Any, class_: str) -> None:
    assert _class({field: left}, {field: right})[field] == class_
    assert _class({field: right}, {field: left})[field] == class_


@pytest.mark.parametrize(
    ("field", "left", "right"),
    [
        ("attention.backend", "FLASH_ATTN", "Flash-Attn"),
        ("model.quantization", "AWQ", "awq"),
        ("engine.notices", [{"code": "a", "text": "1"}], [{"code": "a", "text": "2"}, {"code": "a"}]),
    ],
)
def test_other_words_for_the_same_are_no_difference(field: str, left: Any, right: Any) -> None:
    assert field not in differences({field: left}, {field: right})


def test_true_is_not_one() -> None:
    assert not equal_as_recorded("kv_cache.prefix_caching", True, 1)


def test_what_is_under_test_is_expected() -> None:
    assert _class({"model.max_len": 1}, {"model.max_len": 2}, "model.max_len")["model.max_len"] == "expected"
    assert _class({"run.args": {"a": 1}}, {"run.args": {"a": 2}}, "run.args")["run.args"] == "expected"
    by_group = _class({"parallel.tensor": 1, "parallel.data": 2}, {"parallel.tensor": 2, "parallel.data": 1}, "parallelism")
    assert by_group == {"parallel.tensor": "expected", "parallel.data": "expected"}


def test_one_side_open_is_listed_where_a_rule_or_the_gate_reads_the_field() -> None:
    found = differences({"run.seed": 1, "kv_cache.scheme": "fp8", "runtime.max_running": 3}, {})
    assert {name: one.class_ for name, one in found.items()} == {"run.seed": "unknown", "kv_cache.scheme": "unknown"}
    assert (found["run.seed"].values, found["run.seed"].states, found["run.seed"].ratio) == (
        (1, None),
        ("known", "unknown"),
        None,
    )


def test_the_load_of_one_arm_alone_is_no_list_of_open_fields() -> None:
    a = {"result.tool": "vllm-bench-serve", "result.seed": 1, "result.dataset": "random"}
    assert differences(a, {}) == {}
    b = {"result.tool": "vllm-bench-serve", "result.dataset": "random"}
    assert {name: one.class_ for name, one in differences(a, b).items()} == {"result.seed": "unknown"}


def test_unknown_stays_unknown_even_under_test() -> None:
    assert differences({"run.seed": 1}, {}, "run.seed")["run.seed"].class_ == "unknown"


def test_two_open_sides_are_no_difference() -> None:
    auto = {"kv_cache.dtype": {"value": "auto", "stage": "requested"}}
    assert differences(auto, auto) == {}


def test_ratios_are_b_over_a_for_numbers_only() -> None:
    found = differences(
        {"kv_cache.tokens": 389_216, "kv_cache.prefix_caching": True, "model.path": "a/b", "runtime.preemptions": 0},
        {"kv_cache.tokens": 690_880, "kv_cache.prefix_caching": False, "model.path": "a/c", "runtime.preemptions": 4},
    )
    assert found["kv_cache.tokens"].ratio == pytest.approx(690_880 / 389_216)
    assert [found[name].ratio for name in ("kv_cache.prefix_caching", "model.path", "runtime.preemptions")] == [None, None, None]


def test_names_of_vary() -> None:
    assert expand_vary(["weights", "run.seed"]) == {*GROUPS["weights"], "run.seed"}
    assert expand_vary([]) == frozenset()
    with pytest.raises(UsageError, match=r"did you mean kv_cache\.dtype"):
        expand_vary(["kv_cache.dtpe"])
    with pytest.raises(UsageError, match="did you mean weights"):
        expand_vary(["weight"])


def test_every_field_can_be_under_test() -> None:
    assert expand_vary(FIELDS) == set(FIELDS)
