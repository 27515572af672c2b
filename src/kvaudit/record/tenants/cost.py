"""What a stranger cost the KV pool, in GiB and tokens.

Room: `record.tenants`. Inferred where the figures show it: an engine that takes a share of the free memory loses that share of
what a stranger holds; one that takes a share of the card loses what its profiler counts as used, and then the hole in its pool is
as large as the stranger. Where the figures show neither, nothing is said.
"""

from __future__ import annotations

from typing import Any

from kvaudit.record.tenants.evidence import Run

_MIB_PER_GIB = 1024
_GIB = 1 << 30
_LEAST_GIB = 0.25
_MOST_OVERHEAD = 0.06
"""Share of the card that activations and graphs take beside weights and KV cache, at most, in the logs that were measured."""


def total_cost(tenants: Any) -> float:
    """GiB that the strangers of a process list cost the pool together, as far as it is known."""
    return sum(one.get("cost_gib") or 0.0 for one in tenants if isinstance(one, dict)) if isinstance(tenants, list) else 0.0


def with_costs(tenants: list[dict[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The processes, foreign ones with `cost_gib` and `cost_tokens` where the log's figures show them."""
    foreign = [one for one in tenants if one.get("class") == "foreign" and isinstance(one.get("mib"), int | float)]
    for gpu in {one.get("gpu") for one in foreign}:
        here = [one for one in foreign if one.get("gpu") == gpu]
        held = sum(one["mib"] for one in here) / _MIB_PER_GIB
        cost = _cost(held, run)
        if held < _LEAST_GIB or cost is None:
            continue
        for one in here:
            one |= _of_one(one["mib"] / _MIB_PER_GIB * cost / held, run)
    return tenants


def _of_one(gib: float, run: Run) -> dict[str, Any]:
    cost: dict[str, Any] = {"cost_gib": round(gib, 2)}
    if run.bytes_per_token and gib:
        cost["cost_tokens"] = int(gib * _GIB / run.bytes_per_token)
    return cost


def _cost(held: float, run: Run) -> float | None:
    """GiB that the pool of a GPU would hold without its strangers; None where it is open."""
    if run.kv_memory is None:
        return None
    if run.static_fraction is not None:
        return _of_free_memory(held, run, run.static_fraction)
    if run.utilization is None or run.total is None or run.weights is None:
        return None
    missing = run.total * run.utilization - run.weights - run.kv_memory
    if missing >= 0.9 * held:
        return min(held, missing)
    return 0.0 if missing <= _MOST_OVERHEAD * run.total and missing < 0.3 * held else None


def _of_free_memory(held: float, run: Run, fraction: float) -> float | None:
    taken = run.taken_at_start
    if taken is None:
        return None
    if taken >= 0.8 * held:
        return held * fraction
    return 0.0 if taken < 0.3 * held else None
