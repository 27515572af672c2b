"""The JSON Schemas of the documents `record` and `report`, from their shapes.

Room: `reports`. Keys are those that are written: fields that stand in no document are left out, others have their written name.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import kvaudit.audit.report
import kvaudit.parsers.facts
import kvaudit.record.model
from kvaudit.shapes import keys

Schema = dict[str, Any]

_HOMES: tuple[ModuleType, ...] = (kvaudit.parsers.facts, kvaudit.record.model, kvaudit.audit.report)


def document_schema(kind: type) -> Schema:
    """The JSON Schema (draft 2020-12) of a document as it is written."""
    from pydantic import TypeAdapter

    from kvaudit.results.gate.model import Gate  # noqa: F401 - the report names it, and pydantic looks for names here

    schema: Schema = TypeAdapter(kind).json_schema(mode="serialization")
    for name, definition in {kind.__name__: schema, **schema.get("$defs", {})}.items():
        shape = next((vars(home)[name] for home in _HOMES if is_dataclass(vars(home).get(name))), None)
        if shape is not None:
            _as_written(definition, shape)
    return schema


def _as_written(definition: Schema, shape: Any) -> None:
    names = dict(keys(shape))
    required = definition.pop("required", [])
    properties = {names[name]: (name, said) for name, said in definition["properties"].items() if name in names}
    definition["properties"] = {
        key: said if key == name else {**said, "title": key.title()} for key, (name, said) in properties.items()
    }
    if kept := [names[one.name] for one in fields(shape) if one.name in required and one.name in names]:
        definition["required"] = kept
