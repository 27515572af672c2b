"""What a condition is evaluated against: one record, or two with their differences.

Room: `audit`. Shapes and small look-ups only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kvaudit.audit.policy_requirements import Requirement
from kvaudit.audit.report import Difference
from kvaudit.parsers.facts import Fact
from kvaudit.record.model import Record

if TYPE_CHECKING:
    from kvaudit.results.gate.model import Gate

ARM_NAMES = ("a", "b")


@dataclass(frozen=True, slots=True)
class Cited:
    """A fact that a condition relied on."""

    arm: str
    field: str
    fact: Fact


@dataclass(slots=True)
class Outcome:
    """What became of a condition: true, false, or None (unknown) with what is missing."""

    truth: bool | None
    cited: list[Cited] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ArmContext:
    """One arm under its positional name."""

    name: str
    record: Record
    varied: frozenset[str] = frozenset()
    alone: bool = False
    """The only arm of this audit: texts then speak of the run."""
    requirements: tuple[Requirement, ...] = ()
    """What the policy requires of a run."""
    declared: frozenset[str] = frozenset()
    """Fields whose value is the one that the policy requires."""
    requirement: Requirement | None = None
    """The one that a rule about the policy is asked about."""
    other: Record | None = None
    """The other arm's record, where two are compared: some facts of an arm weigh more when the other differs."""

    def cite(self, *names: str) -> list[Cited]:
        """The deciding facts of the named fields."""
        return [Cited(self.name, name, fact) for name in names for fact in self.record.deciding(name)[:4]]


@dataclass(slots=True)
class PairContext:
    """Two arms, their classified differences, and what the call varies on purpose."""

    a: ArmContext
    b: ArmContext
    differences: dict[str, Difference]
    vary: frozenset[str] = frozenset()
    gate: Gate | None = None
    """The acceptance gate over the results of both arms."""
    gate_missing: str = "repeated results of both arms"
    """Why there is no gate."""

    @property
    def arms(self) -> Sequence[ArmContext]:
        """Both arms in order."""
        return (self.a, self.b)

    def cite(self, *names: str) -> list[Cited]:
        """The deciding facts of the named fields on both arms, side by side."""
        return [cited for name in names for arm in self.arms for cited in arm.cite(name)]
