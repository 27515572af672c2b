"""Predicates by name, with the JSON Schema of their arguments.

Room: `audit`. Adding a predicate is one decorated function in `arm` or `pair` and a regenerated `rules/rule.schema.json`.
Predicates are three-valued: a field that is not known makes them unknown and says what is missing, never false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from kvaudit.audit.context import ArmContext, Outcome
from kvaudit.fields import FIELDS

Schema = dict[str, Any]

FIELD_NAME: Schema = {"$ref": "#/$defs/field"}
NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string"}
STAGE: Schema = {"enum": ["stated", "requested", "resolved", "observed", "inferred"]}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A named predicate: what it says, what its arguments look like, how it is evaluated."""

    name: str
    scope: Literal["arm", "pair"]
    meaning: str
    arguments: dict[str, Schema]
    required: tuple[str, ...]
    evaluate: Callable[[Any, dict[str, Any]], Outcome]

    def schema(self) -> Schema:
        """The JSON Schema of the predicate's argument object."""
        return {
            "type": "object",
            "description": self.meaning,
            "properties": self.arguments,
            "required": list(self.required),
            "additionalProperties": False,
        }


PREDICATES: dict[str, Predicate] = {}
"""Those of the modules that were loaded so far; ask `predicate_named` or `all_predicates`."""

_MODULES = ("arm", "pair", "policy", "address", "tenants", "service", "results", "results_pair")
"""The modules of predicates, in the order in which they are searched: what only some arms need comes last."""


def predicate(
    scope: Literal["arm", "pair"], arguments: dict[str, Schema], optional: tuple[str, ...] = ()
) -> Callable[[Callable[[Any, dict[str, Any]], Outcome]], Callable[[Any, dict[str, Any]], Outcome]]:
    """Register a function as the predicate of its own name; its docstring's first line is its meaning."""

    def register(function: Callable[[Any, dict[str, Any]], Outcome]) -> Callable[[Any, dict[str, Any]], Outcome]:
        name = function.__name__.strip("_")
        meaning = (function.__doc__ or "").strip().splitlines()[0]
        required = tuple(key for key in arguments if key not in optional)
        PREDICATES[name] = Predicate(name, scope, meaning, arguments, required, function)
        return function

    return register


def predicate_named(name: str) -> Predicate | None:
    """The predicate of this name, None where there is none; modules are loaded until one has it."""
    for module in _MODULES:
        if name in PREDICATES:
            break
        import_module(f"kvaudit.audit.predicates.{module}")
    return PREDICATES.get(name)


def all_predicates() -> dict[str, Predicate]:
    """Every predicate by name."""
    for module in _MODULES:
        import_module(f"kvaudit.audit.predicates.{module}")
    return PREDICATES


def missing(arm: ArmContext, name: str) -> str:
    """What would make a field known, as one sentence."""
    state = arm.record.fields.get(name)
    reason = state.because if state and state.because else None
    settles = FIELDS[name].settles
    return f"arm {arm.name}: {name}: {reason or settles or 'a log, launch command or endpoint dump that names it'}"
