"""The schema of rule files is current, and it refuses what cannot work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kvaudit.audit.predicates.registry import all_predicates
from kvaudit.audit.rule_schema import SCHEMA_FILE, check_document, check_folder, rule_schema, schema_text, write_schema
from kvaudit.bundled import rules_folder
from kvaudit.errors import RuleError


def _rule(**changes: Any) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": "two-servers",
        "title": "Two servers answer",
        "scope": "arm",
        "severity": "error",
        "when": {"equals": {"field": "engine.name", "value": "vllm"}},
        "message": "Arm {arm} runs {engine.name}.",
        "why": "Because.",
        "fix": "Stop one.",
        "examples": [{"expect": "fires", "arm": {"engine.name": "vllm"}}],
    }
    return {**rule, **changes}


def test_the_committed_schema_is_current() -> None:
    assert (rules_folder() / SCHEMA_FILE).read_text(encoding="utf-8") == schema_text(), "write it anew with write_schema()"


def test_writing_the_schema_gives_the_same_text(tmp_path: Path) -> None:
    assert write_schema(tmp_path).read_text(encoding="utf-8") == schema_text()


def test_the_schema_is_a_valid_schema() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(rule_schema())


def test_every_predicate_is_in_the_schema_of_its_scope() -> None:
    definitions = rule_schema()["$defs"]
    for known in all_predicates().values():
        assert known.name in definitions[f"{known.scope}_condition"]["properties"]


def test_bundled_rules_pass() -> None:
    check_folder(rules_folder())


def test_a_proper_rule_passes() -> None:
    check_document(_rule(), "rule.yaml")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"when": {"equals": {"field": "engine.nam", "value": "vllm"}}}, "when"),
        ({"when": {"equal": {"field": "engine.name", "value": "vllm"}}}, "when"),
        ({"when": {"equals": {"field": "engine.name"}}}, "when"),
        ({"when": {"all": []}}, "when"),
        ({"when": {"differs": {"fields": ["engine.name"]}}}, "when"),
        ({"when": {"both": {"absent": {"field": "engine.name"}}}}, "when"),
        ({"when": {"absent": {"field": "engine.name"}, "undecided": {"field": "engine.name"}}}, "when"),
        ({"severity": "fatal"}, "severity"),
        ({"severity": [{"level": "error", "when": {"unheard": {}}}, {"level": "note"}]}, "severity"),
        ({"cite": ["engine.colour"]}, "cite"),
        ({"title": ""}, "title"),
        ({"colour": "red"}, "colour"),
        ({"examples": [{"expect": "fires", "arm": {"engine.colour": "red"}}]}, "examples"),
        ({"examples": [{"expect": "fires", "a": {}, "b": {}}]}, "examples"),
        ({"examples": [{"expect": "fires", "arm": {}, "vary": ["colours"]}]}, "examples"),
        ({"message": "Arm {arm} runs {engine.colour}."}, "engine.colour"),
        ({"message": "Arm a runs {a.engine.name}."}, "a.engine.name"),
        ({"why": "Because {engine.name} is vllm."}, "why"),
        ({"message": "Arm {arm} differs in {axes}."}, "axes"),
        ({"message": "Arm {arm} runs[[ {engine.name}."}, "message"),
    ],
)
def test_a_faulty_rule_is_refused_with_its_place(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RuleError, match=r"rule\.yaml.*" + said.replace(".", r"\.")):
        check_document(_rule(**changes), "rule.yaml")


def test_a_pair_rule_names_its_arms() -> None:
    pair = _rule(
        scope="pair",
        when={"either": {"equals": {"field": "engine.name", "value": "vllm"}}},
        message="Arm a runs {a.engine.name}.",
        examples=[{"expect": "fires", "a": {"engine.name": "vllm"}, "b": {}}],
    )
    check_document(pair, "rule.yaml")
    with pytest.raises(RuleError, match="arm"):
        check_document({**pair, "message": "Arm {arm} runs it."}, "rule.yaml")


def test_a_folder_names_the_file_at_fault(tmp_path: Path) -> None:
    (tmp_path / "two-servers.yaml").write_text("id: two-servers\nscope: arm\n", encoding="utf-8")
    with pytest.raises(RuleError, match=r"two-servers\.yaml"):
        check_folder(tmp_path)
