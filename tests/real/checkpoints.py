"""Tiny checkpoints of random weights that a real vLLM serves: plain, with a KV scheme, as ModelOpt exports FP8.

2 layers, 2 KV heads of 64: 2 × 2 × 2 × 64 = 512 elements a token, so 1 GiB of KV cache holds 1,048,576 tokens in 16 bits and
2,097,152 in 8. All of them hold the same weights, byte for byte.
"""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path
from typing import Any

from tests.model_files import Tensors, safetensors, write_json

WIDTH, LAYERS, HEADS, KV_HEADS, HEAD_DIM, INNER, LENGTH = 256, 2, 4, 2, 64, 512, 4096
ELEMENTS_PER_TOKEN = 2 * LAYERS * KV_HEADS * HEAD_DIM
_SPECIALS = ("<|pad|>", "<|bos|>", "<|eos|>")
_VOCABULARY = 320

CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": HEAD_DIM,
    "hidden_act": "silu",
    "max_position_embeddings": LENGTH,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "vocab_size": _VOCABULARY,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_KV_FP8 = {"num_bits": 8, "type": "float", "strategy": "tensor", "symmetric": True, "dynamic": False}
KV_SCHEME: dict[str, Any] = {
    "quant_method": "compressed-tensors",
    "format": "dense",
    "quantization_status": "compressed",
    "config_groups": {},
    "ignore": [],
    "kv_cache_scheme": _KV_FP8,
}
_UNTOUCHED = ["lm_head", "model.layers.*"]
MODELOPT: dict[str, Any] = {
    "producer": {"name": "modelopt", "version": "0.39.0"},
    "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": _UNTOUCHED},
}


def make_all(folder: Path) -> None:
    """`plain`, `kv-scheme` and `modelopt-fp8` below a folder."""
    weights = safetensors(_tensors())
    _make(folder / "plain", weights, CONFIG)
    _make(folder / "kv-scheme", weights, {**CONFIG, "quantization_config": KV_SCHEME})
    _make(folder / "modelopt-fp8", weights, CONFIG)
    write_json(folder / "modelopt-fp8" / "hf_quant_config.json", MODELOPT)


def _make(folder: Path, weights: bytes, config: dict[str, Any]) -> None:
    write_json(folder / "config.json", config)
    (folder / "model.safetensors").write_bytes(weights)
    write_json(folder / "tokenizer.json", _tokenizer())
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": LENGTH, "pad_token": "<|pad|>"}
    write_json(folder / "tokenizer_config.json", {**settings, "bos_token": "<|bos|>", "eos_token": "<|eos|>"})


def _tensors() -> Tensors:
    generator = random.Random(11)  # noqa: S311 - weights, not secrets
    few = [_bfloat16(generator.gauss(0.0, 0.03)) for _ in range(4096)]
    one = _bfloat16(1.0)

    def tensor(*shape: int) -> tuple[str, list[int], bytes]:
        return "BF16", list(shape), b"".join(generator.choices(few, k=math.prod(shape)))

    def norm() -> tuple[str, list[int], bytes]:
        return "BF16", [WIDTH], one * WIDTH

    found: Tensors = {"model.embed_tokens.weight": tensor(_VOCABULARY, WIDTH), "lm_head.weight": tensor(_VOCABULARY, WIDTH)}
    found["model.norm.weight"] = norm()
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        found[f"{at}.self_attn.q_proj.weight"] = tensor(HEADS * HEAD_DIM, WIDTH)
        found[f"{at}.self_attn.k_proj.weight"] = tensor(KV_HEADS * HEAD_DIM, WIDTH)
        found[f"{at}.self_attn.v_proj.weight"] = tensor(KV_HEADS * HEAD_DIM, WIDTH)
        found[f"{at}.self_attn.o_proj.weight"] = tensor(WIDTH, HEADS * HEAD_DIM)
        found[f"{at}.mlp.gate_proj.weight"] = tensor(INNER, WIDTH)
        found[f"{at}.mlp.up_proj.weight"] = tensor(INNER, WIDTH)
        found[f"{at}.mlp.down_proj.weight"] = tensor(WIDTH, INNER)
        found[f"{at}.input_layernorm.weight"] = norm()
        found[f"{at}.post_attention_layernorm.weight"] = norm()
    return found


def _bfloat16(value: float) -> bytes:
    """The upper half of a 32-bit float."""
    return struct.pack("<f", value)[2:]


def _tokenizer() -> dict[str, Any]:
    """A tokenizer of single bytes: no merges, 256 letters, three special tokens."""
    vocabulary = {token: number for number, token in enumerate((*_SPECIALS, *_byte_letters()))}
    specials = [
        {
            "id": number,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number, token in enumerate(_SPECIALS)
    ]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": specials,
        "normalizer": None,
        "pre_tokenizer": level,
        "post_processor": None,
        "decoder": level,
        "model": {**model, "vocab": vocabulary, "merges": []},
    }


def _byte_letters() -> list[str]:
    """The letter that byte-level tokenizers (GPT-2's) write for each byte: printable ones stand for themselves."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(code) if code in plain else chr(next(others)) for code in range(256)]


def main(folder: str) -> None:
    """For trying by hand: `python -m tests.real.checkpoints FOLDER`."""
    make_all(Path(folder))


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
