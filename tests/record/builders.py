"""Facts, clues and tables by hand for the tests of the record."""

from __future__ import annotations

from typing import Any

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.table import FactTable


def said(
    name: str,
    value: Any,
    stage: Stage = "resolved",
    *,
    scope: str | None = None,
    how: str | None = None,
    file: str = "server.log",
    line: int = 12,
) -> Fact:
    """One value with one origin."""
    origin = Origin(file=file, line=line, excerpt=f"{name}={value}", reader="test")
    return fact(name, value, stage, [origin], scope=scope, how=how)


def table(held: dict[str, Any], *more: Fact) -> FactTable:
    """A table of resolved facts, or of clues; a value that is a list of facts is taken as it is."""
    facts: list[Fact] = []
    for name, value in held.items():
        taken = isinstance(value, list) and value and all(isinstance(one, Fact) for one in value)
        facts += value if taken else [said(name, value)]
    return FactTable([*facts, *more])


PLAIN_CONFIG = {"architecture": "LlamaForCausalLM", "attention": "plain", "layers": 32, "kv_heads": 8, "head_dim": 128}
"""2 × 32 × 8 × 128 = 65,536 elements per token on one rank."""


def statement(**changes: Any) -> dict[str, Any]:
    """A checkpoint's KV statement: compressed-tensors with an FP8 scheme, unless changed."""
    held = {"file": "config.json", "method": "compressed-tensors", "has_block": True, "kv": "fp8", "mla": False, "nested": False}
    scheme = {"quant_algo": None, "producer": "", "kv_num_bits": 8, "kv_type": "float", "kv_dynamic": False}
    return {**held, **scheme, **changes}
