"""The KV cache of a start: eras of its line, windows and recurrent state, placement, types, dry runs, drafts."""

from __future__ import annotations

import pytest

from kvaudit.parsers.facts import Start
from tests.parsers.engine_logs import codes, facts_of, values
from tests.parsers.llama_cpp.logs import SERVING, begun, cache, context, read


def only(*lines: str) -> Start:
    (start,) = read(*lines).starts
    return start


def told(start: Start) -> dict[str, object]:
    names = ("kv_cache.dtype", "kv_cache.tokens", "kv_cache.memory_gib", "kv_cache.placement")
    return {name.partition(".")[2]: next(iter(values(start, name)), None) for name in names}


def test_cells_are_counted_per_stream() -> None:
    start = only(*begun(), *context(65536, 4), *cache(cells=16384, streams=4, mib=8192.0), *SERVING)
    assert told(start) == {"dtype": "float16", "tokens": 65_536, "memory_gib": 8.0, "placement": "gpu"}
    (tokens,) = facts_of(start, "kv_cache.tokens")
    assert tokens.how == "16,384 cells × 4 streams"
    assert tokens.origins[0].excerpt.startswith("llama_kv_cache: size")


def test_one_stream_is_shared_by_all_sequences() -> None:
    line = "llama_kv_cache: size = 2048.00 MiB ( 16384 cells,  32 layers,  4/1 seqs), K (f16): 1024.00 MiB, V (f16): 1024.00 MiB"
    assert told(only(*begun(), *context(16384, 1), line, *SERVING))["tokens"] == 16_384


@pytest.mark.parametrize(
    ("key", "value", "recorded"),
    [
        ("f16", "f16", "float16"),
        ("bf16", "bf16", "bfloat16"),
        ("f32", "f32", "float32"),
        ("q8_0", "q8_0", "q8_0"),
        ("q8_0", "f16", "k=q8_0,v=f16"),
        ("bf16", "f32", "k=bf16,v=f32"),
        ("iq4_nl", "q5_1", "k=iq4_nl,v=q5_1"),
    ],
)
def test_types_of_k_and_v(key: str, value: str, recorded: str) -> None:
    line = f"llama_kv_cache: size = 8.00 MiB (  4096 cells,  4 layers,  1/1 seqs), K ({key}): 4.00 MiB, V ({value}): 4.00 MiB"
    assert told(only(*begun(), *context(4096), line))["dtype"] == recorded


def test_a_windowed_cache_adds_memory_but_no_tokens() -> None:
    start = only(
        *begun(),
        *context(32768),
        "llama_kv_cache_iswa: creating non-SWA KV cache, size = 32768 cells",
        *cache(cells=32768, mib=512.0),
        "llama_kv_cache_iswa: creating     SWA KV cache, size = 2560 cells",
        *cache(cells=2560, mib=200.0),
    )
    assert told(start) == {"dtype": "float16", "tokens": 32_768, "memory_gib": 712 / 1024, "placement": "gpu"}
    assert facts_of(start, "kv_cache.memory_gib")[0].how == "512.0 MiB + 200.0 MiB"


def test_recurrent_state_is_no_kv_memory() -> None:
    start = only(
        *begun(),
        *context(16384),
        *cache(mib=512.0),
        "llama_memory_recurrent:      CUDA0 RS buffer size =    62.81 MiB",
        "llama_memory_recurrent: size =   62.81 MiB ( 4 cells,  48 layers,  4 seqs), R (f32): 1.81 MiB, S (f32): 61.00 MiB",
    )
    assert told(start)["memory_gib"] == 0.5


