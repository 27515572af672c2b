"""Mutation check: for every example that fires, changing one value flips the finding to clear; and no rule needs a missing fact.

The changed values are taken from the rule's own examples that stay clear, from the other arm, and from what the value's kind
allows: the negation, a figure far away, another word, a list without its items. One change at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.rule_examples import record_of, run_examples
from kvaudit.audit.rules import Example, Rule, bundled_rules

RULES = bundled_rules()
EXCUSES = {
    "developer-endpoints-open": {"clue.container_address"},
    "engine-not-ready": {"engine.notices"},
    "gpu-count-differs": {"parallel.gpus"},
    "unequal-kv-capacity": {"kv_cache.bytes_per_token", "kv_cache.dtype", "kv_cache.memory_gib"},
}
"""Facts that excuse a finding which rests on others: a container around the address, the failed start, GPUs, capacities."""
NO_VALUES = frozenset({"stage", "how", "scope"})
"""Keys of an example's value that say who speaks."""
FIRING = [(rule, example) for rule in RULES for example in rule.examples if example.expect == "fires"]

each_example = pytest.mark.parametrize(
    ("rule", "example"), FIRING, ids=[f"{rule.id}-{rule.examples.index(example) + 1}" for rule, example in FIRING]
)


def outcome(rule: Rule, example: Example) -> str:
    (result,) = run_examples(replace(rule, examples=[example]))
    return result.outcome


def _with(example: Example, side: str, given: dict[str, Any]) -> Example:
    changes: dict[str, Any] = {side: given}
    return replace(example, **changes)


def mutants(rule: Rule, example: Example) -> Iterator[tuple[str, Example]]:
    """Each single change of one value of one side, named."""
    for side in ("arm", "a", "b"):
        given: dict[str, Any] | None = getattr(example, side)
        for name, value in (given or {}).items():
            for other in _others(rule, example, side, name, value):
                changed = _with(example, side, {**(given or {}), name: other})
                yield f"{side}.{name}: {value!r} -> {other!r}", changed
    if rule.about == "missing":
        for one in rule.examples:
            added = {name: value for name, value in (one.arm or {}).items() if name not in (example.arm or {})}
            yield from (
                (f"arm.{name} is there", replace(example, arm={**(example.arm or {}), name: added[name]})) for name in added
            )
    for name, value in example.require.items():
        for other in _perturbed(value):
            yield f"require {name}", replace(example, require={**example.require, name: other})


def _others(rule: Rule, example: Example, side: str, name: str, value: Any) -> Iterator[Any]:
    sides = {"a": "b", "b": "a"}
    if side in sides and name in (getattr(example, sides[side]) or {}):
        yield getattr(example, sides[side])[name]
    if name in example.require:
        yield example.require[name]
    for one in rule.examples:
        for held in (one.arm, one.a, one.b):
            if one.expect == "clear" and held and name in held and held[name] != value:
                yield held[name]
    yield from _perturbed(value)


def _perturbed(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value * 0, value * 1000 + 1, value * -1)
    elif isinstance(value, str):
        yield from ("none", f"another {value}")
    elif isinstance(value, list):
        yield from ([], value[:1])
        for index, item in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in _perturbed(item))
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in NO_VALUES:
                continue
            yield from ({**value, key: other} for other in _perturbed(item))


def flipped(rule: Rule, example: Example, wanted: set[str]) -> list[str]:
    """Empty where one change of one value makes it one of the wanted outcomes; else what was tried."""
    tried = []
    for name, mutant in mutants(rule, example):
        if (became := outcome(rule, mutant)) in wanted:
            return []
        tried.append(f"{name}: {became}")
    return tried or ["the example holds no value"]


@each_example
def test_changing_the_decisive_value_ends_the_finding(rule: Rule, example: Example) -> None:
    assert flipped(rule, example, {"clear", "unknown"}) == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.about != "missing"], ids=lambda rule: rule.id)
def test_one_value_turns_a_finding_of_the_rule_into_a_clear_answer(rule: Rule) -> None:
    tried = [flipped(rule, example, {"clear"}) for example in rule.examples if example.expect == "fires"]
    assert [] in tried, tried


def without(example: Example, side: str, name: str) -> Example:
    """The example with one fact missing."""
    given = getattr(example, side)
    return _with(example, side, {key: value for key, value in given.items() if key != name})


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.about != "missing"], ids=lambda rule: rule.id)
def test_a_missing_fact_never_makes_a_finding(rule: Rule) -> None:
    """What is clear with all its facts does not fire with one of them missing."""
    clear = [example for example in rule.examples if example.expect in ("clear", "unknown")]
    wrong = [
        f"{side}.{name} missing"
        for example in clear
        for side in ("arm", "a", "b")
        for name in getattr(example, side) or {}
        if name not in EXCUSES.get(rule.id, ()) and outcome(rule, without(example, side, name)) == "fires"
    ]
    assert wrong == []


@pytest.mark.parametrize("fail_on", ["error", "warning"])
def test_rules_about_missing_evidence_decide_no_exit_code(fail_on: Any) -> None:
    """Alone or in pairs: they are listed, and the exit code is that of the open facts, or 0 where those are accepted."""
    missing = [rule for rule in RULES if rule.about == "missing"]
    assert missing
    for rule in missing:
        for example in rule.examples:
            held = record_of(example.arm or {}, rule.id)
            for allowed, codes in ((False, {0, 3}), (True, {0})):
                wishes = Wishes(fail_on=fail_on, allow_unknown=allowed)
                one, two = check(held, [rule], wishes), diff(held, held, [rule], wishes)
                assert {one.exit_code, two.exit_code} <= codes, rule.id
                assert example.expect != "fires" or one.findings, rule.id
