"""Parser of GGUF headers: what a file for llama.cpp states about its model. GGUF states nothing about the KV cache."""

from __future__ import annotations

from kvaudit.parsers.gguf.parser import GgufHeader

__all__ = ["GgufHeader"]
