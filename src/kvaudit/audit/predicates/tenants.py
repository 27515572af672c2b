"""Predicates about the processes on the GPUs of a run.

Room: `audit`. Whose a process is was decided in `record`; here it is asked where it sits, what it holds and how it is named.
Only processes on a GPU of the run count: those of another GPU of the host were measured to have no effect.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from kvaudit.audit.context import ArmContext, Cited, Outcome, PairContext
from kvaudit.audit.predicates.registry import NUMBER, TEXT, missing, predicate
from kvaudit.parsers.tables import fact
from kvaudit.record.tenants.evidence import sound

FIELD = "gpu.tenants"
_MIB_PER_GIB = 1024
_CLASSES: dict[str, Any] = {"type": "array", "items": {"enum": ["own", "foreign", "desktop", "unknown"]}, "minItems": 1}
_PLACED: dict[str, Any] = {"enum": ["proven", "possible"]}


def _tenants(arm: ArmContext) -> list[dict[str, Any]] | None:
    value = arm.record.value(FIELD)
    return sound(value) if isinstance(value, list) else None


def _of(tenants: list[dict[str, Any]], classes: list[str]) -> list[dict[str, Any]]:
    return [one for one in tenants if one.get("class") in classes]


@predicate("arm", {"classes": _CLASSES, "placed": _PLACED, "pattern": TEXT}, optional=("pattern",))
def tenant_on_run_gpu(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """A process of one of these classes (and name) sits on a GPU of the run: `proven`, or `possible` where the GPUs are open."""
    tenants = _tenants(arm)
    if tenants is None:
        return Outcome(None, missing=[missing(arm, FIELD)])
    hits = [one for one in _of(tenants, arguments["classes"]) if _named(one, arguments.get("pattern"))]
    places = {_placed(arm, tenants, one) for one in hits}
    if True in places or (None in places and arguments["placed"] == "possible"):
        return Outcome(True, arm.cite(FIELD))
    if not hits and _of(tenants, ["unknown"]):
        return Outcome(
            None, missing=[f"arm {arm.name}: whose the compute processes are (a log with process ids of the same host)"]
        )
    return Outcome(False, arm.cite(FIELD))


def _named(tenant: dict[str, Any], pattern: str | None) -> bool:
    import re2

    return pattern is None or re2.search(pattern, str(tenant.get("name") or "")) is not None


def _placed(arm: ArmContext, tenants: list[dict[str, Any]], tenant: dict[str, Any]) -> bool | None:
    """Whether a process shares a GPU with the run: None where the run's GPUs are not known."""
    if _is_sliced(arm):
        return None
    if arm.record.value("gpu.count") == 1:
        return True
    if isinstance(told := tenant.get("on_run_gpu"), bool):
        return told
    gpus = {one.get("gpu") for one in _of(tenants, ["own"])} - {None}
    if not gpus or tenant.get("gpu") is None:
        return True if _uses_all(arm) else None
    return tenant.get("gpu") in gpus


def _is_sliced(arm: ArmContext) -> bool:
    """Whether a GPU is divided by MIG: processes on one GPU may then be on slices of their own."""
    modes = arm.record.value("gpu.mig")
    return isinstance(modes, list) and "Enabled" in modes


def _uses_all(arm: ArmContext) -> bool:
    count = arm.record.value("gpu.count")
    return isinstance(count, int) and arm.record.value("parallel.gpus") == count


