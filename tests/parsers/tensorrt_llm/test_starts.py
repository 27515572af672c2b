"""Which start a line belongs to, how many ranks a start has, and which checkpoint it read."""

from __future__ import annotations

from tests.parsers.engine_logs import facts_of, values
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
    read_log,
    served,
    sizes,
)

REVISION = "3f2c9a7b1d5e4c60a8f90b12d3e4f5a6b7c8d9e0"
FOLDER = f"/home/alice/.cache/huggingface/hub/models--acme--atlas-8b/snapshots/{REVISION}"
OOM = python("Failed to initialize executor on rank 0: CUDA out of memory. Tried to allocate 1002.00 MiB.", "E")


def log(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def test_the_banners_of_parent_and_worker_are_one_start() -> None:
    reading = read_log(log(*served()))
    (start,) = reading.starts
    assert (start.ready, start.outcome, start.first_line, start.last_line) == (True, "ready", 1, 17)
    assert [fact.value for fact in reading.facts if fact.field == "engine.starts"] == [1]


def test_a_failed_start_and_its_successor() -> None:
    failed = [BANNER, BACKEND, BANNER, LOADED, *pool(73_728, 9.0), OOM]
    first, second = read_log(log(*failed, *served())).starts
    assert (first.ready, first.last_line, second.first_line) == (False, 8, 9)
    assert (first.outcome, second.ready) == ("failed: out of memory", True)
    assert values(first, "kv_cache.tokens") == []
    assert values(second, "kv_cache.tokens") == [327_680]
    assert values(second, "engine.failure") == []


def test_two_servers_one_after_the_other_keep_their_pools() -> None:
    first, second = read_log(log(*served(), *served(163_840, 20.0))).starts
    assert values(first, "kv_cache.tokens") == [327_680]
    assert values(second, "kv_cache.tokens") == [163_840]


def test_a_backend_line_behind_a_served_start_opens_the_next() -> None:
    first, second = read_log(log(*served(), *served()[1:])).starts
    assert (first.ready, second.ready) == (True, True)
    assert second.first_line == 18


def test_helper_models_of_triton_print_banners_at_any_time() -> None:
    glog = "I0505 03:10:14.909558 4734 {}"
    start = only_start(
        glog.format("pinned_memory_manager.cc:275] Pinned memory pool is created at '0x7f54d6000000' with size 268435456"),
        native("Engine version 0.12.0 found in the config file, assuming engine(s) built by new builder API."),
        native("MPI size: 1, MPI local size: 1, rank: 0"),
        native("enable_kv_cache_reuse is not specified, will be set to false", "WARNING"),
        *pool(32_768, 4.0, length=None),
        "[TensorRT-LLM] TensorRT-LLM version: 0.12.0",
        glog.format("model_lifecycle.cc:827] successfully loaded 'preprocessing'"),
        glog.format("grpc_server.cc:2519] Started GRPCInferenceService at 0.0.0.0:8001"),
    )
    assert (start.ready, start.first_line) == (True, 1)
    assert values(start, "engine.version") == ["0.12.0"]
    assert values(start, "parallel.tensor") == [1]
    assert values(start, "kv_cache.prefix_caching") == [False]
    assert values(start, "kv_cache.tokens") == [32_768]


def test_torchs_own_log_style_is_not_tritons() -> None:
    warning = "W0417 08:21:43.803000 1 torch/utils/cpp_extension.py:2422] TORCH_CUDA_ARCH_LIST is not set"
    first, second = read_log(log(*served(), warning, *served())).starts
    assert (first.ready, second.ready) == (True, True)


def test_one_rank_is_inferred_where_every_sign_of_several_is_missing() -> None:
    start = only_start(*served())
    assert values(start, "parallel.tensor", "inferred") == [1]
    assert values(start, "parallel.pipeline", "inferred") == [1]
    assert values(start, "parallel.gpus", "inferred") == [1]


def test_signs_of_several_ranks_leave_the_sizes_open() -> None:
    joined = native("Refreshed the MPI local session")
    second_worker = [*served()[:3], joined, *served()[3:]]
    second_pool = [*served()[:-3], *pool(327_680, 40.0), *served()[-3:]]
    tagged = [*served()[:-3], python("Creating CUDA graph instances for 4 batch sizes.", rank=0), *served()[-3:]]
    third_banner = [BANNER, *served()]
    for lines in (second_worker, second_pool, tagged, third_banner):
        start = only_start(*lines)
        assert values(start, "parallel.tensor") == []


def test_a_cut_head_leaves_the_sizes_open() -> None:
    start = only_start(*served()[5:])
    assert values(start, "parallel.tensor") == []
    assert values(start, "kv_cache.tokens") == [327_680]


def test_workers_of_a_session_are_gpus() -> None:
    start = only_start(
        BANNER, BACKEND, python("start MpiSession with 2 workers"), budget(40.0, 65_536), *pool(327_680, 20.0), READY
    )
    assert values(start, "parallel.gpus") == [2]
    assert values(start, "parallel.tensor") == []


def test_the_folder_of_the_hub_cache_names_model_and_revision() -> None:
    start = only_start(BANNER, BACKEND, FOLDER, *served()[3:])
    (path,) = facts_of(start, "model.path")
    assert (path.value, path.stage) == ("acme/atlas-8b", "inferred")
    assert values(start, "model.revision") == [REVISION]


def test_another_folder_of_the_hub_cache_is_not_the_models() -> None:
    arguments = "model='/models/atlas' tokenizer='acme/atlas-8b' skip_tokenizer_init=False revision=None"
    start = only_start(BANNER, BACKEND, FOLDER, *served()[3:-2], arguments, READY)
    assert values(start, "model.path") == ["/models/atlas"]
    assert values(start, "model.revision") == [None]


def test_a_prequantized_checkpoint() -> None:
    start = only_start(
        BANNER,
        python("Found /models/atlas-fp8/hf_quant_config.json, pre-quantized checkpoint is used."),
        python("Setting quant_algo=FP8 form HF quant config."),
        python("Setting kv_cache_quant_algo=FP8 form HF quant config."),
    )
    assert values(start, "model.path") == ["/models/atlas-fp8"]
    assert values(start, "model.quantization") == ["modelopt"]
    assert values(start, "model.weight_format") == ["fp8"]
    assert values(start, "clue.kv_dtype_notice") == ["fp8"]


def test_a_benchmark_reports_its_own_settings() -> None:
    start = only_start(
        "Preparing to run throughput benchmark...",
        BANNER,
        "= PYTORCH BACKEND",
        "Model:\t\t\tacme/atlas-8b-fp8",
        "Model Path:\t\t/models/atlas-8b-fp8",
        "TensorRT-LLM Version:\t1.2.0",
        "Dtype:\t\t\tbfloat16",
        "KV Cache Dtype:\t\tFP8",
        "TP Size:                2",
        "PP Size:                1",
        "EP Size:                None",
        "Max Runtime Batch Size: 2048",
        "Max Runtime Tokens:     8192",
        "KV Memory Percentage:   90.00%",
        "Total Output Throughput (tokens/sec):             27784.9728",
    )
    assert start.ready is True
    assert values(start, "model.path") == ["/models/atlas-8b-fp8"]
    assert values(start, "model.dtype") == ["bfloat16"]
    assert values(start, "clue.kv_dtype_worker") == ["fp8"]
    assert values(start, "parallel.gpus") == [2]
    assert values(start, "parallel.expert") == []
    assert values(start, "scheduler.max_num_seqs") == [2_048]
    assert values(start, "memory.static_fraction") == [0.9]


def test_building_an_engine_is_no_start() -> None:
    reading = read_log(
        log(
            python("Config saved to /engines/atlas/config.json."),
            python("Engine serialized. Total time: 00:00:49"),
            python("Total time of building all 1 engines: 00:05:00"),
        )
    )
    assert reading.starts == []
    assert reading.notes == ["this is the log of building an engine; nothing served"]


def test_a_last_line_that_is_cut_feeds_nothing() -> None:
    text = log(*served()[:-3]) + sizes(batch=256)[:-1]
    (start,) = read_log(text).starts
    assert values(start, "scheduler.max_num_seqs") == [256]
    assert values(start, "kv_cache.tokens") == [327_680]
