"""What a quantization block states about the KV cache, in the contract's words.

Room: checkpoint parsers. One block in, one statement out. What an engine makes of it under `auto` is decided elsewhere, by
engine and version; nothing here follows from the weights (an fp8 checkpoint states nothing about KV).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.checkpoint.quantization import Block
from kvaudit.parsers.checkpoint.values import as_list, as_object, count_of, flag, short, word

_STRINGS: dict[str, str] = {
    "fp8": "fp8",
    "float8": "fp8",
    "fp8_e4m3": "fp8",
    "float8_e4m3fn": "fp8",
    "nvfp4": "nvfp4",
    "fp4": "nvfp4",
    "int8": "int8",
    "static": "static-string",
    "none": "none",
}
_KEYS = ("kv_cache_scheme", "kv_cache_quant_algo")
_ELEMENTS = {"fp8_e4m3": "fp8", "fp8_e5m2": "other:fp8_e5m2", "int8": "int8"}


@dataclass(frozen=True, slots=True)
class Scheme:
    """A statement about KV: `value` in the contract's words (None when it delegates), the key it stands under, its details."""

    value: str | None
    key: str | None = None
    raw: Any = None
    details: dict[str, Any] = field(default_factory=dict)
    disagrees: tuple[tuple[str, str], ...] = ()

    def detail(self, name: str) -> Any:
        """A detail of the scheme (`dynamic`, `strategy`, `symmetric`, `num_bits`, `type`), None where not stated."""
        return self.details.get(name)


def scheme_of(block: Block) -> Scheme:
    """The KV statement of a block; `none` when it has no key for KV or an empty one."""
    stated = [_of_key(block, key) for key in _KEYS if block.get(key) not in (None, {}, [], "")]
    stated = [scheme for scheme in stated if scheme.value != "none"] or stated
    if stated:
        first, *others = stated
        odd = tuple((scheme.value or "", scheme.key or "") for scheme in others if scheme.value != first.value)
        return Scheme(first.value, first.key, first.raw, first.details, odd)
    return _quark(block) or _targets(block) or _foreign(block) or Scheme("none", _empty_key(block))


def _empty_key(block: Block) -> str | None:
    return next((key for key in _KEYS if key in block.body or key in block.outer), None)


def _of_key(block: Block, key: str) -> Scheme:
    raw = block.get(key)
    if isinstance(raw, dict):
        details = _details(raw)
        return Scheme(_of_object(raw, details, block.method), key, raw, details)
    if isinstance(raw, str):
        return Scheme(_of_string(raw), key, raw)
    return Scheme(_other(short(raw, 40)), key, raw)


def _of_string(raw: str) -> str | None:
    spelled = raw.strip().lower()
    return None if spelled == "auto" else _STRINGS.get(spelled) or _other(spelled)


def _of_object(raw: dict[str, Any], details: dict[str, Any], method: str) -> str:
    bits, kind = details.get("num_bits"), details.get("type")
    if bits == 8 and kind in ("float", "int"):
        return "fp8" if kind == "float" else "int8"
    if bits == 4 and kind == "float":
        grouped = count_of(raw.get("group_size")) == 16 or details.get("strategy") == "tensor_group"
        return "nvfp4" if method.startswith("modelopt") or grouped else _other("float4")
    if bits is not None and kind is not None:
        return _other(f"{kind}{bits}")
    named = next((raw[key] for key in ("quant_method", "quant_algo", "dtype", "type") if word(raw.get(key))), None)
    return _other(named or "unrecognised")


def _details(raw: dict[str, Any]) -> dict[str, Any]:
    dynamic = raw.get("dynamic")
    found = {
        "dynamic": dynamic if isinstance(dynamic, bool) else word(dynamic),
        "strategy": word(raw.get("strategy")),
        "symmetric": flag(raw.get("symmetric")),
        "num_bits": count_of(raw.get("num_bits")),
        "type": word(raw.get("type")),
    }
    return {name: value for name, value in found.items() if value is not None}


def _other(what: str) -> str:
    spelled = word(what.strip().lower()) or "unrecognised"
    return f"other:{spelled[:40]}"


def _quark(block: Block) -> Scheme | None:
    """AMD Quark: `export.kv_cache_group` names the projections whose outputs are quantized KV; empty means none."""
    export = as_object(block.get("export"))
    layers = {**as_object(block.get("layer_quant_config")), **as_object(block.get("kv_cache_quant_config"))}
    group = (
        as_list(export["kv_cache_group"]) if "kv_cache_group" in export else list(as_object(block.get("kv_cache_quant_config")))
    )
    if block.method != "quark" or not group:
        return None
    outputs = [as_object(as_object(layers.get(str(name))).get("output_tensors")) for name in group]
    names = {word(output.get("dtype")) for output in outputs}
    name = names.pop() if len(names) == 1 else "mixed"
    key = "export" if "kv_cache_group" in export else "kv_cache_quant_config"
    details = {"strategy": word(outputs[0].get("qscheme")), "dynamic": flag(outputs[0].get("is_dynamic")), "type": name}
    known = {detail: value for detail, value in details.items() if value is not None}
    return Scheme(_ELEMENTS.get(name or "", _other(name or "quark")), key, group, known)


def _targets(block: Block) -> Scheme | None:
    """AutoFP8: the projections whose outputs were calibrated for an FP8 cache."""
    targets = as_list(block.get("kv_cache_quant_targets"))
    return Scheme("fp8", "kv_cache_quant_targets", targets) if targets else None


def _foreign(block: Block) -> Scheme | None:
    """A KV type that no stock engine reads from a checkpoint (hifp8)."""
    raw = block.get("kv_cache_dtype")
    if not isinstance(raw, str) or not raw.strip() or raw.strip().lower() in ("auto", "none"):
        return None
    return Scheme(_other(raw), "kv_cache_dtype", raw)
