"""Writes small model files for tests: safetensors and GGUF, sound and hostile, and configurations of invented models."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

ONE = {"F32": struct.pack("<f", 1.0), "BF16": b"\x80\x3f", "F16": struct.pack("<e", 1.0)}
LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 512,
    "intermediate_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 1000,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
    "tie_word_embeddings": False,
}
"""2 × 4 layers × 2 KV heads × 64 = 1024 elements a token: 2048 bytes in 16 bits."""

CT_FP8: dict[str, Any] = {
    "quant_method": "compressed-tensors",
    "format": "float-quantized",
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}}},
    "ignore": ["lm_head"],
    "kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor", "dynamic": False, "symmetric": True},
}

Tensors = dict[str, tuple[str, list[int], bytes]]
"""Name to element type, shape and bytes."""


def write_json(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def decoder(layers: int, *, scale: dict[str, bytes] | None = None, dtype: str = "F32") -> Tensors:
    """The tensors of a decoder with two KV heads of 64, one element of weights each, and scales of the given suffixes."""
    found: Tensors = {"model.embed_tokens.weight": ("BF16", [1], b"\0\0"), "model.norm.weight": ("BF16", [1], b"\0\0")}
    for layer in range(layers):
        for projection in "qkv":
            found[f"model.layers.{layer}.self_attn.{projection}_proj.weight"] = ("BF16", [1], b"\0\0")
        for suffix, value in (scale or {}).items():
            found[f"model.layers.{layer}.self_attn.{suffix}"] = (dtype, [1], value)
    return found


def safetensors(tensors: Tensors) -> bytes:
    """A sound file."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    return with_header(json.dumps(header).encode()) + data


def with_header(text: bytes) -> bytes:
    """A header of any text with its right length before it."""
    return struct.pack("<Q", len(text)) + text


_CODES = {"u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"), "bool": (7, "?"), "u64": (10, "Q")}


class Gguf:
    """Builds a GGUF header pair by pair."""

    def __init__(self, order: str = "<", version: int = 3, tensors: int = 0, count: int | None = None) -> None:
        self.order, self.version, self.tensors, self.count = order, version, tensors, count
        self.pairs: list[bytes] = []

    def text(self, key: str, value: str) -> Gguf:
        return self._pair(key, 8, self._string(value))

    def number(self, key: str, value: float, kind: str = "u32") -> Gguf:
        number, code = _CODES[kind]
        return self._pair(key, number, struct.pack(self.order + code, value))

    def numbers(self, key: str, values: list[int]) -> Gguf:
        body = struct.pack(self.order + "IQ", 4, len(values)) + struct.pack(f"{self.order}{len(values)}I", *values)
        return self._pair(key, 9, body)

    def texts(self, key: str, values: list[str]) -> Gguf:
        body = struct.pack(self.order + "IQ", 8, len(values)) + b"".join(self._string(value) for value in values)
        return self._pair(key, 9, body)

    def raw(self, key: str, kind: int, body: bytes) -> Gguf:
        return self._pair(key, kind, body)

    def build(self, padding: int = 64) -> bytes:
        count = len(self.pairs) if self.count is None else self.count
        head = b"GGUF" + struct.pack(self.order + "IQQ", self.version, self.tensors, count)
        return head + b"".join(self.pairs) + b"\0" * padding

    def _pair(self, key: str, kind: int, body: bytes) -> Gguf:
        self.pairs.append(self._string(key) + struct.pack(self.order + "I", kind) + body)
        return self

    def _string(self, value: str) -> bytes:
        return struct.pack(self.order + "Q", len(value.encode())) + value.encode()


def llama_gguf(architecture: str = "llama", order: str = "<") -> Gguf:
    """A model of 4 layers, 8 heads, 2 KV heads of 64: as `LLAMA`."""
    name = architecture
    built = Gguf(order).text("general.architecture", name).text("general.name", "kestrel")
    for key, value in (("block_count", 4), ("context_length", 8192), ("embedding_length", 512), ("attention.head_count", 8)):
        built.number(f"{name}.{key}", value)
    return built.number(f"{name}.attention.head_count_kv", 2).texts("tokenizer.ggml.tokens", [f"t{i}" for i in range(300)])
