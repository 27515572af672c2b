"""The pages of rules and fields, and the catalogue in docs/rules.md."""

from __future__ import annotations

import importlib

import pytest

from kvaudit.audit.condition_words import SENTENCES, fields_of, in_words, sentence
from kvaudit.audit.explain import catalogue, field_page, rule_page
from kvaudit.audit.predicates.registry import all_predicates
from kvaudit.audit.rules import Rule, bundled_rules
from kvaudit.fields import FIELDS
from tests.conftest import ROOT

RULES = bundled_rules()


def test_the_catalogue_is_current() -> None:
    written = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert written == catalogue(RULES), "write it anew: catalogue(bundled_rules()) into docs/rules.md"


def test_every_predicate_has_its_sentence() -> None:
    importlib.import_module("kvaudit.audit.evaluate")  # which knows them all
    assert set(SENTENCES) == {known.name for known in all_predicates().values()}


def test_nested_conditions_are_indented() -> None:
    condition = {
        "all": [
            {"narrower_than": {"field": "kv_cache.dtype", "bits": 16}},
            {"not": {"differs": {"fields": ["model.dtype", "model.path"]}}},
            {"any": [{"notice": {"code": "cold-compile"}}]},
        ]
    }
    assert in_words(condition) == [
        "- all of:",
        "  - kv_cache.dtype has fewer than 16 bits per element",
        "  - not: at least one of model.dtype, model.path differs beyond its tolerance and is not under test",
        "  - at least one of:",
        "    - the engine gave the notice cold-compile",
    ]


def test_arguments_beside_the_sentence_are_kept() -> None:
    limits = {"field": "memory.total_gib", "other": "memory.free_at_start_gib", "value": 2.0}
    assert sentence("exceeds", limits) == "memory.total_gib is larger than memory.free_at_start_gib by more than 2.0"
    said = {"field": "kv_cache.dtype", "stage": "inferred", "how": "checkpoint"}
    assert sentence("overridden", said) == "kv_cache.dtype as inferred is not the value that holds (derived as checkpoint…)"


def test_fields_of_a_condition() -> None:
    condition = {"any": [{"not": {"exceeds": {"field": "memory.total_gib", "other": "memory.free_at_start_gib"}}}]}
    assert fields_of(condition) == {"memory.total_gib", "memory.free_at_start_gib"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_page_holds_every_part_and_no_open_template(rule: Rule) -> None:
    page = rule_page(rule)
    assert page.startswith(f"# {rule.id}\n\n{rule.title}\n")
    for heading in ("What it looks at", "Why it matters", "What to do", "Examples", "References"):
        assert f"\n## {heading}\n" in page
    assert all(reference in page for reference in rule.references)
    assert page.count("\n- fires") == sum(example.expect == "fires" for example in rule.examples)


def test_the_page_of_a_rule_with_steps_names_them() -> None:
    page = rule_page(next(rule for rule in RULES if rule.id == "unequal-kv-capacity"))
    assert "- severity: error or warning or note" in page
    assert "- it is an error where:\n  - 1 − min ÷ max of kv_cache.tokens is 0.2 or more" in page
    assert "- otherwise it is a note" in page


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_has_a_page(name: str) -> None:
    row = FIELDS[name]
    page = field_page(name)
    assert page.startswith(f"# {name}\n\n{row.meaning}\n")
    assert (row.unit or "") in page
    assert (row.settles or "") in page
    assert all(cause in page for cause in row.derives)


def test_a_field_page_names_the_rules_that_read_it() -> None:
    page = field_page("kv_cache.dtype")
    assert "hidden-fp8-kv" in page
    assert "group for --vary: kv" in page
    assert "never count: auto" in page


def test_a_name_that_is_no_field_has_no_page() -> None:
    with pytest.raises(KeyError):
        field_page("kv_cache.colour")
