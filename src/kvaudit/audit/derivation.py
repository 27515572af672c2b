"""Which difference follows from which other: the registry names candidates, here the candidate is checked.

Room: `audit`. A difference is folded only where its cause differs too and the arithmetic or the engine's behaviour yields the
second value. A KV element type that nobody declared is never folded into the model.
"""

from __future__ import annotations

from collections.abc import Callable

from kvaudit.audit.capacity import causes_of_tokens
from kvaudit.audit.report import Difference
from kvaudit.fields import FIELDS
from kvaudit.record.kv_dtype.ladder import bits
from kvaudit.record.model import Record
from kvaudit.record.tenants.cost import total_cost

Differences = dict[str, Difference]
Check = Callable[[Record, Record], bool]


def explain(a: Record, b: Record, differences: Differences) -> None:
    """Set class, cause and silence of every difference that follows from another; causes before consequences."""
    for name in _causes_first(differences):
        difference = differences[name]
        if difference.class_ in ("cosmetic", "unknown", "expected") or difference.meaning:
            continue
        causes = causes_of_tokens(a, b, differences) if name == "kv_cache.tokens" else _causes(name, a, b, differences)
        if not causes:
            continue
        difference.explained_by = causes[0]
        difference.silenced = all(_silent(differences[cause]) for cause in causes) or _own_head(name, a, b)
        difference.class_ = "derived"


def _silent(difference: Difference) -> bool:
    return difference.class_ == "expected" or difference.silenced


def _own_head(name: str, a: Record, b: Record) -> bool:
    """Each arm drafts with a head of its own model: the model's name says it all."""
    return name == "speculative.model" and all(arm.value(name) == arm.value("model.path") for arm in (a, b))


def _causes_first(differences: Differences) -> list[str]:
    """Differences so that a cause stands before what may follow from it."""
    ordered: list[str] = []

    def place(name: str, above: frozenset[str]) -> None:
        if name in ordered or name in above or name not in differences:
            return
        for cause in FIELDS[name].derives:
            place(cause, above | {name})
        ordered.append(name)

    for name in differences:
        place(name, frozenset())
    return ordered


def _causes(name: str, a: Record, b: Record, differences: Differences) -> list[str]:
    """The first candidate that differs and whose check holds."""
    for cause in FIELDS[name].derives:
        difference = differences.get(cause)
        if difference is None or not _may_explain(difference):
            continue
        check = _CHECKS.get((name, cause), _DEFAULT_OF_CAUSE.get(cause, _never))
        if check(a, b):
            return [cause]
    return []


def _may_explain(difference: Difference) -> bool:
    return difference.class_ not in ("cosmetic", "unknown") and difference.proof != "equal" and difference.meaning is None


def _always(_a: Record, _b: Record) -> bool:
    return True


def _never(_a: Record, _b: Record) -> bool:
    return False


def _kv_follows_model_dtype(a: Record, b: Record) -> bool:
    """16-bit KV on both arms, each of the model's own dtype."""
    return all(
        arm.value("kv_cache.dtype") == arm.value("model.dtype") and bits(arm.value("kv_cache.dtype")) == 16 for arm in (a, b)
    )


def _weights_divide_by_tensor(a: Record, b: Record) -> bool:
    """Weights per rank times ranks stay the same, up to what is replicated."""
    whole = [float(arm.value("model.weights_gib") or 0) * float(arm.value("parallel.tensor") or 0) for arm in (a, b)]
    return min(whole) > 0 and abs(whole[0] - whole[1]) <= 0.15 * max(whole)


def _backend_follows_kv_width(a: Record, b: Record) -> bool:
    """FlashAttention on the 16-bit arm only, and nobody asked for a backend."""
    if any(fact.stage == "requested" for arm in (a, b) for fact in arm.facts("attention.backend")):
        return False
    flash = {bits(arm.value("kv_cache.dtype")): arm.value("attention.backend") == "FLASH_ATTN" for arm in (a, b)}
    return len(flash) == 2 and flash.get(16.0) is True and not all(flash.values())


def _block_size_unasked(a: Record, b: Record) -> bool:
    return not any(fact.stage == "requested" and fact.value for arm in (a, b) for fact in arm.facts("kv_cache.block_size"))


def _memory_lost_to_tenants(a: Record, b: Record) -> bool:
    """What strangers cost the pool is what it is short of, up to a tenth."""
    lost = total_cost(b.value("gpu.tenants")) - total_cost(a.value("gpu.tenants"))
    missing = float(a.value("kv_cache.memory_gib") or 0) - float(b.value("kv_cache.memory_gib") or 0)
    return lost != 0 and abs(missing - lost) <= 0.1 * abs(lost)


_DEFAULT_OF_CAUSE: dict[str, Check] = {"model.path": _always, "graphs.enforce_eager": _always}

_CHECKS: dict[tuple[str, str], Check] = {
    ("kv_cache.dtype", "model.dtype"): _kv_follows_model_dtype,
    ("model.weights_gib", "parallel.tensor"): _weights_divide_by_tensor,
    ("model.weights_gib", "model.quantization"): _always,
    ("kv_cache.max_concurrency", "kv_cache.tokens"): _always,
    ("kv_cache.max_concurrency", "model.max_len"): _always,
    ("kv_cache.tokens_total", "kv_cache.tokens"): _always,
    ("kv_cache.tokens_total", "parallel.data"): _always,
    ("kv_cache.blocks", "kv_cache.tokens"): _always,
    ("kv_cache.blocks", "kv_cache.block_size"): _always,
    ("kv_cache.bytes_per_token", "kv_cache.dtype"): _always,
    ("kv_cache.bytes_per_element", "kv_cache.dtype"): _always,
    ("kv_cache.block_size", "kv_cache.dtype"): _block_size_unasked,
    ("kv_cache.block_size", "speculative.method"): _block_size_unasked,
    ("kv_cache.block_size", "speculative.tokens"): _block_size_unasked,
    ("kv_cache.block_size", "attention.backend"): _block_size_unasked,
    ("attention.backend", "kv_cache.dtype"): _backend_follows_kv_width,
    ("attention.backend", "engine.platform"): _always,
    ("graphs.mode", "attention.backend"): _always,
    ("graphs.capture_max", "scheduler.max_num_seqs"): _always,
    ("graphs.capture_max", "speculative.tokens"): _always,
    ("graphs.memory_gib", "graphs.mode"): _always,
    ("scheduler.async_scheduling", "speculative.method"): _always,
    ("kv_cache.memory_gib", "model.weights_gib"): _always,
    ("kv_cache.memory_gib", "memory.utilization"): _always,
    ("kv_cache.memory_gib", "speculative.method"): _always,
    ("kv_cache.memory_gib", "gpu.tenants"): _memory_lost_to_tenants,
    ("runtime.prefix_hit_rate", "kv_cache.prefix_caching"): _always,
    ("runtime.spec_acceptance", "speculative.method"): _always,
    ("runtime.spec_acceptance", "speculative.model"): _always,
}