@pytest.mark.parametrize(
    ("devices", "placement"),
    [
        (["CUDA0", "CUDA1"], "gpu"),
        (["CPU"], "cpu"),
        (["CUDA_Host"], "cpu"),
        (["CUDA0", "CPU"], "mixed"),
        (["MTL0"], "gpu"),
        (["AMD Radeon RX 7900 XTX (RADV NAVI31)"], "gpu"),
    ],
)
def test_placement_by_buffer_names(devices: list[str], placement: str) -> None:
    buffers = [f"llama_kv_cache: {device:>10} KV buffer size =  1024.00 MiB" for device in devices]
    start = only(*begun(), *context(), *buffers, cache()[1])
    assert values(start, "kv_cache.placement") == [placement]


def test_the_oldest_line_has_no_cells_of_its_own() -> None:
    start = only(
        "llm_load_tensors: offloaded 33/33 layers to GPU",
        "llama_new_context_with_model: n_ctx      = 8192",
        "llama_new_context_with_model: n_batch    = 512",
        "llama_kv_cache_init:      Metal KV buffer size =  1024.00 MiB",
        "llama_new_context_with_model: KV self size  = 1024.00 MiB, K (f16):  512.00 MiB, V (f16):  512.00 MiB",
    )
    assert told(start) == {"dtype": "float16", "tokens": 8192, "memory_gib": 1.0, "placement": "gpu"}
    assert facts_of(start, "kv_cache.tokens")[0].stage == "inferred"


def test_a_dry_run_of_the_fitting_is_no_cache() -> None:
    dry = [
        "print_info: no_alloc         = 1",
        *context(131072),
        "llama_kv_cache:      CUDA0 KV buffer size =     0.00 MiB",
        cache(cells=131072, mib=16384.0)[1],
    ]
    start = only(*begun(), *dry, *begun()[4:], *context(16384), *cache(), *SERVING)
    assert told(start)["tokens"] == 16_384


def test_sizes_without_buffers_behind_them_are_a_dry_run() -> None:
    start = only(*begun(), *context(16384), "llama_kv_cache:      CUDA0 KV buffer size =     0.00 MiB", cache()[1])
    assert told(start)["tokens"] is None


@pytest.mark.parametrize(
    ("types", "dtype"),
    [
        ("c^KV (q8_0):  153.00 MiB, kv^T: not used", "q8_0"),
        ("c^KV (f16):  288.00 MiB, kv^T (f16):  256.00 MiB", "float16"),
    ],
)
def test_a_latent_cache_of_the_ik_fork(types: str, dtype: str) -> None:
    """8,192 tokens × 32 layers × 576 latent elements in q8_0 (34 bytes for 32) are 153 MiB."""
    old = [
        "llama_new_context_with_model: n_ctx      = 8192",
        "llama_new_context_with_model: mla_attn   = 2",
        "llama_kv_cache_init:      CUDA0 KV buffer size =   153.00 MiB",
        f"llama_new_context_with_model: KV self size  =  153.00 MiB, {types}",
    ]
    start = only(*begun(), *old, *SERVING)
    assert (told(start)["dtype"], told(start)["tokens"]) == (dtype, 8192)


def test_a_draft_model_is_not_the_served_one() -> None:
    draft = [
        "srv    load_model: loading draft model '/models/atlas-draft.gguf'",
        "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA L4) (0000:21:00.0) - 14990 MiB free",
        "llama_model_loader: loaded meta data with 20 key-value pairs and 110 tensors from /models/draft.gguf (version GGUF V3)",
        "print_info: file type   = Q8_0",
        "load_tensors: offloaded 13/13 layers to GPU",
        *context(16384),
        *cache(kind="q8_0", mib=68.0),
    ]
    told_so = ["adding speculative implementation 'draft-simple'", "- n_max=3, n_min=0, p_min=0.000000"]
    start = only(*begun(), *context(16384), *cache(), *draft, *told_so, *SERVING)
    assert told(start)["dtype"] == "float16"
    assert values(start, "model.quantization") == ["Q4_K - Medium"]
    assert values(start, "offload.gpu_layers") == ["33/33"]
    assert values(start, "memory.free_at_start_gib") == [22480 / 1024]
    assert values(start, "speculative.method") == ["draft-simple"]
    assert values(start, "speculative.model") == ["/models/atlas-draft.gguf"]
    assert values(start, "speculative.tokens") == [3]


