"""Every two known values that are not equal as recorded, and what kind of difference each is.

Room: `audit`. Equality and causes come from the field registry; which cause really explains a difference is checked in
`derivation`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kvaudit.audit.context import ArmContext
from kvaudit.audit.derivation import explain
from kvaudit.audit.gate import GATE_CRITICAL
from kvaudit.audit.meanings import other_meaning
from kvaudit.audit.pair_proofs import kv_dtype_difference
from kvaudit.audit.report import Difference, DifferenceClass
from kvaudit.audit.tolerance import beyond_tolerance
from kvaudit.errors import UsageError, did_you_mean
from kvaudit.fields import FIELDS, GROUPS
from kvaudit.record.kv_dtype.ladder import compatible
from kvaudit.record.resolve import loose
from kvaudit.results.endpoints import endpoint_kind


def expand_vary(names: Iterable[str]) -> frozenset[str]:
    """Fields named by `--vary`, groups expanded. Raises `UsageError` for a name that is neither."""
    fields: set[str] = set()
    for name in names:
        if name in GROUPS:
            fields.update(GROUPS[name])
        elif name in FIELDS:
            fields.add(name)
        else:
            near = did_you_mean(name, (*GROUPS, *FIELDS))
            raise UsageError(f"--vary {name}: no field or group is called that{near}; groups are {', '.join(GROUPS)}")
    return frozenset(fields)


def classify(a: ArmContext, b: ArmContext, vary: frozenset[str] = frozenset()) -> dict[str, Difference]:
    """The differences of two arms by field, in registry order, each with its class and cause."""
    differences: dict[str, Difference] = {}
    for name in FIELDS:
        found = _difference(a, b, name)
        if found is not None:
            if found.class_ != "unknown":
                found.meaning = other_meaning(a.record, b.record, name)
            found.class_ = _class(found, vary)
            differences[name] = found
    explain(a.record, b.record, differences)
    return differences


def _difference(a: ArmContext, b: ArmContext, name: str) -> Difference | None:
    states = (a.record.state(name), b.record.state(name))
    values = (a.record.value(name), b.record.value(name))
    if states == ("known", "known"):
        if equal_as_recorded(name, *values):
            return None
        class_: DifferenceClass = "unknown" if _undecided_spelling(name, *values) else "confound"
        return Difference(field=name, values=values, states=states, ratio=_ratio(*values), class_=class_)
    if name == "kv_cache.dtype" and (proved := kv_dtype_difference(a.record, b.record)):
        return proved
    if "known" not in states or not _worth_listing(name) or _of_one_arm_alone(a, b, name):
        return None
    return Difference(field=name, values=values, states=states, class_="unknown")


def equal_as_recorded(name: str, left: Any, right: Any) -> bool:
    """Whether two recorded values are the same word or number; spelling is loose only where the registry says so."""
    if name == "result.endpoint":
        return {endpoint_kind(one) for one in _points(left)} == {endpoint_kind(one) for one in _points(right)}
    if isinstance(left, str) and isinstance(right, str):
        return loose(FIELDS[name], left) == loose(FIELDS[name], right)
    if name == "engine.notices":
        return _codes(left) == _codes(right)
    if FIELDS[name].group == "workload" and (isinstance(left, list) or isinstance(right, list)):
        return _points(left) == _points(right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _points(value: Any) -> set[str]:
    """The settings that were measured, however often and in whatever order."""
    return {str(one) for one in value} if isinstance(value, list) else {str(value)}


def _codes(notices: Any) -> list[str]:
    return sorted({str(one.get("code")) for one in notices if isinstance(one, dict)})


def _undecided_spelling(name: str, left: Any, right: Any) -> bool:
    """`fp8` without a variant against `fp8_e4m3` is undecided, not different."""
    return name == "kv_cache.dtype" and compatible(str(left), str(right))


def _ratio(left: Any, right: Any) -> float | None:
    if isinstance(left, bool) or not isinstance(left, int | float) or not isinstance(right, int | float) or not left:
        return None
    return right / left


def _of_one_arm_alone(a: ArmContext, b: ArmContext, name: str) -> bool:
    """A field of the load where only one arm holds results at all: that is one thing missing, not one for each field."""
    return name.startswith("result.") and any(arm.record.state("result.tool") == "unknown" for arm in (a, b))


def _worth_listing(name: str) -> bool:
    return FIELDS[name].rule is not None or name in GATE_CRITICAL


def _class(difference: Difference, vary: frozenset[str]) -> DifferenceClass:
    name = difference.field
    if difference.class_ == "unknown" or difference.proof == "equal":
        return difference.class_
    if name in vary:
        return "expected"
    if FIELDS[name].impact == "cosmetic" or _only_the_folder(difference) or _only_own_processes(difference):
        return "cosmetic"
    decides = FIELDS[name].impact != "context" and difference.meaning is None and beyond_tolerance(difference)
    return "confound" if decides else "context"


def _only_the_folder(difference: Difference) -> bool:
    """Another folder in front of the same model name says nothing about the model."""
    if difference.field != "model.path":
        return False
    left, right = (str(value).rstrip("/").rsplit("/", 1)[-1] for value in difference.values)
    return left == right


def _only_own_processes(difference: Difference) -> bool:
    """The run's own processes have other ids and sizes at every start."""
    if difference.field != "gpu.tenants":
        return False
    left, right = (_strangers(value) for value in difference.values)
    return left == right


def _strangers(tenants: Any) -> list[tuple[str, str]]:
    named = [one for one in tenants if isinstance(one, dict) and one.get("class") != "own"]
    return sorted((str(one.get("name")).rsplit("/", 1)[-1], str(one.get("class"))) for one in named)
