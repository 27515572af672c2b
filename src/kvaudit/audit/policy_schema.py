"""The JSON Schema of a policy file, so that editors complete and check it.

Room: `audit`. Made from the policy's shape and the field registry; rule ids may be any word, because users
have rules of their own.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.policy import NOT_REQUIRABLE
from kvaudit.audit.policy_model import PolicyFile
from kvaudit.fields import FIELDS, GROUPS

Schema = dict[str, Any]

_TYPES: dict[str, Schema] = {"bool": {"type": "boolean"}, "text": {"type": "string"}}
_NUMBER: Schema = {"type": "number"}
_SCALAR: Schema = {"type": ["boolean", "number", "string"]}


def policy_schema() -> Schema:
    """The JSON Schema (draft 2020-12) of one policy file; `[tool.kvaudit]` of a pyproject.toml has the same keys."""
    schema = PolicyFile.model_json_schema()
    properties = schema["properties"]
    properties["accept_unknown"]["items"] = {"enum": list(FIELDS)}
    properties["vary"]["items"] = {"enum": [*GROUPS, *FIELDS]}
    properties["require"] = {"type": "object", "description": properties["require"]["description"], **_require()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "kvaudit policy"}


def _require() -> Schema:
    """Every field by its dotted name, in quotes, or as tables: `"kv_cache.dtype" = …` and `kv_cache.dtype = …` are both read."""
    named = {name: _wanted(name) for name in FIELDS if name not in NOT_REQUIRABLE}
    tables: dict[str, Schema] = {}
    for name, wanted in named.items():
        table, _, key = name.partition(".")
        part = tables.setdefault(table, {"type": "object", "properties": {}, "additionalProperties": False})
        part["properties"][key] = wanted
    return {"properties": {**named, **tables}, "additionalProperties": False}


def _wanted(name: str) -> Schema:
    """One value, one of several, or limits of a number."""
    row = FIELDS[name]
    one = _TYPES.get(row.type, _NUMBER if row.type in ("int", "number") else _SCALAR)
    forms: list[Schema] = [one, {"type": "array", "items": one, "minItems": 1}]
    if row.type in ("int", "number", "list"):
        forms.append({"$ref": "#/$defs/Bound"})
    return {"anyOf": forms, "description": row.meaning}
