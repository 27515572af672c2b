"""The policy of a team: what a run must be, which differences are allowed, what does not count and until when.

Room: `audit`, shapes only. A policy is data, read by `policy_file`; its values are compared and matched, never run.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Literal

from kvaudit.audit.report import Severity

FailOn = Literal["error", "warning", "never"]
Profile = Literal["strict", "quick"]
Scalar = bool | int | float | str

LONGEST_PATTERN = 200
NOT_REQUIRABLE = frozenset({"gpu.tenants", "engine.notices", "run.args", "kv_cache.scheme_detail"})
"""Fields that hold objects; tenants are allowed by name."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Limits of a number, both inclusive; one of them at least is there."""

    at_least: float | None = None
    at_most: float | None = None


Wanted = Bound | list[Scalar] | Scalar


@dataclass(frozen=True, slots=True)
class Suppression:
    """A finding that does not count: its rule, optionally where, why, and until when (that day included)."""

    rule: str
    arm: str | None = None
    field: str | None = None
    path: str | None = None
    reason: str = ""
    expires: datetime.date | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What the policy files of a call say together; `policy_model` tells what each key means."""

    profile: Profile | None = None
    fail_on: FailOn | None = None
    accept_unknown: list[str] = field(default_factory=list)
    allow_unknown: bool | None = None
    vary: list[str] = field(default_factory=list)
    allow_tenants: list[str] = field(default_factory=list)
    require: dict[str, Wanted] = field(default_factory=dict)
    severity: dict[str, Severity] = field(default_factory=dict)
    suppress: list[Suppression] = field(default_factory=list)
