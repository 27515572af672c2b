"""Why two token capacities differ: bytes per token × KV memory, and what moved the memory.

Room: `audit`. Ratios are b ÷ a. For one model and layout tokens = memory ÷ bytes per token, so the two factors multiply to the
ratio; what they leave is the residual. Source of the budget: vLLM 0.9.2 to 0.33, requested memory − weights − peak − graphs.
"""

from __future__ import annotations

import math

from kvaudit.audit.report import Capacity, Difference, Factor, MemoryPart
from kvaudit.record.model import Record
from kvaudit.record.tenants.cost import total_cost
from kvaudit.record.versions import bounds

_MATERIAL = 0.02
_MEANING_CHANGED = ("0.20.1", "0.21")
_BYTES_CAUSES = (
    "kv_cache.dtype",
    "model.path",
    "parallel.tensor",
    "speculative.method",
    "speculative.tokens",
    "speculative.model",
    "model.max_len",
    "kv_cache.block_size",
)
_SAME_TOKEN = ("model.path", "kv_cache.dtype", "parallel.tensor", "parallel.pipeline", "speculative.method")
_MEMORY_CAUSES = (
    "model.weights_gib",
    "memory.utilization",
    "memory.static_fraction",
    "graphs.memory_gib",
    "gpu.tenants",
    "speculative.method",
    "parallel.tensor",
)


def decompose(a: Record, b: Record) -> Capacity | None:
    """The capacity ratio with its factors; None unless both arms know their tokens."""
    tokens = a.value("kv_cache.tokens"), b.value("kv_cache.tokens")
    if not all(isinstance(value, int) and value > 0 for value in tokens):
        return None
    ratio = tokens[1] / tokens[0]
    bytes_factor, memory_factor = _factors(a, b)
    if bytes_factor is None or memory_factor is None:
        return Capacity(ratio=ratio, factors=[], residual=ratio)
    factors = [Factor(name="bytes per token", ratio=bytes_factor), Factor(name="KV memory", ratio=memory_factor)]
    return Capacity(ratio=ratio, factors=factors, residual=ratio / (bytes_factor * memory_factor), memory_parts=_parts(a, b))


def _factors(a: Record, b: Record) -> tuple[float | None, float | None]:
    per_token = a.value("kv_cache.bytes_per_token"), b.value("kv_cache.bytes_per_token")
    memory = a.value("kv_cache.memory_gib"), b.value("kv_cache.memory_gib")
    if all(isinstance(value, int | float) and value > 0 for value in (*per_token, *memory)):
        return per_token[0] / per_token[1], memory[1] / memory[0]
    tokens = a.value("kv_cache.tokens"), b.value("kv_cache.tokens")
    if all(isinstance(value, int) and value > 0 for value in tokens) and _equal_tokens(a, b):
        return 1.0, tokens[1] / tokens[0]
    return None, None


def _equal_tokens(a: Record, b: Record) -> bool:
    """One model, one element type and one split over GPUs: a token takes the same bytes, so memory alone moves the capacity."""
    alike = all(a.state(name) == "known" and a.value(name) == b.value(name) for name in _SAME_TOKEN)
    revisions = a.value("model.revision"), b.value("model.revision")
    return alike and revisions[0] == revisions[1] and same_meaning(a, b) is True


def _parts(a: Record, b: Record) -> list[MemoryPart]:
    """What moved the KV memory, in GiB per rank (b − a): weights, graphs and strangers sign turned, utilization × device."""
    moved = _delta(a, b, "kv_cache.memory_gib")
    if moved is None:
        return []
    parts = []
    for name, label, sign in (("model.weights_gib", "weights", -1), ("graphs.memory_gib", "graphs", -1)):
        change = _delta(a, b, name)
        if change:
            parts.append(MemoryPart(name=label, gib=round(sign * change, 2)))
    utilization, total = _delta(a, b, "memory.utilization"), a.value("memory.total_gib")
    if utilization and isinstance(total, int | float):
        parts.append(MemoryPart(name="utilization", gib=round(utilization * total, 2)))
    lost = total_cost(b.value("gpu.tenants")) - total_cost(a.value("gpu.tenants"))
    if lost:
        parts.append(MemoryPart(name="other processes on the GPU", gib=round(-lost, 2)))
    rest = moved - sum(part.gib for part in parts)
    return [*parts, MemoryPart(name="unexplained", gib=round(rest, 2))] if abs(rest) >= 0.01 else parts


