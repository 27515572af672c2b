"""Sentences with figures that rule texts ask for by name, such as `{strangers}` or `{load}`; `TOLD` lists them.

Room: `audit`. Everything said here stands in the record; a name that has nothing to say gives an empty text, and the part of a
message in double brackets around it is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.audit.context import ArmContext, PairContext
from kvaudit.patterns import LatePattern
from kvaudit.record.engine_variables import hint

_MOST = 4
_MIB_PER_GIB = 1024
_VARIABLE = LatePattern(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+")


def _strangers(arm: ArmContext) -> str:
    """The foreign processes with what they hold and what they cost the KV pool."""
    value = arm.record.value("gpu.tenants")
    found = [one for one in value if isinstance(one, dict) and one.get("class") == "foreign"] if isinstance(value, list) else []
    said = [_stranger(one) for one in found[:_MOST]]
    return "; ".join([*said, *_more(len(found))])


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


def _variables(arm: ArmContext) -> str:
    """The variables that the engine did not know, each with the nearest name that it does."""
    notices = arm.record.value("engine.notices")
    texts = [
        str(one.get("text"))
        for one in (notices if isinstance(notices, list) else [])
        if isinstance(one, dict) and one.get("code") == "unknown-environment-variable"
    ]
    names = list(dict.fromkeys(name for text in texts for name in _VARIABLE.findall(text)))
    engine, version = arm.record.value("engine.name"), arm.record.value("engine.version")
    said = [(name, hint(str(engine), version if isinstance(version, str) else None, name)) for name in names[:_MOST]]
    return "; ".join([*(f"{name} ({text})" if text else name for name, text in said), *_more(len(names))])


def _more(count: int) -> list[str]:
    return [f"and {count - _MOST} more"] if count > _MOST else []


def _load(arm: ArmContext) -> str:
    """The load driven: what the log shows running and waiting, and what the client allows itself."""
    running, waiting, sent = (
        arm.record.value(name) for name in ("runtime.max_running", "runtime.max_waiting", "result.max_concurrency")
    )
    said = []
    if isinstance(running, int):
        queued = f", {waiting:,} waiting" if isinstance(waiting, int) else ""
        said.append(f"the log shows up to {running:,} requests running{queued}")
    allowed = [one for one in (sent if isinstance(sent, list) else [sent]) if isinstance(one, int)]
    if allowed:
        said.append(f"the client keeps up to {max(allowed):,} in flight")
    return "; ".join(said)


TOLD: dict[str, Callable[[ArmContext], str]] = {
    "strangers": _strangers,
    "restarts": _restarts,
    "empty": _empty,
    "room": _room,
    "conditions": _conditions,
    "variables": _variables,
    "load": _load,
}
"""Placeholders of rule texts about one arm, besides fields and those about results."""

_NO_SENTENCES = frozenset({"arm", "required", "found", "axes"})
"""Placeholders without a dot that name something else."""


def told_of_arm(name: str) -> Callable[[ArmContext], str] | None:
    """Who tells the sentence of this name about one arm; None where the placeholder is no sentence."""
    if "." in name or name in _NO_SENTENCES:
        return None
    if name in TOLD:
        return TOLD[name]
    from kvaudit.audit.told_results import RESULTS_TOLD

    return RESULTS_TOLD.get(name)


def told_of_pair(name: str) -> Callable[[PairContext], str] | None:
    """Who tells the sentence of this name about two arms; None where the placeholder is no sentence."""
    if "." in name or name in _NO_SENTENCES:
        return None
    if name == "moves":
        from kvaudit.audit.told_moves import moves_told

        return moves_told
    from kvaudit.audit.told_results import PAIR_TOLD

    return PAIR_TOLD.get(name)


def sentences_of_arm() -> set[str]:
    """The names of all sentences about one arm."""
    from kvaudit.audit.told_results import RESULTS_TOLD

    return {*TOLD, *RESULTS_TOLD}


def sentences_of_pair() -> set[str]:
    """The names of all sentences about two arms."""
    from kvaudit.audit.told_results import PAIR_TOLD

    return {"moves", *PAIR_TOLD}
