"""Sentences with figures that rule texts ask for by name: `{strangers}`, `{restarts}`, `{empty}`, `{room}`.

Room: `audit`. Everything said here stands in the record; a name that has nothing to say gives an empty text, and the part of a
message in double brackets around it is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.audit.context import ArmContext

_MOST = 4
_MIB_PER_GIB = 1024


def _strangers(arm: ArmContext) -> str:
    """The foreign processes with what they hold and what they cost the KV pool."""
    value = arm.record.value("gpu.tenants")
    found = [one for one in value if isinstance(one, dict) and one.get("class") == "foreign"] if isinstance(value, list) else []
    said = [_stranger(one) for one in found[:_MOST]]
    return "; ".join([*said, *([f"and {len(found) - _MOST} more"] if len(found) > _MOST else [])])


def _stranger(one: dict[str, Any]) -> str:
    held = f" holds {one['mib'] / _MIB_PER_GIB:.2f} GiB" if isinstance(one.get("mib"), int | float) else ""
    place = f" on GPU {one['gpu']}" if one.get("gpu") is not None else ""
    text = f"{one.get('name') or 'a process without a name'} (pid {one.get('pid')}){held}{place}"
    gib, tokens = one.get("cost_gib"), one.get("cost_tokens")
    if not isinstance(gib, int | float):
        return text
    if not gib:
        return f"{text} and came after the start, so it took nothing from the KV pool"
    return f"{text} and cost the KV pool {gib:.2f} GiB" + (f", {tokens:,} tokens" if isinstance(tokens, int) else "")


def _restarts(arm: ArmContext) -> str:
    """Whether the policy can restart the service for ever, with the arithmetic, and limits that nobody reads."""
    held = [one.value for one in arm.record.clues.get("clue.restart_policy", []) if isinstance(one.value, dict)]
    said = [f"{place} is ignored, the limit belongs into [Unit]" for one in held for place in one.get("misplaced") or []]
    telling = [one for one in held if one.get("endless")] or held
    said += [str(one["because"]) for one in telling if one.get("because")]
    return "; ".join(dict.fromkeys(said))


def _empty(arm: ArmContext) -> str:
    """The arguments that are proven to be empty."""
    held = [one.value for one in arm.record.clues.get("clue.empty_argument", []) if isinstance(one.value, dict)]
    return "; ".join(dict.fromkeys(f"{one.get('flag')} {one.get('why')}" for one in held if one.get("proven")))


def _room(arm: ArmContext) -> str:
    """The tokens of the pool beside those that card, weights and settings leave room for: arithmetic, an upper bound."""
    names = ("memory.total_gib", "memory.utilization", "model.weights_gib", "kv_cache.memory_gib", "kv_cache.tokens")
    found = [arm.record.value(name) for name in names]
    numbers = [float(value) for value in found if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(names) or numbers[3] <= 0:
        return ""
    total, utilization, weights, memory, tokens = numbers
    budget = total * utilization - weights
    if budget <= memory:
        return ""
    return f"{tokens:,.0f} tokens in {memory:.2f} GiB, where {budget:.2f} GiB would hold up to {tokens * budget / memory:,.0f}"


def _conditions(arm: ArmContext) -> str:
    """What the snapshot says is wrong with the GPUs."""
    held = [one.value for one in arm.record.clues.get("clue.gpu_condition", []) if isinstance(one.value, dict)]
    return "; ".join(dict.fromkeys(str(one.get("text")) for one in held[:_MOST]))


TOLD: dict[str, Callable[[ArmContext], str]] = {
    "strangers": _strangers,
    "restarts": _restarts,
    "empty": _empty,
    "room": _room,
    "conditions": _conditions,
}
"""Placeholders of rule texts about one arm, besides fields."""
