"""Which of several allocations serves: the dry run, draft models, ranks with and without a number, both backends."""

from __future__ import annotations

import pytest

from tests.parsers.engine_logs import codes, facts_of, values
from tests.parsers.tensorrt_llm.logs import (
    BACKEND,
    BANNER,
    LOADED,
    READY,
    budget,
    native,
    only_start,
    pool,
    python,
    served,
    sizes,
)


def test_the_last_allocation_is_the_capacity() -> None:
    start = only_start(*served())
    assert values(start, "kv_cache.tokens") == [327_680]
    assert values(start, "kv_cache.memory_gib") == [40.0]
    assert values(start, "kv_cache.blocks") == [10_240]
    assert values(start, "kv_cache.block_size") == [32]
    assert values(start, "kv_cache.bytes_per_token") == [131_072]
    assert values(start, "memory.static_fraction") == [0.9]
    assert values(start, "memory.total_gib") == [79.18]
    (tokens,) = facts_of(start, "kv_cache.tokens")
    assert (tokens.stage, tokens.origins[0].line) == ("observed", 14)


@pytest.mark.parametrize("end", [9, 10, 11])
def test_a_log_that_ends_before_the_second_allocation_has_no_capacity(end: int) -> None:
    start = only_start(*served()[:end])
    assert values(start, "kv_cache.tokens") == []
    assert values(start, "kv_cache.memory_gib") == []
    assert values(start, "kv_cache.blocks") == []


def test_the_dry_run_tells_what_holds_for_every_pool() -> None:
    start = only_start(*served()[:10])
    assert values(start, "kv_cache.block_size") == [32]
    assert values(start, "scheduler.max_num_seqs") == [256]
    assert values(start, "scheduler.max_num_batched_tokens") == [8_192]
    assert values(start, "model.max_len") == [65_537]


def test_one_allocation_of_a_ready_server_counts_without_a_dry_run() -> None:
    start = only_start(BANNER, BACKEND, LOADED, *pool(327_680, 40.0), READY)
    assert values(start, "kv_cache.tokens") == [327_680]


def test_two_allocations_without_the_lines_of_python_are_dry_run_and_pool() -> None:
    start = only_start(BANNER, LOADED, *pool(8_224, 1.0), *pool(327_680, 40.0))
    assert values(start, "kv_cache.tokens") == [327_680]


def test_an_engine_of_the_tensorrt_backend_allocates_once() -> None:
    start = only_start(
        native("Engine version 0.12.0 found in the config file, assuming engine(s) built by new builder API."),
        native("TRTGptModel maxBatchSize: 64"),
        native("TRTGptModel maxNumTokens: 8192"),
        native("TRTGptModel maxSequenceLen: 4098"),
        native("Memory usage when calculating max tokens in paged kv cache: total: 79.10 GiB, available: 63.62 GiB"),
        native("Number of blocks in KV cache primary pool: 4096"),
        native("Number of blocks in KV cache secondary pool: 0, onboard blocks to primary memory before reuse: true"),
        native("Max KV cache pages per sequence: 65"),
        native("Number of tokens per block: 64."),
        native("[MemUsageChange] Allocated 32.00 GiB for max tokens in paged KV cache (262144)."),
    )
    assert values(start, "engine.core") == ["tensorrt"]
    assert values(start, "kv_cache.tokens") == [262_144]
    assert values(start, "kv_cache.blocks") == [4_096]
    assert values(start, "memory.total_gib") == [79.1]
    assert values(start, "scheduler.max_num_seqs") == [64]
    assert values(start, "model.max_len") == [4_098]
    assert values(start, "kv_cache.offload") == []


def test_the_oldest_wordings() -> None:
    start = only_start(
        native("Allocate 4294967296 bytes for k/v cache. "),
        native("Using 32768 total tokens in paged KV cache, and 16 blocks per sequence"),
    )
    assert values(start, "kv_cache.memory_gib") == [4.0]
    assert values(start, "kv_cache.tokens") == [32_768]


def test_a_secondary_pool_is_a_host_tier() -> None:
    start = only_start(
        native("Number of blocks in KV cache primary pool: 4096"),
        native("Number of blocks in KV cache secondary pool: 1024, onboard blocks to primary memory before reuse: true"),
    )
    assert values(start, "kv_cache.offload") == ["host_cache"]
    assert values(start, "kv_cache.tokens") == []


def test_two_ranks_without_a_number_say_it_twice() -> None:
    shape, size, allocated = pool(327_680, 40.0)
    start = only_start(
        BANNER,
        BACKEND,
        BANNER,
        BANNER,
        LOADED,
        *pool(8_224, 1.0),
        budget(40.0, 131_072),
        shape,
        shape,
        size,
        allocated,
        size,
        allocated,
    )
    assert values(start, "kv_cache.tokens") == [327_680]
    assert values(start, "kv_cache.blocks") == [10_240]
    assert values(start, "parallel.tensor") == []


def test_ranks_with_a_number_keep_their_own_pools() -> None:
    lines = [line.replace("[TensorRT-LLM][INFO]", "[TRT-LLM] [I] [batchmgr][RANK 0]") for line in pool(327_680, 40.0)]
    other = [line.replace("[TensorRT-LLM][INFO]", "[TRT-LLM] [I] [batchmgr][RANK 1]") for line in pool(294_912, 36.0)]
    start = only_start(BANNER, BACKEND, LOADED, budget(40.0, 131_072, rank=0), *lines, budget(36.0, 131_072, rank=1), *other)
    found = {fact.scope: fact.value for fact in facts_of(start, "kv_cache.tokens")}
    assert found == {"rank 0": 327_680, "rank 1": 294_912}