def test_a_loaded_draft_that_does_nothing_is_no_speculation() -> None:
    start = only(
        *begun(),
        *context(),
        *cache(),
        "common_speculative_init_result: loading draft model '/models/atlas-draft.gguf'",
        "no implementations specified for speculative decoding",
        *SERVING,
    )
    assert values(start, "speculative.method") == ["none"]
    assert values(start, "speculative.model") == []


def test_a_second_context_of_the_same_model_drafts() -> None:
    start = only(*begun(), *context(16384), *cache(), *context(16384), *cache(mib=64.0), *SERVING)
    assert told(start)["memory_gib"] == 2.0


def test_types_of_forks_are_kept_and_name_the_fork() -> None:
    start = only(*begun(), *context(), *cache(kind="turbo3", mib=448.0), *SERVING)
    assert told(start)["dtype"] == "turbo3"
    assert values(start, "engine.build") == ["TurboQuant fork"]


def test_a_silently_rewritten_type_is_a_notice() -> None:
    rewrite = (
        "llama_kv_cache: auto-asymmetric: GQA ratio 6:1 (n_head=24, n_head_kv=4) - upgrading K from turbo3 to q8_0 to prevent "
        "quality degradation. Disable with TURBO_AUTO_ASYMMETRIC=0"
    )
    line = "llama_kv_cache: size = 8.00 MiB (  4096 cells,  4 layers,  1/1 seqs), K (q8_0): 5.00 MiB, V (turbo3): 3.00 MiB"
    start = only(*begun(), *context(4096), rewrite, line)
    assert codes(start) == ["kv-type-rewritten"]
    assert told(start)["dtype"] == "k=q8_0,v=turbo3"


def test_the_metadata_cache_of_kvarn_does_not_count() -> None:
    start = only(
        *begun(),
        *context(8192),
        "llama_kv_cache: size =    0.00 MiB (  8192 cells,   0 layers,  1/1 seqs), K (f16):    0.00 MiB, V (f16):    0.00 MiB",
        "llama_kv_cache_kvarn:      CUDA0 KVarN buffer size =   256.00 MiB",
        "llama_kv_cache_kvarn: type = kvarn_k4v2_g128, layers = 32, groups/stream = 64, streams = 1, KVarN = 256.00 MiB, "
        "equivalent F16 = 1024.00 MiB",
    )
    assert told(start)["dtype"] == "kvarn_k4v2_g128"
    assert told(start)["memory_gib"] == 0.25


def test_a_line_broken_by_a_terminal_is_read_whole() -> None:
    buffer, size = cache()
    first, second = size[:60], size[60:].lstrip()
    reading = read(*begun(), *context(), buffer, first, second, *SERVING)
    assert told(reading.starts[0])["tokens"] == 16_384
    assert any("was read together with the line that continues it" in note for note in reading.notes)


def test_a_cache_line_that_does_not_read_is_shown() -> None:
    odd = "llama_kv_cache: size = lots (16384 cells, 32 layers)"
    reading = read(*begun(), *context(), odd, *SERVING)
    assert [(line.line, line.excerpt) for line in reading.unparsed] == [(19, odd)]
    assert told(reading.starts[0])["dtype"] is None


def test_recurrent_state_beside_the_cache_is_neither_memory_of_it_nor_a_line_that_does_not_read() -> None:
    state = "llama_memory_recurrent: size =    0.02 MiB (     4 cells,   4 layers,  4 seqs  0 rs_seq), R (f32):    0.02 MiB"
    reading = read(*begun(), *context(), state, *cache(cells=16384, mib=2048.0), *SERVING)
    assert reading.unparsed == []
    assert told(reading.starts[0])["memory_gib"] == 2.0
