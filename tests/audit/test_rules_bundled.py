"""Every bundled rule: its shape, its texts and its own examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kvaudit.audit.condition_words import fields_of
from kvaudit.audit.rule_examples import run_examples
from kvaudit.audit.rule_schema import check_document, wrong_placeholders
from kvaudit.audit.rules import Rule, bundled_rules, load_rule_document, rule_files
from kvaudit.bundled import rules_folder
from kvaudit.fields import FIELDS

RULES = bundled_rules()
CATEGORIES = {"kv-cache", "parity", "engine", "gpu", "service", "results", "policy"}

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


@each_rule
def test_examples_come_out_as_written(rule: Rule) -> None:
    assert [f"{rule.id}: {result.message}" for result in run_examples(rule) if not result.ok] == []


@each_rule
def test_a_rule_shows_when_it_fires_when_it_is_clear_and_when_it_cannot_tell(rule: Rule) -> None:
    expected = {"fires", "clear"} if rule.about == "missing" else {"fires", "clear", "unknown"}
    assert expected <= {example.expect for example in rule.examples}


@pytest.mark.parametrize("rule", [rule for rule in RULES if not isinstance(rule.severity, str)], ids=lambda rule: rule.id)
def test_every_severity_step_is_shown_by_an_example(rule: Rule) -> None:
    assert not isinstance(rule.severity, str)
    shown = {example.severity for example in rule.examples if example.expect == "fires"}
    assert {step.level for step in rule.severity} <= shown
    assert rule.severity[-1].when is None


@each_rule
def test_texts_say_something(rule: Rule) -> None:
    assert 10 <= len(rule.title) <= 80
    assert not rule.title.endswith(".")
    assert rule.message.strip().endswith((".", ".]]"))
    assert len(rule.why.split()) >= 20
    assert len(rule.fix.split()) >= 6
    assert rule.references


def test_no_text_stands_in_two_rules() -> None:
    texts = Counter(" ".join(text.split()) for rule in RULES for text in (rule.title, rule.message, rule.why, rule.fix))
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("path", rule_files(rules_folder()), ids=lambda path: path.stem)
def test_files_follow_the_schema_and_stand_in_a_known_category(path: Any) -> None:
    document = load_rule_document(path)
    check_document(document, str(path))
    assert list(wrong_placeholders(document)) == []
    assert document["id"] == path.stem
    assert path.parent.name in CATEGORIES


def test_ids_are_unique() -> None:
    assert [name for name, count in Counter(rule.id for rule in RULES).items() if count > 1] == []


def test_every_rule_named_in_the_registry_exists() -> None:
    named = {row.rule for row in FIELDS.values() if row.rule}
    assert named - {rule.id for rule in RULES} == set()


def test_a_field_with_a_rule_is_read_by_it() -> None:
    rules = {rule.id: rule for rule in RULES}
    reads = {name: fields_of(rule.when) for name, rule in rules.items()}
    reads["tenants-differ"] |= {"gpu.tenants"}
    assert [row.name for row in FIELDS.values() if row.rule and row.name not in reads[row.rule]] == []


def test_pair_rules_of_one_field_have_the_severity_of_the_registry() -> None:
    wrong = []
    for rule in _parity_rules():
        impacts = {row.impact for row in FIELDS.values() if row.rule == rule.id}
        if impacts and impacts != {rule.severity}:
            wrong.append((rule.id, impacts, rule.severity))
    assert wrong == []


def _parity_rules() -> Iterator[Rule]:
    return (rule for rule in RULES if rule.scope == "pair" and isinstance(rule.severity, str))


def test_only_rules_about_missing_evidence_fire_on_nothing_known() -> None:
    from kvaudit.audit.context import ArmContext, PairContext
    from kvaudit.audit.differences import classify
    from kvaudit.audit.findings import apply_rules
    from kvaudit.audit.rule_examples import record_of

    arms = [ArmContext(name, record_of({}, "nothing")) for name in ("a", "b")]
    found = apply_rules(RULES, arms, PairContext(arms[0], arms[1], classify(arms[0], arms[1])))
    missing = {rule.id for rule in RULES if rule.about == "missing" and rule.needs != "results"}  # no row without a run
    assert {finding.rule for finding in found.findings} == missing


@each_rule
def test_a_rule_without_examples_of_its_own_field_is_not_shipped(rule: Rule) -> None:
    read = fields_of(rule.when)
    given = {name for example in rule.examples for side in (example.arm, example.a, example.b) if side for name in side}
    assert not read or read & given


@each_rule
def test_a_rule_read_without_its_examples_is_the_same_rule(rule: Rule) -> None:
    (short,) = [one for one in bundled_rules(examples=False) if one.id == rule.id]
    assert short.examples == []
    assert short == replace(rule, examples=[])