def test_a_draft_models_pool_behind_the_models_is_not_the_capacity() -> None:
    start = only_start(BANNER, BACKEND, LOADED, budget(40.0, 131_072), *pool(262_144, 32.0), *pool(65_536, 1.0), READY)
    assert values(start, "kv_cache.tokens") == [262_144]
    assert values(start, "kv_cache.memory_gib") == [32.0]


def test_windows_of_several_sizes_have_no_one_number_of_blocks() -> None:
    shape = "Max KV cache blocks per sequence: 4 [window size={}], tokens per block=32, primary blocks={}, secondary blocks=0"
    start = only_start(
        native(shape.format(128, 64)),
        native(shape.format(65537, 1024)),
        native("Number of tokens per block: 32."),
        native("[MemUsageChange] Allocated 4.00 GiB for max tokens in paged KV cache (32768)."),
    )
    assert values(start, "kv_cache.tokens") == [32_768]
    assert values(start, "kv_cache.blocks") == []


def test_the_fake_pool_of_autodeploy_has_no_memory() -> None:
    deploy = "[03/14/2026-09:26:53] [TRT-LLM AUTO-DEPLOY] [RANK 0] [I] "
    start = only_start(
        BANNER,
        python("Using LLM with AutoDeploy backend"),
        f"{deploy}Initializing for: lib='OMPI', local_rank=0, world_size=1, port=47803",
        f"{deploy}[SequenceInfo:] self.max_seq_len=16384, self.max_batch_size=64, self.page_size=64, self.max_num_tokens=8192",
        f"{deploy}Using fake cache manager with head_dim=0 and num pages: 2048",
        native("Number of tokens per block: 64."),
        native("[MemUsageChange] Allocated 0.00 GiB for max tokens in paged KV cache (131072)."),
    )
    assert values(start, "kv_cache.tokens") == [131_072]
    assert values(start, "kv_cache.memory_gib") == []
    assert values(start, "model.max_len") == [16_384]
    assert values(start, "parallel.tensor") == [1]


def test_the_quota_of_the_second_manager_is_the_last_one() -> None:
    start = only_start(
        BANNER,
        BACKEND,
        python("KV cache manager v2 device quota set to 4.5GiB"),
        budget(40.0, 131_072),
        python("KV cache manager v2 device quota set to 40.0GiB"),
        READY,
    )
    assert values(start, "kv_cache.memory_gib") == [40.0]
    assert values(start, "kv_cache.tokens") == []


def test_bytes_per_token_with_a_fixed_share_are_not_the_whole_cost() -> None:
    line = budget(40.0, 131_072).replace("kv size is 131072.", "kv size per token is 24576 bytes/token + 4096 bytes fixed cost.")
    start = only_start(BANNER, BACKEND, line)
    assert values(start, "kv_cache.bytes_per_token") == []
    assert values(start, "memory.static_fraction") == [0.9]


def test_a_pool_that_shortens_the_context() -> None:
    start = only_start(
        BANNER,
        BACKEND,
        LOADED,
        python("max_seq_len is not specified, using inferred value 131072"),
        *pool(73_728, 9.0, window=73728, length=73728),
        python("Adjusted max_seq_len to 73728", "W"),
        sizes(73_728),
        budget(8.0, 131_072),
        python("Adjusted max_seq_len to 65536", "W"),
        *pool(65_536, 8.0, window=65536, length=65536),
        sizes(65_536),
        READY,
    )
    assert values(start, "model.max_len", "observed") == [65_536]
    assert codes(start) == ["context-auto-fit"]
    (notice,) = facts_of(start, "engine.notices")
    assert notice.value[0]["text"] == "Adjusted max_seq_len to 65536"


def test_what_only_the_dry_run_shortened_is_no_shortening() -> None:
    dry = [*pool(8_224, 1.0, window=8224, length=8224), python("Adjusted max_seq_len to 8224", "W"), sizes(8_224)]
    start = only_start(BANNER, BACKEND, LOADED, *dry, budget(40.0, 131_072), *pool(327_680, 40.0), sizes(), READY)
    assert values(start, "model.max_len", "observed") == [65_537]
    assert codes(start) == []


def test_the_dry_runs_length_is_not_believed_where_it_was_shortened() -> None:
    dry = [*pool(8_224, 1.0, window=8224, length=8224), python("Adjusted max_seq_len to 8224", "W"), sizes(8_224)]
    start = only_start(BANNER, BACKEND, LOADED, *dry)
    assert values(start, "model.max_len") == []
    assert codes(start) == []


def test_the_native_words_for_a_shortened_context() -> None:
    start = only_start(
        native(
            "maxAttentionWindow and maxSequenceLen are too large for at least one sequence to fit in kvCache. "
            "they are reduced to 5185",
            "WARNING",
        ),
        native("Number of tokens per block: 64."),
        native("[MemUsageChange] Allocated 1.28 GiB for max tokens in paged KV cache (5248)."),
    )
    assert values(start, "model.max_len") == [5_185]
    assert codes(start) == ["context-auto-fit"]
