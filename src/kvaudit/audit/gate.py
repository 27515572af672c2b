"""Which facts a verdict needs, and which of them are undecided.

Room: `audit`. The list follows from what an arm holds (contract: gate-critical facts); acceptance by the caller takes a fact
out of the gate but never out of sight.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.report import Difference
from kvaudit.record.build import LOG_NOT_READ
from kvaudit.record.model import Record

_MODEL = ("model.path", "model.architecture")
_ENGINES_WITHOUT = {
    "parallel.tensor": frozenset({"llama_cpp", "ollama"}),
    "kv_cache.prefix_caching": frozenset({"llama_cpp", "ollama", "tgi"}),
}

GATE_CRITICAL = frozenset(
    {*_MODEL, *_ENGINES_WITHOUT, "kv_cache.dtype", "kv_cache.tokens", "kv_cache.scheme", "gpu.tenants", "service.restart"}
)
"""Every field that is gate-critical for some kind of evidence."""


_BARE_CONTEXT_MIB = 256
"""Below this a process holds a context and computes nothing worth the name."""


def critical(record: Record) -> list[str]:
    """The gate-critical fields of one arm. Either of model path and architecture is enough; the path stands for both."""
    names: list[str] = []
    engine = record.value("engine.name")
    if _holds_engine_evidence(record):
        names += _of_engine(engine)
    elif _unread_log(record):
        names.append("engine.name")
    elif record.has_kind("checkpoint") and not record.has_kind("gpu-snapshot"):
        names.append("kv_cache.scheme")
    if record.has_kind("gpu-snapshot"):
        names.append("gpu.tenants")
    if record.has_kind("service") and not names:
        names.append("service.restart")
    return names


def _of_engine(engine: Any) -> list[str]:
    """What the engine is asked for; several servers only what each of them has."""
    engines = [str(one) for one in engine.values()] if isinstance(engine, dict) else [str(engine)]
    optional = [name for name, without in _ENGINES_WITHOUT.items() if without.isdisjoint(engines)]
    return ["kv_cache.dtype", "kv_cache.tokens", "model.path", *optional]


def _holds_engine_evidence(record: Record) -> bool:
    """A log, launch command or metrics dump.

    A unit that happens to hold its server's command is a unit, and results that name their server are results.
    """
    if any(map(record.has_kind, ("engine-log", "metrics", "endpoint", "launch-command"))):
        return True
    return bool(record.value("engine.name")) and not any(map(record.has_kind, ("service", "results")))


def _unread_log(record: Record) -> bool:
    """A log lies beside the evidence that no parser knows: what its engine did is open."""
    return any(LOG_NOT_READ in source.notes for source in record.sources if source.kind == "ignored")


def undecided_of_arm(record: Record) -> list[str]:
    """The gate-critical fields that this arm leaves undecided."""
    return [name for name in critical(record) if not _decided(record, name)]


def _decided(record: Record, name: str) -> bool:
    if name == "model.path":
        return any(record.state(one) == "known" for one in _MODEL)
    if name == "gpu.tenants" and processes_of_open_owner(record):
        return False
    return record.state(name) in ("known", "absent")


def processes_of_open_owner(record: Record) -> list[Any]:
    """Ids of processes that may compute on a GPU of the run and may be anybody's: a list that holds one decides nothing."""
    tenants = record.value("gpu.tenants")
    listed = [one for one in tenants if isinstance(one, dict)] if isinstance(tenants, list) else []
    open_ = [one for one in listed if one.get("class") == "unknown" and one.get("on_run_gpu") is not False]
    return [one.get("pid") for one in open_ if not isinstance(one.get("mib"), int | float) or one["mib"] >= _BARE_CONTEXT_MIB]


def _critical_to_compare(record: Record, of_results: bool) -> list[str]:
    """As `critical`; a unit that holds its server's command is a launch command too, once two servers are compared by it.

    Results alone say nothing of their server, which is what `diff` compares; where only the results are audited it is not asked.
    """
    names = critical(record)
    if not names and not of_results and record.has_kind("results"):
        return _of_engine(record.value("engine.name"))
    if names == ["service.restart"] and (engine := record.value("engine.name")):
        names += _of_engine(engine)
    return names


def undecided_of_pair(a: Record, b: Record, differences: dict[str, Difference], of_results: bool = False) -> list[str]:
    """The gate-critical fields that the pair leaves undecided; a proof by comparison decides the KV element type."""
    proof = differences["kv_cache.dtype"].proof if "kv_cache.dtype" in differences else None
    names = dict.fromkeys([*_critical_to_compare(a, of_results), *_critical_to_compare(b, of_results)])
    return [name for name in names if not (name == "kv_cache.dtype" and proof) and not _decided_on_both(a, b, name, differences)]


def _decided_on_both(a: Record, b: Record, name: str, differences: dict[str, Difference]) -> bool:
    if not all(_decided(arm, name) for arm in (a, b)):
        return False
    return name not in differences or differences[name].class_ != "unknown"
