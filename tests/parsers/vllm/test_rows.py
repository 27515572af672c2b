"""Every row of the tables matches its own example, and hints are what the byte scan needs."""

from __future__ import annotations

import pytest

from kvaudit.parsers.tables import Match, Row, Table
from kvaudit.parsers.vllm import rows

ALL_ROWS = (*rows.FACT_ROWS, *rows.NOTICE_ROWS, *rows.LIFECYCLE_ROWS)


def first_match(row: Row, message: str) -> Match | Row | None:
    return next(Table((row,)).matches(message), None)


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = first_match(row, row.example)
    assert isinstance(found, Match)
    assert bool(found.values) == bool(row.feeds)


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_hints_survive_wrappers(row: Row) -> None:
    assert row.hint.isascii()
    assert not set(b"'\"\\\r\n\x1b") & set(row.hint)


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [
        ("GPU KV cache size: 1,048,576 tokens", "kv_cache.tokens", 1_048_576),
        (
            "GPU + host KV cache size: 2,048 tokens, Maximum concurrency for 512 tokens per request: 4.00x",
            "kv_cache.tokens",
            2_048,
        ),
        ("Available KV cache memory: -2.14 GiB", "kv_cache.memory_gib", -2.14),
        ("Graph capturing finished in 3 secs, took -1.22 GiB", "graphs.memory_gib", -1.22),
        ("Model loading took 62.3 GiB memory and 9.000000 seconds", "model.weights_gib", 62.3),
        ("Using Flash Attention backend on V1 engine.", "attention.backend", "FLASH_ATTN"),
        (
            "Using FlashInfer backend with HND KV cache layout on V1 engine by default for Blackwell (SM 10.0) GPUs.",
            "attention.backend",
            "FLASHINFER",
        ),
        ("Using Pallas V1 backend.", "attention.backend", "PALLAS"),
        ("Using Triton Attention backend.", "attention.backend", "TRITON_ATTN"),
        ("Using Triton backend.", "attention.backend", "TRITON_ATTN"),
        ("Using Aiter Unified Attention backend.", "attention.backend", "ROCM_AITER_UNIFIED_ATTN"),
        ("Using AITER TRITON MLA backend.", "attention.backend", "ROCM_AITER_TRITON_MLA"),
        ("Platform plugin ascend is activated", "engine.platform", "npu"),
        ("Platform plugin neuron is activated", "engine.platform", "neuron"),
        ("Using ROCM_AITER_FA backend (selected via --attention-backend).", "attention.backend", "ROCM_AITER_FA"),
        ("Using 'AITER_MXFP4_MXFP4' Mxfp4 MoE backend.", "moe.backend", "AITER_MXFP4_MXFP4"),
        (
            "Using FlashInfer CUTLASS Unquantized MoE backend out of potential backends: ['TRITON'].",
            "moe.backend",
            "FlashInfer CUTLASS",
        ),
        ("Using flashinfer-cutlass for NVFP4 GEMM", "linear.backend", "flashinfer-cutlass"),
        ("# GPU blocks: 507, # CPU blocks: 1024", "kv_cache.blocks", 507),
        (
            "Free memory on device (5.92/79.19 GiB) on startup is less than desired GPU memory utilization (0.9, 71.27 GiB).",
            "memory.free_at_start_gib",
            5.92,
        ),
    ],
)
def test_older_and_odder_wordings(message: str, field: str, value: object) -> None:
    found = [match.values[field] for match in rows.FACTS.matches(message) if isinstance(match, Match) and field in match.values]
    assert value in found


@pytest.mark.parametrize(
    "message",
    [
        "Using backend AttentionBackendEnum.FLASH_ATTN for vit attention",
        "Using AttentionBackendEnum.FLASH_ATTN for MMEncoderAttention.",
        "Using AITER Flash Attention backend for ViT model.",
        "Using ['PYNCCL'] all-reduce backends (in dispatch order) for group 'tp:0' out of potential backends: ['PYNCCL'].",
        "Using FLASH_ATTN MLA prefill backend.",
        "Using FlashInfer FA2 backend for NVFP4 KV cache on SM12x with vLLM V-scale-factor deswizzle enabled.",
        "Using AITER_MXFP4_MXFP4 backend for OCP_MX_Scheme.w_mxfp4_a_mxfp4",
        "Auto-selected flashinfer allreduce backend: trtllm",
        "Using HND KV cache layout for FLASHINFER_MLA backend.",
        "Found incompatible backend(s) [X] with AttentionType.ENCODER. Overriding with Y out of potential backends: ['Y'].",
    ],
)
def test_what_is_not_the_decoders_attention_backend(message: str) -> None:
    for match in rows.FACTS.matches(message):
        assert not (isinstance(match, Match) and "attention.backend" in match.values)


def test_a_drafters_architecture_is_not_the_models() -> None:
    for name in ("DFlashDraftModel", "Qwen3_5MoeMTP", "LlamaForCausalLMEagle3"):
        assert not any(
            "model.architecture" in match.values
            for match in rows.FACTS.matches(f"Resolved architecture: {name}")
            if isinstance(match, Match)
        )
