"""A policy file as it is written: its keys, what they may hold, and what is wrong with them.

Room: `audit`. Loaded only where a policy is read or its schema is asked for; what the audit works with is `policy`.
"""

from __future__ import annotations

import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from kvaudit.audit import policy
from kvaudit.audit.policy import LONGEST_PATTERN, NOT_REQUIRABLE, FailOn, Profile, Scalar
from kvaudit.audit.report import Severity
from kvaudit.fields import FIELDS, GROUPS


class Bound(BaseModel):
    """Limits of a number, both inclusive."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Bound:
        if self.at_least is None and self.at_most is None:
            raise ValueError("give at_least, at_most, or both")
        return self


Wanted = Bound | list[Scalar] | Scalar


class Suppression(BaseModel):
    """A finding that does not count: its rule, optionally where, why, and until when (that day included)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str
    arm: str | None = Field(default=None, max_length=LONGEST_PATTERN, description="a, b, or a pattern of the arm's label.")
    field: str | None = Field(default=None, max_length=LONGEST_PATTERN, description="A pattern of the evidence's field.")
    path: str | None = Field(default=None, max_length=LONGEST_PATTERN, description="A pattern of the evidence's file.")
    reason: str = Field(min_length=3)
    expires: datetime.date | None = None


class PolicyFile(BaseModel):
    """One policy file, or the table [tool.kvaudit] of a pyproject.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: Profile | None = Field(default=None, description="A set of answers: strict fails on warnings, quick asks for less.")
    fail_on: FailOn | None = Field(default=None, description="Least severity that makes the exit code 1.")
    accept_unknown: list[str] = Field(default=[], description="Facts that the verdict does not ask for.")
    allow_unknown: bool | None = Field(default=None, description="Ask for no fact that the evidence leaves open.")
    vary: list[str] = Field(default=[], description="Differences that are allowed: fields or groups, as with --vary.")
    allow_tenants: list[str] = Field(default=[], description="Patterns of names of processes that may share the GPUs.")
    require: dict[str, Wanted] = Field(default={}, description="Values that a run must have: one, one of several, or limits.")
    severity: dict[str, Severity] = Field(default={}, description="Another severity for a rule.")
    suppress: list[Suppression] = Field(default=[], description="Findings that do not count.")

    @field_validator("require", mode="before")
    @classmethod
    def _flat(cls, given: Any) -> Any:
        return dict(_flattened(given, "")) if isinstance(given, dict) else given

    @field_validator("require")
    @classmethod
    def _of_the_field(cls, given: dict[str, Wanted]) -> dict[str, Wanted]:
        for name, wanted in given.items():
            if fault := _fault(name, wanted):
                raise ValueError(f"{name}: {fault}")
        return given

    @field_validator("accept_unknown")
    @classmethod
    def _fields(cls, given: list[str]) -> list[str]:
        return _known(given, FIELDS, "field")

    @field_validator("vary")
    @classmethod
    def _fields_or_groups(cls, given: list[str]) -> list[str]:
        return _known(given, {**GROUPS, **FIELDS}, "field or group")


def _known(given: list[str], names: Any, what: str) -> list[str]:
    from kvaudit.errors import did_you_mean

    for name in given:
        if name not in names:
            raise ValueError(f"no {what} is called {name!r}{did_you_mean(name, names)}")
    return given


def _flattened(given: dict[str, Any], before: str) -> list[tuple[str, Any]]:
    """`kv_cache.dtype = …` without quotes is a table in TOML; its keys are joined until they name a field."""
    found: list[tuple[str, Any]] = []
    for key, value in given.items():
        name = f"{before}{key}"
        deeper = isinstance(value, dict) and name not in FIELDS and not value.keys() <= {"at_least", "at_most"}
        found += _flattened(value, f"{name}.") if deeper and name.count(".") < 2 else [(name, value)]
    return found


def _fault(name: str, wanted: Wanted) -> str | None:
    """Why this cannot be required of the field, None where it can."""
    row = FIELDS.get(name)
    if row is None:
        from kvaudit.errors import did_you_mean

        return f"no field is called that{did_you_mean(name, FIELDS)}"
    if name in NOT_REQUIRABLE:
        return "cannot be required; allow_tenants names processes" if name == "gpu.tenants" else "cannot be required"
    if isinstance(wanted, Bound):
        return None if row.type in ("int", "number", "list") else f"limits need a number, this is {_ARTICLES[row.type]}"
    values = wanted if isinstance(wanted, list) else [wanted]
    if not values:
        return "give at least one value"
    return next((fault for value in values if (fault := _fault_of_value(name, value))), None)


def _fault_of_value(name: str, value: Scalar) -> str | None:
    row = FIELDS[name]
    fits = {
        "bool": isinstance(value, bool),
        "int": isinstance(value, int | float) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "text": isinstance(value, str),
    }
    if not fits.get(row.type, True):
        return f"is {_ARTICLES[row.type]}, not {value!r}"
    if isinstance(value, str) and row.delegates(value):
        return f"{value!r} leaves the decision to the engine, so no run can be shown to have it"
    return None


_ARTICLES = {
    "bool": "true or false",
    "int": "a number",
    "number": "a number",
    "text": "a text",
    "list": "a list",
    "object": "a table",
}


def given_in(document: dict[str, Any]) -> dict[str, Any]:
    """The keys that a policy file sets, as the values of a `Policy`. Raises pydantic's `ValidationError`."""
    file = PolicyFile.model_validate(document)
    given = {name: getattr(file, name) for name in file.model_fields_set}
    if "require" in given:
        given["require"] = {name: _bound(wanted) for name, wanted in given["require"].items()}
    if "suppress" in given:
        given["suppress"] = [policy.Suppression(**one.model_dump()) for one in given["suppress"]]
    return given


def _bound(wanted: Wanted) -> policy.Wanted:
    return policy.Bound(wanted.at_least, wanted.at_most) if isinstance(wanted, Bound) else wanted
