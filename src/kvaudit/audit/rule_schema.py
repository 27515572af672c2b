"""The JSON Schema of a rule file, made from the rule's shape, the predicates and the field registry; and checks against it.

Room: `audit`. The schema is generated and kept as `rules/rule.schema.json`, so that editors can complete and check rule files;
a test says when that file is stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kvaudit.audit.evaluate  # noqa: F401 - registers the predicates
from kvaudit.audit.predicates.registry import all_predicates
from kvaudit.audit.rule_examples import SESSIONS
from kvaudit.audit.rule_lines import line_of
from kvaudit.audit.rules import Rule, load_rule_document, rule_files
from kvaudit.audit.told import sentences_of_arm, sentences_of_pair
from kvaudit.bundled import rules_folder
from kvaudit.errors import RuleError
from kvaudit.fields import FIELDS, GROUPS, known_names
from kvaudit.parsers.facts import CLUES
from kvaudit.patterns import LatePattern

Schema = dict[str, Any]

SCHEMA_FILE = "rule.schema.json"
_PLACEHOLDER = LatePattern(r"\{([^{}]*)\}")
_TEXTS = ("title", "message", "why", "fix")
_FIELD: Schema = {"$ref": "#/$defs/field"}


def rule_schema() -> Schema:
    """The JSON Schema (draft 2020-12) of one rule file."""
    from pydantic import TypeAdapter

    schema = _untitled(TypeAdapter(Rule).json_schema())
    del schema["properties"]["category"]  # where the file lies, never written in it
    definitions = schema["$defs"]
    properties = schema["properties"]
    properties["cite"]["items"] = _FIELD
    properties["id"]["pattern"] = "^[a-z][a-z0-9-]*$"
    for name in _TEXTS:
        properties[name]["minLength"] = 1
    _refine_example(definitions["Example"]["properties"])
    definitions["field"] = {"enum": list(known_names()), "description": "A field of the record."}
    definitions["arm_condition"] = _condition("arm")
    definitions["pair_condition"] = _condition("pair")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kvaudit rule",
        **schema,
        "allOf": [_of_scope("arm"), _of_scope("pair")],
    }


def _refine_example(properties: Schema) -> None:
    names = [*known_names(), *CLUES, SESSIONS]
    for side in ("arm", "a", "b"):
        properties[side]["propertyNames"] = {"enum": names}
    properties["vary"]["items"] = {"enum": [*GROUPS, *known_names()]}


def _of_scope(scope: str) -> Schema:
    """Conditions and examples of a rule of this scope."""
    condition = {"$ref": f"#/$defs/{scope}_condition"}
    sides = ["arm"] if scope == "arm" else ["a", "b"]
    steps = {"items": {"properties": {"when": {"anyOf": [condition, {"type": "null"}]}}}}
    examples = {"items": {"required": sides}}
    return {
        "if": {"properties": {"scope": {"const": scope}}},
        "then": {"properties": {"when": condition, "severity": steps, "examples": examples}},
    }


def _condition(scope: str) -> Schema:
    """An object with one key: a combinator or a predicate of this scope."""
    itself = {"$ref": f"#/$defs/{scope}_condition"}
    parts = {"type": "array", "items": itself, "minItems": 1}
    properties: Schema = {
        "all": {**parts, "description": "Every part is true."},
        "any": {**parts, "description": "At least one part is true."},
        "not": {**itself, "description": "The part is false."},
    }
    if scope == "pair":
        arm = {"$ref": "#/$defs/arm_condition"}
        properties["both"] = {**arm, "description": "True of both arms."}
        properties["either"] = {**arm, "description": "True of at least one arm."}
    for known in sorted(all_predicates().values(), key=lambda one: one.name):
        if known.scope == scope:
            properties[known.name] = known.schema()
    return {
        "type": "object",
        "description": f"A condition about {'one arm' if scope == 'arm' else 'two arms'}: exactly one key.",
        "properties": properties,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }


def _untitled(value: Any) -> Any:
    """The schema without the titles that pydantic derives from names; a property that is called title stays."""
    if isinstance(value, dict):
        return {key: _untitled(item) for key, item in value.items() if not (key == "title" and isinstance(item, str))}
    return [_untitled(item) for item in value] if isinstance(value, list) else value


def schema_text() -> str:
    """The text of `rules/rule.schema.json`: sorted keys, so that regenerating it changes only what changed."""
    return json.dumps(rule_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def write_schema(folder: Path | None = None) -> Path:
    """Write the schema into a rules folder (the project's own by default); gives the file's path."""
    path = (folder or rules_folder()) / SCHEMA_FILE
    path.write_text(schema_text(), encoding="utf-8")
    return path


def check_folder(folder: Path) -> None:
    """Check every rule file below a folder. Raises `RuleError` naming the file and the place in it."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(rule_schema())
    for path in rule_files(folder):
        check_document(load_rule_document(path), str(path), validator)


def check_document(document: Any, where: str, validator: Any = None) -> None:
    """Check the document of one rule file against the schema and its texts' placeholders. Raises `RuleError`."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match((validator or Draft202012Validator(rule_schema())).iter_errors(document))
    if error is not None:
        place = list(error.absolute_path)
        raise RuleError(f"{_with_line(where, place)}: {'.'.join(map(str, place)) or 'rule'}: {error.message[:300]}")
    for name, placeholder in wrong_placeholders(document):
        raise RuleError(f"{_with_line(where, [name])}: {name}: {{{placeholder}}} names no field of this scope")


def _with_line(where: str, place: list[str | int]) -> str:
    line = line_of(Path(where), place)
    return where if line is None else f"{where}:{line}"


def wrong_placeholders(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Placeholders of message and fix that the renderer would not fill, and any placeholder in the other texts."""
    arms = ("a.", "b.") if document.get("scope") == "pair" else ("",)
    allowed = {f"{arm}{name}" for arm in arms for name in FIELDS} | (
        {"arm", *sentences_of_arm()} if arms == ("",) else {"axes", *sentences_of_pair()}
    )
    allowed |= {"required", "found"} if document.get("needs") == "policy" else set()
    for name in _TEXTS:
        if str(document.get(name, "")).count("[[") != str(document.get(name, "")).count("]]"):
            yield name, "[[…]]"
        filled = allowed if name in ("message", "fix") else set()
        for match in _PLACEHOLDER.finditer(str(document.get(name, ""))):
            if match.group(1) not in filled:
                yield name, match.group(1)
