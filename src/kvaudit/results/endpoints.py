"""Endpoints by the names that clients give them.

Room: `results`. A table and its look-up; no run is read here.
"""

from __future__ import annotations

_ENDPOINTS = {
    "completions": frozenset({"openai", "openai-comp", "vllm", "sglang-oai", "lmdeploy", "scalellm"}),
    "chat completions": frozenset({"openai-chat", "vllm-chat", "sglang-oai-chat", "lmdeploy-chat"}),
}
"""Backends of vLLM's and SGLang's clients that speak to `/v1/completions` and to `/v1/chat/completions`."""


def endpoint_kind(name: str) -> str:
    """What a client's backend is spoken to like: several backends are one kind of endpoint under the names of engines."""
    plain = name.strip().lower()
    return next((kind for kind, names in _ENDPOINTS.items() if plain in names), plain)
