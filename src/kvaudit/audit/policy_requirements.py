"""Whether a run is what the policy requires: one field at a time, three-valued.

Room: `audit`. A value that is not known neither meets nor breaks a requirement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kvaudit.audit.policy import Bound, Wanted
from kvaudit.fields import FIELDS, spelled
from kvaudit.record.kv_dtype.ladder import compatible
from kvaudit.record.model import Record
from kvaudit.record.resolve import same_value

_OFF = ("none", False)
"""What a field that is proven not to be set amounts to."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A field and what it must be."""

    field: str
    wanted: Wanted

    @property
    def text(self) -> str:
        """`kv_cache.dtype = bfloat16`, `kv_cache.tokens at least 400,000`."""
        if not isinstance(self.wanted, Bound):
            values = self.wanted if isinstance(self.wanted, list) else [self.wanted]
            return f"{self.field} = {' or '.join(_shown(value) for value in values)}"
        limits = (("at least", self.wanted.at_least), ("at most", self.wanted.at_most))
        return f"{self.field} {' and '.join(f'{word} {_shown(value)}' for word, value in limits if value is not None)}"


def requirements(require: Mapping[str, Wanted]) -> tuple[Requirement, ...]:
    """The requirements of a policy, in its order."""
    return tuple(Requirement(name, wanted) for name, wanted in require.items())


def met(record: Record, requirement: Requirement) -> bool | None:
    """Whether the field is what it must be; None where the evidence does not say."""
    state = record.state(requirement.field)
    if state == "absent":
        return _meets(requirement, "none") or _meets(requirement, False)
    if state != "known":
        return None
    answers = [_meets(requirement, item) for item in _items(requirement.field, record.value(requirement.field))]
    return False if False in answers else None if None in answers or not answers else True


def declared(record: Record, required: tuple[Requirement, ...]) -> frozenset[str]:
    """The fields whose value is the one that the policy requires: somebody said it."""
    return frozenset(one.field for one in required if met(record, one) is True)


def still_open(record: Record, required: tuple[Requirement, ...]) -> list[str]:
    """The required fields whose value the evidence leaves open."""
    return [one.field for one in required if met(record, one) is None]


def _items(name: str, value: Any) -> list[Any]:
    """Each value of a field that differs over servers or is a list per GPU."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) and FIELDS[name].type == "list" else [value]


def _meets(requirement: Requirement, value: Any) -> bool | None:
    wanted = requirement.wanted
    if isinstance(wanted, Bound):
        return _within(value, wanted)
    answers = [_is(requirement.field, value, one) for one in (wanted if isinstance(wanted, list) else [wanted])]
    return True if True in answers else None if None in answers else False


def _within(value: Any, bound: Bound) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return not (bound.at_least is not None and value < bound.at_least) and not (
        bound.at_most is not None and value > bound.at_most
    )


def _is(name: str, value: Any, wanted: Any) -> bool | None:
    """Equal up to spelling. Any FP8 variant is `fp8`; a bare `fp8` leaves open whether it is the variant that is wanted."""
    if isinstance(wanted, str):
        wanted = spelled(name, wanted)
    if same_value(FIELDS[name], value, wanted):
        return True
    if name == "kv_cache.dtype" and compatible(str(value), str(wanted)):
        return True if wanted == "fp8" else None
    return False


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}" if isinstance(value, float) else str(value)
