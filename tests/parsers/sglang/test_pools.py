"""Pools of targets, drafters and sliding windows; memory and capacity per rank; graphs."""

from __future__ import annotations

from tests.parsers.engine_logs import facts_of, values
from tests.parsers.sglang.logs import READY, arguments, capacity, only_start, served, stamped


def pool(tokens: int, gib: float, ranks: str = "", dtype: str = "", label: str = "") -> str:
    shown = f"dtype: torch.{dtype}, " if dtype else ""
    sizes = f"K size: {gib / 2:.2f} GB, V size: {gib / 2:.2f} GB"
    return stamped(f"{label}KV Cache is allocated. {shown}#tokens: {tokens}, {sizes}", ranks)


def end(ranks: str = "") -> str:
    return stamped("Memory pool end. avail mem=9.00 GB", ranks)


def test_memory_is_keys_and_values_of_one_pool_and_capacity_the_printed_line() -> None:
    start = only_start(*served())
    assert values(start, "kv_cache.memory_gib") == [16.0]
    assert values(start, "kv_cache.tokens") == [131_072]
    assert values(start, "clue.kv_dtype_worker") == ["torch.bfloat16"]
    assert values(start, "model.max_len", "observed") == [32_768]
    assert values(start, "scheduler.max_num_seqs", "observed") == [2048]


def test_one_latent_pool_prints_one_size() -> None:
    start = only_start(stamped("KV Cache is allocated. #tokens: 60000, KV size: 3.86 GB, layout=(60001, 1, 576), page_size=64"))
    assert values(start, "kv_cache.memory_gib") == [3.86]
    assert values(start, "kv_cache.tokens") == [60_000]
    assert values(start, "kv_cache.block_size") == [64]


def test_every_rank_keeps_its_own_facts() -> None:
    lines = [
        stamped("Load weight begin. avail mem=70.00 GB", "TP0"),
        stamped("Load weight begin. avail mem=68.50 GB", "TP1"),
        pool(50_000, 10.0, "TP0"),
        pool(50_000, 10.0, "TP1"),
        capacity(50_000, "TP0"),
    ]
    start = only_start(arguments(tp_size=2), *lines)
    assert [(fact.scope, fact.value) for fact in facts_of(start, "kv_cache.memory_gib")] == [("TP0", 10.0), ("TP1", 10.0)]
    assert [(fact.scope, fact.value) for fact in facts_of(start, "memory.free_at_start_gib")] == [("TP0", 70.0), ("TP1", 68.5)]
    assert [(fact.scope, fact.value) for fact in facts_of(start, "kv_cache.tokens")] == [("TP0", 50_000)]


def test_a_drafters_pool_and_weights_are_not_the_targets() -> None:
    lines = [
        stamped("Load weight begin. avail mem=78.00 GB"),
        stamped("Load weight end. elapsed=9.00 s, type=LlamaForCausalLM, avail mem=48.00 GB, mem usage=30.00 GB."),
        pool(100_000, 20.0, dtype="float8_e4m3fn"),
        end(),
        stamped("Load weight begin. avail mem=28.00 GB"),
        stamped("Load weight end. elapsed=1.00 s, type=LlamaForCausalLMEagle, avail mem=27.00 GB, mem usage=1.00 GB."),
        pool(100_000, 1.0, dtype="bfloat16"),
        end(),
    ]
    start = only_start(arguments(speculative_algorithm="EAGLE"), *lines)
    assert values(start, "kv_cache.memory_gib") == [20.0]
    assert values(start, "model.weights_gib") == [30.0]
    assert values(start, "memory.free_at_start_gib") == [78.0]
    assert values(start, "model.architecture") == ["LlamaForCausalLM"]
    assert values(start, "clue.kv_dtype_worker") == ["torch.float8_e4m3fn"]


def test_a_drafter_whose_pool_follows_without_an_end_line_is_told_by_its_tokens() -> None:
    start = only_start(pool(100_000, 20.0), pool(100_000, 1.0))
    assert values(start, "kv_cache.memory_gib") == [20.0]


def test_both_pools_of_a_sliding_window_are_memory_and_the_full_one_is_capacity() -> None:
    lines = [
        stamped("Use sliding window memory pool. full_layer_tokens=50000, swa_layer_tokens=40000"),
        pool(40_000, 12.0, dtype="bfloat16"),
        pool(50_000, 5.0, dtype="bfloat16"),
    ]
    parts = only_start(arguments(), *lines)
    assert values(parts, "kv_cache.memory_gib") == [17.0]
    assert values(parts, "kv_cache.tokens") == [50_000]
    total = stamped("SWAKVPool mem usage: 17.01 GB, swa size: 40000, full size: 50000")
    whole = only_start(arguments(), *lines, total, end(), pool(50_000, 1.0))
    assert values(whole, "kv_cache.memory_gib") == [17.01]
    assert values(whole, "kv_cache.tokens") == [50_000]


def test_a_pool_beside_the_full_one_is_told() -> None:
    state = stamped("Mamba Cache is allocated. max_mamba_cache_size: 48, conv_state size: 0.10GB, ssm_state size: 3.52GB")
    window = stamped("Use sliding window memory pool. full_layer_tokens=50000, swa_layer_tokens=40000")
    for lines in ([state, pool(50_000, 5.0)], [window, pool(50_000, 5.0)], [pool(40_000, 12.0, label="SWA ")]):
        assert len(values(only_start(arguments(), *lines), "clue.windowed_pool")) == 1
    assert values(only_start(arguments(), state, pool(50_000, 5.0)), "kv_cache.memory_gib") == [5.0]
    assert values(only_start(*served()), "clue.windowed_pool") == []


