"""Predicates about the service of a run: what can restart it, what its manager says, what its command lacks.

Room: `audit`. Which unit is the run's and what its policy comes to was settled in `record`; here it is asked for.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import ArmContext, Cited, Outcome
from kvaudit.audit.predicates.registry import FIELD_NAME, TEXT, missing, predicate
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.tables import fact

_POLICY = ("service.restart", "service.start_limit")
_COMMAND = "run.args"
_NEVER_EMPTY = frozenset(
    (
        *("model", "model_tag", "model_path", "tokenizer", "tokenizer_path", "served_model_name", "revision", "dtype"),
        *("quantization", "kv_cache_dtype", "attention_backend", "-m", "--model"),
    )
)
"""Arguments that no engine's default leaves empty; dumps of all arguments hold empty texts in other places."""


@predicate("arm", {})
def restarts_for_ever(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """The restart policy has no end at the time that a failed start takes, or its limit stands where nobody reads it."""
    policies = [one.value for one in arm.record.clues.get("clue.restart_policy", []) if isinstance(one.value, dict)]
    if any(one.get("endless") or one.get("misplaced") for one in policies):
        return Outcome(True, [*arm.cite(*_POLICY), *_measured(arm)])
    open_ = [str(one.get("because")) for one in policies if one.get("endless") is None]
    if open_:
        return Outcome(None, missing=[f"arm {arm.name}: {text}" for text in open_])
    if policies or arm.record.state("service.restart") == "absent":
        return Outcome(False, arm.cite(*_POLICY))
    return Outcome(None, missing=[missing(arm, "service.restart")])


def _measured(arm: ArmContext) -> list[Cited]:
    """The lines between which a failed start lies, as evidence of the policy."""
    held = arm.record.clues.get("clue.crash_seconds", [])[:1]
    said = [
        _as_evidence("service.restart", one, f"{one.value} s from start to crash", arm.record.value("service.restart"))
        for one in held
    ]
    return [Cited(arm.name, "service.restart", one) for one in said]


def _as_evidence(name: str, clue: Fact, how: str, value: Any = None) -> Fact:
    """A clue as evidence of a field: its lines, and what they show."""
    return fact(name, value, clue.stage, list(clue.origins), how=how)


@predicate("arm", {"values": {"type": "array", "items": TEXT, "minItems": 1}})
def service_state(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The service manager shows one of these states; nothing shown is none of them."""
    found = [one for one in arm.record.clues.get("clue.service_state", []) if one.value in arguments["values"]]
    cited = [Cited(arm.name, "service.restarts", _as_evidence("service.restarts", one, str(one.value))) for one in found[:2]]
    return Outcome(bool(found), cited)


@predicate("arm", {"field": FIELD_NAME})
def holds_items(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """A list field holds at least one item."""
    name = arguments["field"]
    if arm.record.state(name) not in ("known", "absent"):
        return Outcome(None, missing=[missing(arm, name)])
    return Outcome(bool(arm.record.value(name)), arm.cite(name))


@predicate("arm", {})
def empty_argument(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """An argument of the launch command is empty, or a variable that is not set left nothing of it."""
    clues = [one for one in arm.record.clues.get("clue.empty_argument", []) if isinstance(one.value, dict)]
    proven = [one for one in clues if one.value.get("proven")]
    if proven:
        said = [(one, f"{one.value.get('flag')} {one.value.get('why')}") for one in proven[:4]]
        return Outcome(True, [Cited(arm.name, _COMMAND, _as_evidence(_COMMAND, one, how)) for one, how in said])
    arguments = arm.record.value(_COMMAND)
    if isinstance(arguments, dict) and any(_is_empty(key, value) for key, value in arguments.items()):
        return Outcome(True, arm.cite(_COMMAND))
    if clues:
        return Outcome(None, missing=[_open(arm, one.value) for one in clues[:3]])
    launches = [one for one in arm.record.clues.get("clue.launch_command", []) if isinstance(one.value, dict)]
    known = isinstance(arguments, dict) or any(not one.value.get("dropped") for one in launches)
    return Outcome(False, arm.cite(_COMMAND)) if known else Outcome(None, missing=[missing(arm, _COMMAND)])


def _open(arm: ArmContext, value: dict[str, Any]) -> str:
    return f"arm {arm.name}: whether {value.get('variable')} was set when {value.get('flag')} was read from it"


def _is_empty(key: str, value: Any) -> bool:
    return key in _NEVER_EMPTY and value in ("", [""])
