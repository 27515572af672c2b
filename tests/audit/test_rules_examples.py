"""The runner of examples: what field maps become, and what it says where an expectation is not met."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.rule_examples import record_of, run_examples
from kvaudit.audit.rules import Rule
from kvaudit.errors import RuleError
from kvaudit.shapes import checked

BASE: dict[str, Any] = {
    "id": "short-context",
    "title": "Short context",
    "scope": "arm",
    "severity": [
        {"level": "error", "when": {"at_most": {"field": "model.max_len", "value": 1024}}},
        {"level": "warning"},
    ],
    "when": {"at_most": {"field": "model.max_len", "value": 4096}},
    "message": "short",
    "why": "short",
    "fix": "longer",
}


def _results(*examples: dict[str, Any], **changes: Any) -> list[str]:
    rule = checked(Rule, {**BASE, **changes, "examples": list(examples)})
    return [f"{result.outcome} {result.severity or '-'} {'ok' if result.ok else 'wrong'}" for result in run_examples(rule)]


def test_each_outcome_and_severity() -> None:
    assert _results(
        {"expect": "fires", "arm": {"model.max_len": 2048}},
        {"expect": "fires", "severity": "error", "arm": {"model.max_len": 512}},
        {"expect": "clear", "arm": {"model.max_len": 8192}},
        {"expect": "unknown", "arm": {}},
    ) == ["fires warning ok", "fires error ok", "clear - ok", "unknown - ok"]


def test_a_wrong_expectation_is_said() -> None:
    assert _results({"expect": "fires", "severity": "error", "arm": {"model.max_len": 2048}}) == ["fires warning wrong"]
    rule = checked(Rule, {**BASE, "examples": [{"expect": "clear", "arm": {"model.max_len": 2048}}]})
    assert run_examples(rule)[0].message == "example 1: expected clear, got fires warning"


def test_a_plain_value_is_a_resolved_fact_with_an_origin() -> None:
    fact = record_of({"model.max_len": 2048}, "here").facts("model.max_len")[0]
    assert (fact.value, fact.stage, fact.origins[0].file) == (2048, "resolved", "example")


def test_a_list_of_facts_is_resolved_by_strength() -> None:
    record = record_of({"kv_cache.dtype": [{"value": "fp8", "stage": "requested"}, {"value": "bfloat16"}]}, "here")
    assert record.value("kv_cache.dtype") == "bfloat16"
    assert [fact.stage for fact in record.facts("kv_cache.dtype")] == ["requested", "resolved"]


def test_a_list_field_is_one_value() -> None:
    tenants = [{"gpu": 0, "pid": 7, "name": "python", "class": "own"}]
    assert record_of({"gpu.tenants": tenants}, "here").value("gpu.tenants") == tenants


def test_null_is_absent_and_a_delegating_word_is_unknown() -> None:
    record = record_of({"model.revision": None, "kv_cache.dtype": {"value": "auto", "stage": "requested"}}, "here")
    assert record.state("model.revision") == "absent"
    assert record.state("kv_cache.dtype") == "unknown"


def test_sessions_give_starts() -> None:
    record = record_of({"sessions": [{"outcome": "failed: x", "ready": False}, {"outcome": "ready", "ready": True}]}, "here")
    assert [start.ready for start in record.sessions.starts] == [False, True]
    assert record.sessions.selected == 2


def test_a_name_that_is_no_field_is_refused() -> None:
    with pytest.raises(RuleError, match=r"here: 'model\.colour'"):
        record_of({"model.colour": "red"}, "here")


def test_an_example_of_the_other_scope_is_refused() -> None:
    rule = checked(Rule, {**BASE, "examples": [{"expect": "fires", "a": {}, "b": {}}]})
    with pytest.raises(RuleError, match="short-context, example 1"):
        run_examples(rule)


def test_vary_is_applied() -> None:
    pair = {"scope": "pair", "severity": "error", "when": {"differs": {"fields": ["model.max_len"]}}}
    sides = {"a": {"model.max_len": 1024}, "b": {"model.max_len": 2048}}
    assert _results({"expect": "fires", **sides}, {"expect": "clear", "vary": ["model.max_len"], **sides}, **pair) == [
        "fires error ok",
        "clear - ok",
    ]
