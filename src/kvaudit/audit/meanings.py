"""Fields that engines fill with different quantities, or with names of their own: they are never compared as equal or unequal.

Room: `audit`. Data, and one look-up. Capacity has its own arithmetic in `capacity`; what is not listed here means one thing
everywhere. Read in the sources of the engines that the parsers cover.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kvaudit.record.model import Record

_OFF = frozenset({"none", "null", ""})


@dataclass(frozen=True, slots=True)
class Quantity:
    """What some engines mean by a field."""

    engines: tuple[str, ...]
    meaning: str


QUANTITIES: dict[str, tuple[Quantity, ...]] = {
    "memory.utilization": (
        Quantity(("vllm",), "a share of the whole card, weights included"),
        Quantity(("sglang",), "set by memory.static_fraction, a share of the memory that is free before loading"),
        Quantity(("tensorrt_llm", "lmdeploy"), "set by memory.static_fraction, a share of the memory that is left after loading"),
    ),
    "memory.static_fraction": (
        Quantity(("vllm",), "set by memory.utilization, a share of the whole card"),
        Quantity(("sglang",), "a share of the memory that is free before loading, weights included"),
        Quantity(("tensorrt_llm", "lmdeploy"), "a share of the memory that is left after loading"),
    ),
    "scheduler.max_num_batched_tokens": (
        Quantity(("vllm", "tensorrt_llm"), "tokens of one step, of prompts and answers together"),
        Quantity(("sglang",), "prompt tokens of one chunk; answers do not count"),
        Quantity(("llama_cpp", "ollama"), "tokens of one logical batch, cut into smaller ones"),
        Quantity(("tgi", "lmdeploy"), "prompt tokens of one prefill"),
    ),
    "speculative.tokens": (
        Quantity(("vllm", "tensorrt_llm", "llama_cpp", "ollama", "lmdeploy", "tgi"), "drafted tokens of one step"),
        Quantity(("sglang",), "tokens that one step verifies, the last accepted one among them"),
    ),
    "kv_cache.memory_gib": (
        Quantity(("vllm", "sglang", "tensorrt_llm", "lmdeploy", "tgi"), "the pool of one rank"),
        Quantity(("llama_cpp", "ollama"), "the pools of all devices together"),
    ),
}
"""Fields whose number is another quantity in another engine."""

OWN_NAMES = frozenset(
    {
        "engine.version",
        "engine.build",
        "engine.core",
        "attention.backend",
        "moe.backend",
        "linear.backend",
        "graphs.mode",
        "speculative.method",
        "kv_transfer.connector",
        "kv_transfer.role",
    }
)
"""Fields that each engine fills with names of its own: one word may be two things, and two words one. Off is off everywhere."""

KERNEL_ENDINGS = ("_marlin", "_bitblas")
"""Endings of `model.quantization` that name a kernel: one engine prints the format of the weights, another what runs them."""

_ONE_ON_ONE_GPU = frozenset({"kv_cache.memory_gib"})
"""Sums over devices and figures of a rank are one number where the run uses one GPU."""


def other_meaning(a: Record, b: Record, name: str) -> str | None:
    """What the field means on each arm, where that differs; None where the values can be compared."""
    engines = a.value("engine.name"), b.value("engine.name")
    if engines[0] == engines[1] or not all(isinstance(engine, str) for engine in engines):
        return None
    if name in OWN_NAMES:
        if any(_is_off(arm.value(name)) for arm in (a, b)):
            return None
        return f"{engines[0]} and {engines[1]} have names of their own for it"
    if name == "model.quantization":
        return _other_kernel_names(a.value(name), b.value(name))
    said = [_quantity(name, str(engine)) for engine in engines]
    if None in said or said[0] == said[1]:
        return None
    if name in _ONE_ON_ONE_GPU and all(arm.value("parallel.gpus") == 1 for arm in (a, b)):
        return None
    return f"{engines[0]}: {said[0]}; {engines[1]}: {said[1]}"


def _other_kernel_names(left: Any, right: Any) -> str | None:
    """Whether two names differ by the kernel alone."""
    if not isinstance(left, str) or not isinstance(right, str) or left.lower() == right.lower():
        return None
    return "one engine names the format, the other the kernel that runs it" if _format(left) == _format(right) else None


def _format(method: str) -> str:
    lowered = method.lower()
    return next((lowered.removesuffix(ending) for ending in KERNEL_ENDINGS if lowered.endswith(ending)), lowered)


def _is_off(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in _OFF


def _quantity(name: str, engine: str) -> str | None:
    return next((one.meaning for one in QUANTITIES.get(name, ()) if engine in one.engines), None)
