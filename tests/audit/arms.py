"""Records and pairs from plain field values, for the tests of the audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kvaudit.audit.context import ArmContext, PairContext
from kvaudit.audit.differences import classify, expand_vary
from kvaudit.audit.report import Difference
from kvaudit.audit.results_gate import add_gate
from kvaudit.audit.rule_examples import record_of
from kvaudit.record.model import Record, SourceEntry

Fields = Mapping[str, Any]


def record(fields: Fields, *kinds: str) -> Record:
    """A record that holds these values (None means proven absent), with sources of these kinds, or of every kind."""
    held = record_of(fields, "a test")
    if kinds:
        held.sources = [SourceEntry(path=kind, kind=kind) for kind in kinds]
    return held


def pair(a: Fields, b: Fields, *vary: str) -> PairContext:
    """Two arms with their classified differences."""
    varied = expand_vary(vary)
    arms = [ArmContext(name, record(side), varied) for name, side in (("a", a), ("b", b))]
    both = PairContext(arms[0], arms[1], classify(arms[0], arms[1], varied), varied)
    add_gate(both, None)
    return both


def differences(a: Fields, b: Fields, *vary: str) -> dict[str, Difference]:
    """The differences of two arms by field."""
    return pair(a, b, *vary).differences


GOOD: dict[str, Any] = {
    "engine.name": "vllm",
    "engine.version": "0.25.1",
    "engine.ready": True,
    "model.path": "acme/atlas-13b",
    "model.architecture": "LlamaForCausalLM",
    "model.revision": "0c6f1b2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b",
    "model.dtype": "bfloat16",
    "model.max_len": 8192,
    "model.weights_gib": 24.5,
    "parallel.tensor": 1,
    "parallel.pipeline": 1,
    "speculative.method": "none",
    "memory.utilization": 0.9,
    "kv_cache.prefix_caching": True,
    "kv_cache.dtype": "bfloat16",
    "kv_cache.memory_gib": 40.0,
    "kv_cache.tokens": 262_144,
    "kv_cache.bytes_per_token": 163_840.0,
    "kv_cache.max_concurrency": 32.0,
    "run.seed": 0,
}
"""A vLLM arm with nothing open: 40 GiB ÷ 163,840 bytes = 262,144 tokens, which are 32 requests of 8,192."""
