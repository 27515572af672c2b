"""Which module votes on the KV element type of which engine; only the arm's own is loaded.

Room: `record.kv_dtype`.
"""

from __future__ import annotations

from importlib import import_module

from kvaudit.record.kv_dtype.ladder import Vote
from kvaudit.record.table import FactTable

ENGINES_WITH_VOTES = {
    "vllm": "vllm",
    "sglang": "sglang",
    "tensorrt_llm": "tensorrt_llm",
    "lmdeploy": "lmdeploy",
    "tgi": "tgi",
    "llama_cpp": "llama_cpp",
    "ollama": "llama_cpp",
}
"""Engine to the module beside this one that has its `votes`."""


def votes_of(engine: str, table: FactTable) -> list[Vote]:
    """The votes of the engine's own evidence."""
    module = import_module(f"kvaudit.record.kv_dtype.{ENGINES_WITH_VOTES[engine]}")
    return list(module.votes(table))