def test_labelled_pools_and_index_caches() -> None:
    lines = [pool(40_000, 12.0, label="SWA "), pool(50_000, 5.0, label="Full "), pool(50_000, 2.0, label="Acme index ")]
    assert values(only_start(arguments(), *lines), "kv_cache.memory_gib") == [17.0]


def test_reserved_address_space_is_no_memory() -> None:
    bound = stamped("KV Cache VA upper bound. dtype: torch.bfloat16, #tokens: 900000, K size: 60.00 GB, V size: 60.00 GB")
    start = only_start(arguments(), bound)
    assert values(start, "kv_cache.memory_gib") == []
    assert values(start, "kv_cache.tokens") == []
    assert values(start, "clue.kv_dtype_worker") == ["torch.bfloat16"]
    sized = stamped(
        "Post-capture KV sizing: KV cache allocated. dtype: torch.bfloat16, #tokens: 200000, KV size: 26.70 GB, avail mem=3.00 GB"
    )
    start = only_start(arguments(), bound, end(), sized)
    assert values(start, "kv_cache.memory_gib") == [26.7]
    assert values(start, "kv_cache.tokens") == [200_000]


def test_a_capacity_line_beats_the_pools_own_size() -> None:
    start = only_start(pool(131_200, 16.0), capacity(131_072))
    assert values(start, "kv_cache.tokens") == [131_072]


def test_chunking_off_leaves_the_prefill_budget() -> None:
    start = only_start(capacity(chunk=-1))
    assert values(start, "scheduler.max_num_batched_tokens") == [16_384]
    assert values(start, "scheduler.chunked_prefill") == [False]


def test_weights_without_a_printed_usage_come_from_free_memory() -> None:
    start = only_start(
        stamped("Load weight begin. avail mem=78.60 GB", "TP0"),
        stamped("Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=63.50 GB", "TP0"),
    )
    assert values(start, "model.weights_gib", "inferred") == [15.1]
    assert values(start, "model.dtype") == ["bfloat16"]
    assert values(start, "model.quantization") == []


def test_only_the_newer_weights_line_proves_that_nothing_is_quantized() -> None:
    newer = stamped("Load weight end. elapsed=9.10 s, type=LlamaForCausalLM, avail mem=63.50 GB, mem usage=15.10 GB.")
    assert values(only_start(newer), "model.quantization") == ["none"]
    older = newer.replace("LlamaForCausalLM,", "LlamaForCausalLM, dtype=torch.float16,")
    assert values(only_start(older), "model.quantization") == []


def test_captured_graphs_add_up_and_an_unfinished_capture_leaves_them_open() -> None:
    first = stamped("Capture target decode CUDA graph begin. backend=full, num_tokens_per_req=1, bs=[1, 2, 4], avail mem=9.00 GB")
    first_end = stamped("Capture target decode CUDA graph end. elapsed=3.00 s, mem usage=1.25 GB, avail mem=7.75 GB.")
    second = stamped("Capture target prefill CUDA graph begin. backend=breakable, num_tokens=[4, 8], avail mem=7.75 GB")
    second_end = stamped("Capture target prefill CUDA graph end. elapsed=3.00 s, mem usage=0.50 GB, avail mem=7.25 GB.")
    whole = only_start(arguments(), first, first_end, second, second_end)
    assert values(whole, "graphs.memory_gib") == [1.75]
    assert values(whole, "graphs.capture_max", "observed") == [4]
    assert values(whole, "graphs.enforce_eager", "observed") == [False]
    assert values(only_start(arguments(), first, first_end, second), "graphs.memory_gib") == []


def test_a_prefill_capture_alone_says_nothing_of_the_decoder() -> None:
    begin = stamped("Capture piecewise CUDA graph begin. avail mem=7.75 GB")
    finish = stamped("Capture piecewise CUDA graph end. Time elapsed: 3.00 s. mem usage=0.50 GB. avail mem=7.25 GB.")
    start = only_start(arguments(disable_cuda_graph=True), begin, finish)
    assert values(start, "graphs.enforce_eager", "observed") == []
    assert values(start, "graphs.enforce_eager", "requested") == [True]
    assert values(start, "graphs.memory_gib") == [0.5]
    assert values(only_start(capacity(), begin, finish), "graphs.memory_gib") == []


def test_graphs_that_the_engine_gave_up_beat_the_flag() -> None:
    off = stamped("Disabling CUDA graph capture for native FP4 KV cache. Set the variable for experiments only.")
    batch = "Decode batch, #running-req: 1, #token: 9, token usage: 0.00, cuda graph: False, gen throughput (token/s): 9.0"
    start = only_start(arguments(), off, capacity(), READY, stamped(f"{batch}, #queue-req: 0"))
    assert values(start, "graphs.enforce_eager", "requested") == [False]
    assert values(start, "graphs.enforce_eager", "observed") == [True]


def test_total_memory_is_taken_for_one_gpu_only() -> None:
    total = stamped(
        "Failed to get GPU memory capacity from nvidia-smi. Falling back to torch.cuda.mem_get_info(). Reported total GPU memory "
        "per device (MiB): [81920], using min: 81920 MiB."
    )
    assert values(only_start(total, *served()), "memory.total_gib") == [80.0]
    ranked = stamped("Load weight begin. avail mem=70.00 GB", "TP0")
    assert values(only_start(total, arguments(tp_size=2), ranked), "memory.total_gib") == []