@predicate("arm", {"classes": _CLASSES, "share": NUMBER, "mib": NUMBER}, optional=("mib",))
def tenants_hold_under(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The processes of these classes cost, or else hold, less memory together than this share of the KV pool, or these MiB."""
    tenants, pool = _tenants(arm), arm.record.value("kv_cache.memory_gib")
    printed = [one.get("mib") for one in _of(tenants or [], arguments["classes"])]
    if printed and all(isinstance(mib, int | float) and mib < arguments.get("mib", 0) for mib in printed):
        return Outcome(True, arm.cite(FIELD))
    if tenants is None or not isinstance(pool, int | float):
        return Outcome(None, missing=[missing(arm, FIELD if tenants is None else "kv_cache.memory_gib")])
    held = [_cost(one) for one in _of(tenants, arguments["classes"])]
    sizes = [gib for gib in held if gib is not None]
    if len(sizes) < len(held):
        return Outcome(None, missing=[f"arm {arm.name}: the memory of every process"])
    return Outcome(sum(sizes) < arguments["share"] * pool, arm.cite(FIELD, "kv_cache.memory_gib"))


def _cost(tenant: dict[str, Any]) -> float | None:
    """What a process cost the pool, where the log's figures show it and it is not all; else what it holds, in GiB."""
    mib, cost = tenant.get("mib"), tenant.get("cost_gib")
    if isinstance(cost, int | float) and cost > 0:
        return float(cost)
    return mib / _MIB_PER_GIB if isinstance(mib, int | float) else None


@predicate("arm", {})
def more_own_processes_than_gpus(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """More processes are titled like the engine than the run can have: two on one GPU, or more than it uses GPUs."""
    tenants, gpus = _tenants(arm), arm.record.value("parallel.gpus")
    if tenants is None:
        return Outcome(None, missing=[missing(arm, FIELD)])
    if _is_sliced(arm):
        return Outcome(None, missing=[f"arm {arm.name}: on which MIG slice each process runs"])
    titled = [one for one in _of(tenants, ["own", "unknown"]) if "title" in str(one.get("reason"))]
    large = [one for one in titled if one.get("mib") is None or one["mib"] >= _MIB_PER_GIB]
    places = {(one.get("gpu"), one.get("pid")) for one in large if one.get("gpu") is not None}
    if len({gpu for gpu, _ in places}) < len(places):
        return Outcome(True, arm.cite(FIELD, "parallel.gpus"))
    if not isinstance(gpus, int):
        return Outcome(None, missing=[missing(arm, "parallel.gpus")])
    count = arm.record.value("gpu.count")
    several = len({one.get("pid") for one in titled}) > gpus and (_uses_all(arm) or count is None)
    return Outcome(several, arm.cite(FIELD, "parallel.gpus"))


@predicate("arm", {"kinds": {"type": "array", "items": TEXT, "minItems": 1}})
def gpu_condition(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The snapshot says that a GPU is in one of these conditions; a form that says nothing of it shows none."""
    held = [one for one in arm.record.clues.get("clue.gpu_condition", []) if isinstance(one.value, dict)]
    found = [one for one in held if one.value.get("kind") in arguments["kinds"]]
    name = "gpu.throttle_reasons"
    said = [fact(name, arm.record.value(name), one.stage, list(one.origins), how=str(one.value.get("text"))) for one in found[:4]]
    return Outcome(bool(found), [Cited(arm.name, name, one) for one in said])


@predicate("pair", {"classes": _CLASSES})
def tenants_differ(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The two arms have other processes of these classes, by name and number; process ids do not count."""
    difference = pair.differences.get(FIELD)
    sides = [_tenants(arm) for arm in pair.arms]
    if difference is not None and difference.class_ == "expected":
        return Outcome(False, pair.cite(FIELD))
    open_ = [missing(arm, FIELD) for arm, tenants in zip(pair.arms, sides, strict=True) if tenants is None]
    if open_:
        return Outcome(None, missing=open_)
    named = [Counter(_basename(one) for one in _of(tenants or [], arguments["classes"])) for tenants in sides]
    if named[0] == named[1]:
        strangers = [Counter(_basename(one) for one in _of(tenants or [], ["unknown"])) for tenants in sides]
        needs_log = "desktop" not in arguments["classes"] and strangers[0] != strangers[1]
        return Outcome(None, missing=["whose the compute processes are"]) if needs_log else Outcome(False, pair.cite(FIELD))
    return Outcome(True, pair.cite(FIELD))


def _basename(tenant: dict[str, Any]) -> str:
    return str(tenant.get("name") or "").replace("\\", "/").rsplit("/", 1)[-1]
