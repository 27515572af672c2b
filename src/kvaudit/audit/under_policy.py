"""What a policy does to an audit: answers before it, requirements and severities during it, suppressions after it.

Room: `audit`. The call's own options are stronger than the policy, and what a policy sets itself is stronger than its profile.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kvaudit.audit.context import ArmContext
from kvaudit.audit.globs import matches
from kvaudit.audit.policy import FailOn, Profile
from kvaudit.audit.policy_requirements import declared, requirements
from kvaudit.audit.report import Finding
from kvaudit.audit.rules import Rule
from kvaudit.audit.suppressions import known_before, suppress
from kvaudit.errors import InputError, did_you_mean
from kvaudit.record.model import Record

if TYPE_CHECKING:
    from kvaudit.audit.audit import Wishes

_TENANTS = "gpu.tenants"
_FAIL_ON: dict[Profile, FailOn] = {"strict": "warning", "quick": "error"}


def settled(wishes: Wishes) -> Wishes:
    """The wishes with the answers of the policy and of the profile where the call gives none."""
    policy, profile = wishes.policy, wishes.profile or wishes.policy.profile
    of_profile = _FAIL_ON.get(profile) if profile else None
    own = None if wishes.profile else policy.fail_on
    asks_less = profile == "quick" if wishes.profile or policy.allow_unknown is None else policy.allow_unknown
    return replace(
        wishes,
        profile=profile,
        fail_on=wishes.fail_on or own or of_profile or policy.fail_on or "error",
        vary=tuple(dict.fromkeys([*wishes.vary, *policy.vary])),
        accept_unknown=tuple(dict.fromkeys([*wishes.accept_unknown, *policy.accept_unknown])),
        allow_unknown=wishes.allow_unknown or asks_less,
    )


def arm_of(name: str, record: Record, wishes: Wishes, vary: frozenset[str] = frozenset(), alone: bool = False) -> ArmContext:
    """An arm as rules see it: without the tenants that the policy allows, with what the policy requires."""
    required = requirements(wishes.policy.require)
    seen = without_tenants(record, wishes.policy.allow_tenants)
    return ArmContext(name, seen, vary, alone, requirements=required, declared=declared(record, required))


def without_tenants(record: Record, allowed: Sequence[str]) -> Record:
    """The record without the processes whose name, or last part of it, is of one of these patterns."""
    state = record.fields.get(_TENANTS)
    if not allowed or state is None or not isinstance(state.value, list):
        return record
    kept = [one for one in state.value if not (isinstance(one, dict) and _allowed(str(one.get("name") or ""), allowed))]
    return replace(record, fields={**record.fields, _TENANTS: replace(state, value=kept)})


def _allowed(name: str, allowed: Sequence[str]) -> bool:
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return any(matches(pattern, name) or matches(pattern, last) for pattern in allowed)


def with_severities(rules: list[Rule], wishes: Wishes) -> list[Rule]:
    """The rules with the severities of the policy. Raises `InputError` for an id that the policy names and no rule has."""
    known = {rule.id for rule in rules}
    named = {f"severity.{name}": name for name in wishes.policy.severity}
    named |= {f"suppress.{number}.rule": one.rule for number, one in enumerate(wishes.policy.suppress)}
    for key, name in named.items():
        if name not in known:
            where = wishes.settings_file or "policy"
            raise InputError(where, f"{key}: no rule is called {name!r}{did_you_mean(name, known)}")
    changed = wishes.policy.severity
    return [replace(rule, severity=changed[rule.id]) if rule.id in changed else rule for rule in rules]


def without_what_does_not_count(findings: Sequence[Finding], labels: dict[str, str], wishes: Wishes) -> list[str]:
    """Suppress what the policy and the baseline name; gives the notes about it."""
    today = wishes.today or datetime.datetime.now(tz=datetime.UTC).date()
    notes = suppress(findings, wishes.policy.suppress, labels, today)
    return notes + (known_before(findings, wishes.baseline) if wishes.baseline else [])
