"""Runs the examples that rule files carry: field values become records, and the rule says fires, clear or unknown.

Room: `audit`. Records are built from the examples alone and compared with the code that the audit itself uses; no evidence is
read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kvaudit.audit.context import ARM_NAMES, ArmContext, PairContext
from kvaudit.audit.differences import classify, expand_vary
from kvaudit.audit.findings import apply_rules
from kvaudit.audit.policy_requirements import Requirement, declared, requirements
from kvaudit.audit.report import Severity
from kvaudit.audit.results_gate import add_gate
from kvaudit.audit.rules import Example, Rule
from kvaudit.errors import RuleError
from kvaudit.fields import FIELDS, Stage
from kvaudit.parsers.facts import CLUES, Fact, Origin, Start
from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState, Record, Sessions, SourceEntry
from kvaudit.record.resolve import resolve
from kvaudit.shapes import checked

SESSIONS = "sessions"
"""Key of an example's arm that gives the starts of its log, a list of `outcome`, `cause` and `ready`."""

_SOURCES = ("engine-log", "checkpoint", "gpu-snapshot", "service", "results")
_FACT_KEYS = frozenset({"value", "stage", "how", "scope"})


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """What a rule made of its example `number` (1-based). `severity` is None unless it fired."""

    rule: str
    number: int
    expected: str
    outcome: str
    severity: Severity | None
    expected_severity: Severity | None

    @property
    def ok(self) -> bool:
        """Whether outcome and, where the example names one, severity are as expected."""
        right_severity = self.expected_severity is None or self.severity == self.expected_severity
        return self.outcome == self.expected and right_severity

    @property
    def message(self) -> str:
        """What was expected and what came out, in one line."""
        wanted = f"{self.expected} {self.expected_severity or ''}".strip()
        return f"example {self.number}: expected {wanted}, got {self.outcome} {self.severity or ''}".strip()


def run_examples(rule: Rule) -> list[ExampleResult]:
    """The result of every example of a rule, in order. Raises `RuleError` for an example that is not written properly."""
    return [_run(rule, number, example) for number, example in enumerate(rule.examples, start=1)]


def _run(rule: Rule, number: int, example: Example) -> ExampleResult:
    where = f"{rule.id}, example {number}"
    sides = [example.arm] if rule.scope == "arm" else [example.a, example.b]
    if any(side is None for side in sides):
        raise RuleError(
            f"{where}: an example of a rule of scope {rule.scope} gives {'`arm`' if len(sides) == 1 else '`a` and `b`'}"
        )
    vary = expand_vary(example.vary)
    required = _required(example, where)
    arms = [_arm(name, record_of(side or {}, where), vary, required) for name, side in zip(ARM_NAMES, sides, strict=False)]
    pair = None
    if rule.scope == "pair":
        pair = PairContext(arms[0], arms[1], classify(arms[0], arms[1], vary), vary)
        add_gate(pair, None)
    elif example.b is not None:
        arms[0].other = record_of(example.b, where)
    found = apply_rules([rule], arms, pair)
    outcome = "fires" if found.findings else "unknown" if found.not_checked else "clear"
    severity = found.findings[0].severity if found.findings else None
    return ExampleResult(rule.id, number, example.expect, outcome, severity, example.severity)


def _required(example: Example, where: str) -> tuple[Requirement, ...]:
    if not example.require:
        return ()
    from pydantic import ValidationError

    from kvaudit.audit.policy_model import given_in

    try:
        return requirements(given_in({"require": example.require})["require"])
    except ValidationError as error:
        raise RuleError(f"{where}: {error.errors()[0]['msg']}") from error


def _arm(name: str, record: Record, vary: frozenset[str], required: tuple[Requirement, ...]) -> ArmContext:
    return ArmContext(name, record, vary, requirements=required, declared=declared(record, required))


def record_of(side: Mapping[str, Any], where: str) -> Record:
    """A record that holds exactly these field values. Raises `RuleError` for a name that is neither field nor clue."""
    fields: dict[str, FieldState] = {}
    clues: dict[str, list[Fact]] = {}
    for name, given in side.items():
        if name in FIELDS:
            fields[name] = _state(name, given)
        elif name in CLUES:
            clues[name] = [_fact(name, one) for one in _several(given)]
        elif name != SESSIONS:
            raise RuleError(f"{where}: {name!r} is no field")
    sources = [SourceEntry(path="example", kind=kind) for kind in _SOURCES]
    return Record(label="example", sources=sources, sessions=_sessions(side.get(SESSIONS)), fields=fields, clues=clues)


def _state(name: str, given: Any) -> FieldState:
    if given is None:
        spoken = [_fact(name, None)]
        return FieldState(state="absent", because="the example says so", facts=spoken, won=[0])
    return resolve(name, [_fact(name, one) for one in _several(given)])


def _several(given: Any) -> list[Any]:
    """A list of mappings with `value` is a list of facts; any other list is one value."""
    is_facts = isinstance(given, list) and bool(given) and all(_is_fact(one) for one in given)
    return list(given) if is_facts else [given]


def _is_fact(given: Any) -> bool:
    return isinstance(given, dict) and "value" in given and given.keys() <= _FACT_KEYS


def _fact(name: str, given: Any) -> Fact:
    stage: Stage = "resolved"
    if not _is_fact(given):
        return fact(name, given, stage, [_origin(name, given)])
    stage = given.get("stage", stage)
    return fact(name, given["value"], stage, [_origin(name, given["value"])], scope=given.get("scope"), how=given.get("how"))


def _origin(name: str, value: Any) -> Origin:
    return Origin(file="example", line=1, excerpt=f"{name}={value}"[:200], reader="example")


def _sessions(given: Any) -> Sessions:
    if not isinstance(given, list):
        return Sessions()
    starts = [checked(Start, {"first_line": number, "last_line": number, **one}) for number, one in enumerate(given, start=1)]
    return Sessions(count=len(starts), selected=len(starts), ready=starts[-1].ready if starts else None, starts=starts)