def _delta(a: Record, b: Record, name: str) -> float | None:
    left, right = a.value(name), b.value(name)
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    return float(right) - float(left)


def causes_of_tokens(a: Record, b: Record, differences: dict[str, Difference]) -> list[str]:
    """The differences that the arithmetic makes responsible for unequal capacities, the strongest factor first.

    Empty when a material factor has no cause: then the ratio is not explained.
    """
    bytes_factor, memory_factor = _factors(a, b)
    if bytes_factor is None or memory_factor is None:
        return []
    sized = [(abs(math.log(bytes_factor)), _BYTES_CAUSES), (abs(math.log(memory_factor)), _MEMORY_CAUSES)]
    causes = []
    for size, candidates in sorted(sized, key=lambda item: -item[0]):
        if size <= _MATERIAL:
            continue
        cause = next((name for name in candidates if _moves(name, a, b, differences)), None)
        if cause is None:
            return []
        causes.append(cause)
    return causes


def _moves(name: str, a: Record, b: Record, differences: dict[str, Difference]) -> bool:
    difference = differences.get(name)
    if difference is None or difference.class_ in ("cosmetic", "unknown") or difference.proof == "equal" or difference.meaning:
        return False
    if name == "model.weights_gib":
        weights, memory = _delta(a, b, name), _delta(a, b, "kv_cache.memory_gib")
        return weights is not None and memory is not None and abs(weights + memory) <= 0.5 * abs(memory)
    return True


def meaning_of_tokens(record: Record) -> str | None:
    """What the printed capacity counts: `concurrency` (× context limit), `blocks`, or None where it cannot be told.

    vLLM 0.21 and newer print concurrency × max_model_len; before, blocks ÷ groups × block size. For plain attention both are the
    same number, and `concurrency` is answered. A build without a version is judged by its own figures.
    """
    tokens, limit = record.value("kv_cache.tokens"), record.value("model.max_len")
    concurrency = record.value("kv_cache.max_concurrency")
    if not all(isinstance(value, int | float) and value > 0 for value in (tokens, limit, concurrency)):
        return None
    rounding = 0.005 * limit + 0.002 * tokens
    return "concurrency" if abs(tokens - concurrency * limit) <= rounding else "blocks"


def same_meaning(a: Record, b: Record) -> bool | None:
    """Whether the two printed capacities count the same thing; None where neither versions nor figures tell.

    The figure changed within the 0.20 series (read in the sources of 0.20.0 and 0.20.1; release notes speak of 0.21), so two
    versions clearly on one side agree, and between them the figures themselves are asked. Across engines only plain attention
    is counted alike.
    """
    from packaging.version import Version

    if a.value("engine.name") != b.value("engine.name") and (_has_windows(a) or _has_windows(b)):
        return False
    sides = [bounds(arm.value("engine.version")) for arm in (a, b)]
    first, last = Version(_MEANING_CHANGED[0]), Version(_MEANING_CHANGED[1])
    of_vllm = a.value("engine.name") == b.value("engine.name") == "vllm" and all(sides)
    before, since = (all(side.high < first for side in sides if side), all(side.low >= last for side in sides if side))
    if of_vllm and (before or since):
        return True
    meanings = {meaning_of_tokens(arm) for arm in (a, b)}
    return None if None in meanings else len(meanings) == 1


def _has_windows(record: Record) -> bool:
    """Engines count windowed and recurrent layers differently: SGLang prints the full pool, vLLM requests of full length."""
    if record.clue("clue.windowed_pool") is not None:
        return True
    config = record.clue("clue.checkpoint_config")
    return isinstance(config, dict) and config.get("attention") in ("sliding", "hybrid")
