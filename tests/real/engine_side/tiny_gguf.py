"""Runs in the engine's environment: writes a Llama of a few million random weights as GGUF. `tiny_gguf.py OUT`.

3 layers, 2 KV heads of 32, context of 8192: 2 × 3 × 64 = 384 elements a token, so 768 bytes in 16 bits.
"""

from __future__ import annotations

import sys
from typing import Any

LAYERS, WIDTH, HEADS, KV_HEADS, HEAD_DIM, INNER, CONTEXT = 3, 192, 6, 2, 32, 384, 8192


def main(out: str) -> None:
    import gguf  # type: ignore[import-not-found,unused-ignore]
    import numpy  # type: ignore[import-not-found,unused-ignore]

    writer = gguf.GGUFWriter(out, "llama")
    vocabulary = describe(writer)
    random = numpy.random.default_rng(7)

    def weights(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", (random.standard_normal(shape) * 0.04).astype(numpy.float16))

    def norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", numpy.ones(WIDTH, dtype=numpy.float32))

    weights("token_embd", vocabulary, WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        norm(f"{block}.attn_norm")
        norm(f"{block}.ffn_norm")
        weights(f"{block}.attn_q", HEADS * HEAD_DIM, WIDTH)
        weights(f"{block}.attn_k", KV_HEADS * HEAD_DIM, WIDTH)
        weights(f"{block}.attn_v", KV_HEADS * HEAD_DIM, WIDTH)
        weights(f"{block}.attn_output", WIDTH, HEADS * HEAD_DIM)
        weights(f"{block}.ffn_gate", INNER, WIDTH)
        weights(f"{block}.ffn_up", INNER, WIDTH)
        weights(f"{block}.ffn_down", WIDTH, INNER)
    norm("output_norm")
    weights("output", vocabulary, WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(writer: Any) -> int:
    """The key-value pairs and a vocabulary of bytes. The number of tokens comes back."""
    writer.add_name("wren tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_DIM)
    writer.add_value_length(HEAD_DIM)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(1)
    control, plain, byte, unused = 3, 1, 6, 5
    tokens = [("<unk>", 2), ("<s>", control), ("</s>", control)]
    tokens += [(f"<0x{code:02X}>", byte) for code in range(256)]
    tokens += [("▁", plain), *((letter, plain) for letter in "abcdefghijklmnopqrstuvwxyz")]
    tokens += [(f"<unused{number}>", unused) for number in range(-len(tokens) % 32)]
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([text.encode() for text, _ in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    return len(tokens)


if __name__ == "__main__":
    main(sys.argv[1])
