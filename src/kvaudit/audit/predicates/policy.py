"""Predicates about what the policy requires.

Room: `audit`. The requirement stands in the context: a rule that needs a policy is asked once for each of them.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import ArmContext, Outcome
from kvaudit.audit.policy_requirements import met
from kvaudit.audit.predicates.registry import missing, predicate


@predicate("arm", {})
def requirement_unmet(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """The value that the policy requires of a field is known to be another."""
    if arm.requirement is None:
        return Outcome(False)
    answer = met(arm.record, arm.requirement)
    if answer is None:
        return Outcome(None, missing=[missing(arm, arm.requirement.field)])
    return Outcome(not answer, arm.cite(arm.requirement.field))
