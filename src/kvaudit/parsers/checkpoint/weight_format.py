"""The format of the weights, finer than the method: `nvfp4`, `int4-g128`, `fp8-block128`, several joined by `+`.

Room: checkpoint parsers. One block in, one name out; None where the block does not tell. No engine is known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.parsers.checkpoint.quantization import Block
from kvaudit.parsers.checkpoint.values import as_list, as_object, positive, word

_MOST_LAYERS = 1_000_000

# ModelOpt's quant_algo (modelopt 0.46, TensorRT-LLM 1.3).
_ALGORITHMS: dict[str, str] = {
    "FP8": "fp8",
    "FP8_PER_CHANNEL_PER_TOKEN": "fp8-channel",
    "FP8_PB_WO": "fp8-block128",
    "FP8_BLOCK_SCALES": "fp8-block128",
    "NVFP4": "nvfp4",
    "NVFP4_AWQ": "nvfp4",
    "W4A16_NVFP4": "nvfp4",
    "W4A8_NVFP4_FP8": "nvfp4",
    "MXFP8": "mxfp8",
    "MXFP4": "mxfp4",
    "W4A16_MXFP4": "mxfp4",
    "W4A8_MXFP4_FP8": "mxfp4",
    "W4A8_MXFP4_MXFP8": "mxfp4",
    "W8A16": "int8",
    "INT8": "int8",
    "W8A8_SQ_PER_CHANNEL": "int8-channel",
}
_GROUPED_ALGORITHMS: dict[str, str] = {"W4A16": "int4", "W4A16_AWQ": "int4", "W4A8_AWQ": "int4", "W4A16_GPTQ": "int4"}
_TORCHAO = (("int4", "int4"), ("int8", "int8"), ("float8", "fp8"), ("nvfp4", "nvfp4"), ("uint4", "int4"))


def weight_format(block: Block, expert_dtype: str | None = None) -> str | None:
    """The weight format of a block. `expert_dtype` is what config.json says of experts kept in another type (DeepSeek V4)."""
    found = set(_by_algorithm(block)) or _by_groups(block) or _by_method(block)
    if not found:
        return None
    if block.method == "fp8":
        found |= _by_method(block)
    if expert_dtype and not any(expert_dtype.lower() in name for name in found):
        found.add(expert_dtype.lower())
    return "+".join(sorted(found))


def _by_algorithm(block: Block) -> set[str]:
    algorithm = block.algorithm
    if algorithm is None:
        return set()
    if algorithm.upper() != "MIXED_PRECISION":
        name = _algorithm(algorithm, block.get("group_size"))
        return {name} if name else set()
    layers = as_object(block.get("quantized_layers"))
    pairs = {_pair(as_object(layer)) for layer in list(layers.values())[:_MOST_LAYERS]}
    names = {_algorithm(algorithm, group) for algorithm, group in pairs}
    return {name for name in names if name} if None not in names else set()


def _pair(layer: dict[str, Any]) -> tuple[str, int | None]:
    return word(layer.get("quant_algo")) or "", positive(layer.get("group_size"))


def _algorithm(algorithm: str, group: Any) -> str | None:
    name = algorithm.upper()
    grouped = _GROUPED_ALGORITHMS.get(name)
    return _grouped(grouped, group) if grouped else _ALGORITHMS.get(name)


def _by_groups(block: Block) -> set[str]:
    """compressed-tensors and whoever writes its groups: every group must be understood."""
    groups = [as_object(group) for group in as_object(block.get("config_groups")).values()]
    weights = [(as_object(group.get("weights")), word(group.get("format"))) for group in groups]
    names = {_of_weights(body, own or word(block.get("format"))) for body, own in weights if body}
    return {name for name in names if name} if None not in names else set()


def _of_weights(weights: dict[str, Any], packing: str | None) -> str | None:
    bits, kind, strategy = positive(weights.get("num_bits")), word(weights.get("type")), word(weights.get("strategy"))
    group = positive(weights.get("group_size"))
    if bits == 4 and kind == "float":
        if packing and packing.startswith("mxfp4"):
            return "mxfp4"
        return "nvfp4" if group == 16 else "mxfp4" if group == 32 else None
    if bits == 8 and kind == "float":
        block = as_list(weights.get("block_structure"))
        return _blocked(block) if strategy == "block" else "fp8-channel" if strategy == "channel" else _grouped("fp8", group)
    if kind != "int" or bits is None:
        return None
    return f"int{bits}-channel" if strategy == "channel" else _grouped(f"int{bits}", group)


def _blocked(block: list[Any]) -> str:
    sizes = [positive(size) for size in block]
    if len(sizes) != 2 or None in sizes:
        return "fp8"
    return f"fp8-block{sizes[0]}" if sizes[0] == sizes[1] else f"fp8-block{sizes[0]}x{sizes[1]}"


def _grouped(name: str, group: Any) -> str:
    size = positive(group)
    return f"{name}-g{size}" if size else name


def _by_method(block: Block) -> set[str]:
    read = _METHODS.get(block.method)
    name = read(block) if read else None
    return {name} if name else set()


def _integers(block: Block) -> str | None:
    """awq, gptq, auto-round, hqq: a number of bits and a group size under various names; -1 is one group a channel."""
    inner = as_object(as_object(block.get("quant_config")).get("weight_quant_params"))
    bits = next((n for key in ("bits", "w_bit", "nbits") if (n := positive(block.get(key) or inner.get(key)))), None)
    group = next(
        (block.get(key) or inner.get(key) for key in ("group_size", "q_group_size") if block.get(key) or inner.get(key)), None
    )
    kind = word(block.get("data_type")) or "int"
    return _grouped(f"int{bits}", group) if bits and kind == "int" else None


def _fp8(block: Block) -> str:
    """`store_dtype` names what the weights are kept in when it is not fp8 (MiMo-V2)."""
    return word(block.get("store_dtype")) or _blocked(as_list(block.get("weight_block_size")))


def _bitsandbytes(block: Block) -> str | None:
    if block.get("load_in_4bit") is True:
        return word(block.get("bnb_4bit_quant_type"))
    return "int8" if block.get("load_in_8bit") is True else None


def _torchao(block: Block) -> str | None:
    raw = block.get("quant_type")
    default = as_object(as_object(raw).get("default"))
    name = word(raw) or word(default.get("_type")) or ""
    found = next((short for start, short in _TORCHAO if name.lower().startswith(start)), None)
    return _grouped(found, as_object(default.get("_data")).get("group_size")) if found else None


def _quark(block: Block) -> str | None:
    weight = as_object(as_object(block.get("global_quant_config")).get("weight"))
    kind, scheme = word(weight.get("dtype")) or "", word(weight.get("qscheme"))
    if kind.startswith("fp8"):
        return "fp8-channel" if scheme == "per_channel" else "fp8"
    if kind == "fp4":
        return "mxfp4" if positive(weight.get("group_size")) == 32 else None
    return _grouped(kind, weight.get("group_size")) if kind in ("int4", "int8", "uint4") else None


_METHODS: dict[str, Callable[[Block], str | None]] = {
    "auto-round": _integers,
    "awq": _integers,
    "bitsandbytes": _bitsandbytes,
    "fp8": _fp8,
    "gptq": _integers,
    "hqq": _integers,
    "mxfp4": lambda _: "mxfp4",
    "quark": _quark,
    "torchao": _torchao,
}
