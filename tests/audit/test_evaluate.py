"""Three-valued logic: all, any, not, both, either; and conditions that are none."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from kvaudit.audit.context import ArmContext
from kvaudit.audit.evaluate import evaluate
from kvaudit.errors import RuleError
from tests.audit.arms import pair, record

TRUE: dict[str, Any] = {"equals": {"field": "run.seed", "value": 7}}
FALSE: dict[str, Any] = {"equals": {"field": "run.seed", "value": 8}}
UNKNOWN: dict[str, Any] = {"equals": {"field": "model.max_len", "value": 1}}
OTHER_UNKNOWN: dict[str, Any] = {"equals": {"field": "parallel.tensor", "value": 1}}
PARTS = {True: TRUE, False: FALSE, None: UNKNOWN}
Truth = bool | None


def _arm() -> ArmContext:
    return ArmContext("a", record({"run.seed": 7}))


def _kleene_and(values: tuple[Truth, ...]) -> Truth:
    return False if False in values else None if None in values else True


def _kleene_or(values: tuple[Truth, ...]) -> Truth:
    return True if True in values else None if None in values else False


@pytest.mark.parametrize("values", list(product([True, False, None], repeat=3)))
def test_all_and_any_of_three(values: tuple[Truth, ...]) -> None:
    parts = [PARTS[value] for value in values]
    assert evaluate({"all": parts}, _arm()).truth is _kleene_and(values)
    assert evaluate({"any": parts}, _arm()).truth is _kleene_or(values)


@pytest.mark.parametrize(("value", "negated"), [(True, False), (False, True), (None, None)])
def test_not(value: Truth, negated: Truth) -> None:
    assert evaluate({"not": PARTS[value]}, _arm()).truth is negated


@pytest.mark.parametrize("values", list(product([True, False, None], repeat=2)))
def test_both_and_either_over_two_arms(values: tuple[Truth, Truth]) -> None:
    seeds = {True: {"run.seed": 7}, False: {"run.seed": 1}, None: {}}
    context = pair(seeds[values[0]], seeds[values[1]])
    assert evaluate({"both": TRUE}, context).truth is _kleene_and(values)
    assert evaluate({"either": TRUE}, context).truth is _kleene_or(values)


def test_unknown_says_everything_that_is_missing_and_a_decision_nothing() -> None:
    unknown = evaluate({"all": [TRUE, UNKNOWN, {"not": OTHER_UNKNOWN}]}, _arm())
    assert [text.split(":")[1].strip() for text in unknown.missing] == ["model.max_len", "parallel.tensor"]
    assert all(text.startswith("arm a: ") for text in unknown.missing)
    assert evaluate({"all": [FALSE, UNKNOWN]}, _arm()).missing == []
    assert evaluate({"any": [TRUE, UNKNOWN]}, _arm()).missing == []


def test_what_decided_is_cited() -> None:
    decided = evaluate({"any": [FALSE, TRUE, UNKNOWN]}, _arm())
    assert [(one.arm, one.field, one.fact.value) for one in decided.cited] == [("a", "run.seed", 7)]
    context = pair({"run.seed": 7}, {"run.seed": 1})
    assert [one.arm for one in evaluate({"either": TRUE}, context).cited] == ["a"]


def test_empty_lists() -> None:
    assert evaluate({"all": []}, _arm()).truth is True
    assert evaluate({"any": []}, _arm()).truth is False


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({"equal": {}}, "no predicate is called 'equal'"),
        ({**TRUE, "not": TRUE}, "a condition has one key"),
        ({"differs": {"fields": ["run.seed"]}}, "differs is a predicate of pair rules"),
        ({"both": TRUE}, "belong into pair rules"),
    ],
)
def test_a_condition_that_is_none_is_named(condition: dict[str, Any], message: str) -> None:
    with pytest.raises(RuleError, match=message):
        evaluate(condition, _arm())


def test_an_arm_predicate_in_a_pair_rule_needs_both_or_either() -> None:
    with pytest.raises(RuleError, match="put it under `both` or `either`"):
        evaluate(TRUE, pair({}, {}))
