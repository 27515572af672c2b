"""Predicates where the examples of rules do not reach every branch: starts in a row, placed tenants, lists, tolerances."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.context import ArmContext, PairContext
from kvaudit.audit.differences import classify, expand_vary
from kvaudit.audit.evaluate import evaluate
from kvaudit.audit.rule_examples import record_of

OUT_OF_MEMORY = {"outcome": "failed: out of memory, tried 3 GiB", "cause": "out of memory, tried 3 GiB", "ready": False}
OTHER_SIZE = {"outcome": "failed: out of memory, tried 4 GiB", "cause": "out of memory, tried 4 GiB", "ready": False}
NO_MODEL = {"outcome": "failed: no such model", "cause": "no such model", "ready": False}
READY = {"outcome": "ready", "ready": True}
OWN = {"gpu": 0, "pid": 1, "name": "VLLM::EngineCore", "mib": 9000, "class": "own", "reason": "its title is the engine's"}
STRANGER = {"gpu": 1, "pid": 2, "name": "python", "mib": 4000, "class": "foreign", "reason": "the log does not name it"}


def _arm(condition: dict[str, Any], **fields: Any) -> bool | None:
    return evaluate(condition, ArmContext("a", record_of(_dotted(fields), "here"))).truth


def _pair(condition: dict[str, Any], a: dict[str, Any], b: dict[str, Any], *vary: str) -> bool | None:
    arms = [ArmContext(name, record_of(side, "here")) for name, side in (("a", a), ("b", b))]
    varied = expand_vary(vary)
    return evaluate(condition, PairContext(arms[0], arms[1], classify(arms[0], arms[1], varied), varied)).truth


def _dotted(fields: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("__", "."): value for name, value in fields.items()}


@pytest.mark.parametrize(
    ("starts", "truth"),
    [
        ([OUT_OF_MEMORY, OTHER_SIZE, OUT_OF_MEMORY], True),
        ([READY, OUT_OF_MEMORY, OTHER_SIZE, OUT_OF_MEMORY, READY], True),
        ([OUT_OF_MEMORY, OUT_OF_MEMORY, READY, OUT_OF_MEMORY], False),
        ([OUT_OF_MEMORY, NO_MODEL, OUT_OF_MEMORY], False),
        ([READY, READY, READY], False),
        ([], None),
    ],
)
def test_failed_starts_count_in_a_row_and_by_cause(starts: list[dict[str, Any]], truth: bool | None) -> None:
    assert _arm({"failed_starts": {"count": 3}}, sessions=starts) is truth


@pytest.mark.parametrize(
    ("placed", "fields", "truth"),
    [
        ("possible", {"gpu__count": 2, "gpu__tenants": [OWN, STRANGER]}, False),
        ("possible", {"gpu__count": 2, "gpu__tenants": [STRANGER]}, True),
        ("proven", {"gpu__count": 2, "gpu__tenants": [STRANGER]}, False),
        ("proven", {"gpu__count": 2, "gpu__tenants": [STRANGER], "parallel__gpus": 2}, True),
        ("proven", {"gpu__count": 1, "gpu__tenants": [{**STRANGER, "gpu": None}]}, True),
        ("proven", {"gpu__count": 2, "gpu__tenants": [OWN, {**STRANGER, "gpu": 0}]}, True),
        ("possible", {"gpu__count": 2, "gpu__tenants": [{**STRANGER, "class": "unknown"}]}, None),
        ("possible", {"gpu__count": 2}, None),
    ],
)
def test_a_tenant_counts_where_it_sits(placed: str, fields: dict[str, Any], truth: bool | None) -> None:
    assert _arm({"tenant_on_run_gpu": {"classes": ["foreign"], "placed": placed}}, **fields) is truth


def test_the_memory_of_tenants_is_unknown_where_one_prints_none() -> None:
    condition = {"tenants_hold_under": {"classes": ["foreign"], "share": 0.05}}
    assert _arm(condition, gpu__tenants=[{**STRANGER, "mib": None}], kv_cache__memory_gib=40.0) is None
    assert _arm(condition, gpu__tenants=[{**STRANGER, "mib": 2047}], kv_cache__memory_gib=40.0) is True
    assert _arm(condition, gpu__tenants=[{**STRANGER, "mib": 2049}], kv_cache__memory_gib=40.0) is False


def test_words_are_found_in_flat_and_nested_lists() -> None:
    condition = {"any_item_of": {"field": "gpu.throttle_reasons", "values": ["hw_slowdown"]}}
    assert _arm(condition, gpu__throttle_reasons=["hw_slowdown"]) is True
    assert _arm(condition, gpu__throttle_reasons=[["gpu_idle"], ["sw_power_cap", "hw_slowdown"]]) is True
    assert _arm(condition, gpu__throttle_reasons=[[], []]) is False


def test_a_notice_may_be_told_by_its_text() -> None:
    notices = [{"code": "backend-fallback", "text": "Cannot use FlashAttention-2 backend"}]
    matching = {"notice": {"code": "backend-fallback", "pattern": "FlashAttention"}}
    assert _arm(matching, engine__name="vllm", engine__notices=notices) is True
    assert (
        _arm({"notice": {"code": "backend-fallback", "pattern": "sampling"}}, engine__name="vllm", engine__notices=notices)
        is False
    )


def test_kinds_of_a_list_keep_to_the_tolerance() -> None:
    condition = {"kinds_differ": {"field": "gpu.power_limit_w"}}
    assert _pair(condition, {"gpu.power_limit_w": [700.0, 700.0]}, {"gpu.power_limit_w": [695.0]}) is False
    assert _pair(condition, {"gpu.power_limit_w": [700.0, 500.0]}, {"gpu.power_limit_w": [700.0]}) is True
    assert _pair(condition, {"gpu.power_limit_w": [700.0]}, {}) is None


def test_same_ignores_what_is_under_test() -> None:
    condition = {"same": {"fields": ["model.path"]}}
    other = {"model.path": "acme/atlas-34b"}
    assert _pair(condition, {"model.path": "acme/atlas-13b"}, other, "model.path") is False
    assert _pair(condition, {"model.path": "/data/atlas-34b"}, other) is True
    assert _pair(condition, {}, other) is None


def test_one_equal_field_is_enough_where_the_rule_says_so() -> None:
    fields = ["parallel.tensor", "parallel.data"]
    a, b = {"parallel.tensor": 2, "parallel.data": 1}, {"parallel.tensor": 2}
    assert _pair({"differs": {"fields": fields}}, a, b) is None
    assert _pair({"differs": {"fields": fields, "enough": "one"}}, a, b) is False
    assert _pair({"differs": {"fields": fields, "enough": "one"}}, {"parallel.data": 1}, b) is None


def test_processes_are_compared_by_name_and_number() -> None:
    condition = {"tenants_differ": {"classes": ["foreign"]}}
    assert _pair(condition, {"gpu.tenants": [STRANGER]}, {"gpu.tenants": [{**STRANGER, "pid": 77}]}) is False
    assert _pair(condition, {"gpu.tenants": [STRANGER]}, {"gpu.tenants": [STRANGER, {**STRANGER, "pid": 77}]}) is True
    assert _pair(condition, {"gpu.tenants": [STRANGER]}, {"gpu.tenants": []}, "gpu.tenants") is False
