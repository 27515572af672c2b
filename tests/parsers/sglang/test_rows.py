"""Every row of the tables matches its own example, and hints are what the byte scan needs."""

from __future__ import annotations

import pytest

from kvaudit.parsers.sglang import rows
from kvaudit.parsers.tables import Match, Row, Table

ALL_ROWS = (*rows.FACT_ROWS, *rows.NOTICE_ROWS, *rows.LIFECYCLE_ROWS)


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = next(Table((row,)).matches(row.example), None)
    assert isinstance(found, Match)
    fed = {group for group, _, _ in row.feeds}
    assert bool(found.values) == bool(fed & found.groups.keys())


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_hints_survive_wrappers(row: Row) -> None:
    assert row.hint.isascii()
    assert not set(b"'\"\\\r\n\x1b") & set(row.hint)


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [
        (
            "max_total_num_tokens=4096, max_prefill_tokens=16384, max_running_requests=100, context_len=8192",
            "kv_cache.tokens",
            4096,
        ),
        ("Load weight end. type=LlamaForCausalLM, dtype=torch.float16, avail mem=9.00 GB", "model.dtype", "torch.float16"),
        (
            "Load weight end. elapsed=2.00 s, type=Glm4MoeForCausalLM, quant=modelopt_fp4, bits=4, quant_algo=NVFP4, "
            "avail mem=9.00 GB, mem usage=3.00 GB.",
            "model.quantization",
            "modelopt_fp4",
        ),
        ("Attention backend not set. Use triton backend by default.", "attention.backend", "triton"),
        ("Attention backend not explicitly specified. Use fa3 backend by default.", "attention.backend", "fa3"),
        (
            "Attention backend not specified. Falling back to 'flashinfer' for deterministic inference. ",
            "attention.backend",
            "flashinfer",
        ),
        (
            "Tree cache initialized: source=default impl=SWAChunkCache hybrid_swa=True hybrid_ssm=False hicache_attached=False",
            "kv_cache.prefix_caching",
            False,
        ),
        (
            "Tree cache initialized: source=default impl=HiRadixCache hybrid_swa=False hybrid_ssm=False hicache_attached=True",
            "kv_cache.prefix_caching",
            True,
        ),
        ("Disabling Radix Cache for Qwen3NextForCausalLM as it is not yet supported.", "kv_cache.prefix_caching", False),
        ("Automatically disable radix cache for qwen-vl series.", "kv_cache.prefix_caching", False),
        (
            "Allocating page_first hierarchical KV host pool: 400000 tokens, 48.00 GB host memory.",
            "kv_cache.offload",
            "HiCache",
        ),
        ("Setting KV cache dtype to fp8.", "clue.kv_dtype_notice", "fp8"),
    ],
)
def test_wordings_of_other_releases(message: str, field: str, value: object) -> None:
    found = [match.values[field] for match in rows.FACTS.matches(message) if isinstance(match, Match) and field in match.values]
    assert found[:1] == [value]


@pytest.mark.parametrize(
    "message",
    [
        "max_total_num_tokens: arg=60000 vs profiled=16725761, using min",
        "max_total_tokens=500000 is larger than the profiled value 400000. Use the profiled value instead.",
        "Mamba Cache is allocated. max_mamba_cache_size: 200, conv_state size: 0.10GB, ssm_state size: 5.39GB ",
        "KV Cache skipped (no-op pool). Logical #tokens: 4096, physical K/V size: ~1.0 KB placeholder",
    ],
)
def test_lines_that_only_look_like_a_capacity(message: str) -> None:
    fed = {name for match in rows.FACTS.matches(message) if isinstance(match, Match) for name in match.values}
    assert "kv_cache.tokens" not in fed
