"""The statements that a quantization block makes: method, weight format, KV scheme, its details and the clue for inference.

Room: checkpoint parsers, shared by config.json and the files that hold nothing but a block.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.checkpoint.kv_scheme import Scheme, scheme_of
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.quantization import Block
from kvaudit.parsers.checkpoint.statements import Statements
from kvaudit.parsers.checkpoint.values import short, word
from kvaudit.parsers.checkpoint.weight_format import weight_format

_NO_BLOCK = "no quantization block in this file"


def state_block(statements: Statements, block: Block, file_kind: str, expert_dtype: str | None = None) -> None:
    """State everything a block says. `file_kind` is the usual name of a file of this kind."""
    scheme = scheme_of(block)
    statements.add("model.quantization", _stated_method(block), block.method_pointer)
    statements.add("model.weight_format", weight_format(block, expert_dtype), _format_pointer(block))
    _state_scheme(statements, block, scheme)
    detail = {"file": file_kind, "method": block.method, "producer": block.producer, **scheme.details}
    shown = {name: value for name, value in detail.items() if value not in (None, "")}
    statements.add("kv_cache.scheme_detail", shown, _scheme_pointer(block, scheme))
    statements.add("clue.checkpoint_quantization", _clue(block, scheme, file_kind), _scheme_pointer(block, scheme))


def state_every_block(statements: Statements, blocks: list[Block], file_kind: str) -> None:
    """State what each block of a file is, so that none stays unseen: engines read different ones."""
    for block in blocks:
        scheme = scheme_of(block)
        described = _clue(block, scheme, file_kind) | {"weights": weight_format(block), "pointer": pointer_of(*block.path)}
        pointers = [pointer_of(*block.path), *([_scheme_pointer(block, scheme)] if scheme.key else [])]
        statements.add("clue.quantization_block", described, *pointers)


def state_no_block(statements: Statements, file_kind: str) -> None:
    """State that a config.json has no block: weights and KV are not quantized, as far as this file goes."""
    statements.add("model.quantization", "none", "", how=_NO_BLOCK)
    statements.add("kv_cache.scheme", "none", "", how=_NO_BLOCK)
    statements.add("clue.checkpoint_quantization", {"file": file_kind, "method": "", "has_block": False, "kv": "none"}, "")


def _stated_method(block: Block) -> str | None:
    """A ModelOpt block without an algorithm quantizes KV alone: it does not say that the weights are quantized."""
    weights = ("quant_algo", "config_groups", "quantized_layers", "weight_block_size")
    if block.method == "modelopt" and not any(block.get(key) for key in weights):
        return None
    return block.method or None


def _state_scheme(statements: Statements, block: Block, scheme: Scheme) -> None:
    how = None if scheme.key else "no key for the KV cache in the quantization block"
    statements.add("kv_cache.scheme", scheme.value, _scheme_pointer(block, scheme), how=how)
    for value, key in scheme.disagrees:
        statements.add("kv_cache.scheme", value or None, block.pointer(key))


def _scheme_pointer(block: Block, scheme: Scheme) -> str:
    if scheme.key == "export":
        return f"{block.pointer('export')}/kv_cache_group"
    return block.pointer(scheme.key) if scheme.key else pointer_of(*block.path)


def _format_pointer(block: Block) -> str:
    named = ("quant_algo", "format", "weight_block_size", "config_groups", "bits", "w_bit", "quant_type", "global_quant_config")
    return next((block.pointer(key) for key in named if block.get(key) is not None), block.method_pointer)


def _clue(block: Block, scheme: Scheme, file_kind: str) -> dict[str, Any]:
    return {
        "file": file_kind,
        "method": block.method,
        "method_from": block.method_from,
        "quant_algo": block.algorithm,
        "producer": block.producer,
        "producer_version": block.producer_version,
        "has_block": True,
        "kv": scheme.value,
        "kv_key": scheme.key,
        "kv_raw": None if scheme.raw is None else short(scheme.raw),
        "kv_dynamic": scheme.detail("dynamic"),
        "kv_strategy": scheme.detail("strategy"),
        "kv_symmetric": scheme.detail("symmetric"),
        "kv_num_bits": scheme.detail("num_bits"),
        "kv_type": scheme.detail("type"),
        "nested": block.nested,
        "nested_in": block.path[0] if block.nested else None,
        "format": word(block.get("format")),
        "quantized_layers": bool(block.get("quantized_layers")),
    }
