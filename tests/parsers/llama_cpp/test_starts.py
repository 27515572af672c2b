"""Which start a line belongs to: restarts, retries, programs that load twice, routers; and what became of each."""

from __future__ import annotations

import pytest

from kvaudit.parsers.llama_cpp.outcome import failure_class
from tests.parsers.engine_logs import codes, values
from tests.parsers.llama_cpp.logs import MODEL, SERVING, begun, cache, context, read

OUT_OF_MEMORY = [
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 131072.00 MiB on device 0: cudaMalloc failed: out of memory",
    "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
    f"srv    load_model: failed to load model, '{MODEL}'",
    "srv    operator(): operator(): cleaning up before exit...",
    "main: exiting due to model loading error",
]


def test_a_failed_start_and_its_successor() -> None:
    failed = [*begun(), *context(1 << 20), *OUT_OF_MEMORY]
    first, second = read(*failed, *begun(), *context(), *cache(), *SERVING).starts
    assert (first.ready, first.outcome) == (False, "failed: out of memory")
    assert first.cause == "allocating 131072.00 MiB on device 0: cudaMalloc failed: out of memory"
    assert (first.first_line, first.last_line) == (1, len(failed))
    assert (second.ready, second.outcome) == (True, "ready")
    assert values(first, "kv_cache.tokens") == []
    assert values(second, "kv_cache.tokens") == [16_384]


def test_a_crash_without_a_word_and_a_restart() -> None:
    first, second = read(*begun(), *context(), *begun(build="7812 (4f9ac2d41)"), *context(), *cache(), *SERVING).starts
    assert (first.ready, second.ready) == (None, True)
    assert values(second, "engine.version") == ["7812 (4f9ac2d41)"]


def test_lines_before_the_build_line_open_the_next_start_once_the_last_is_over() -> None:
    prelude = "main: n_parallel is set to auto, using n_parallel = 4 and kv_unified = true"
    first, second = read(*begun(), *OUT_OF_MEMORY, prelude, *begun(), *SERVING).starts
    assert values(first, "scheduler.max_num_seqs") == []
    assert values(second, "scheduler.max_num_seqs") == [4]


def test_quiet_restarts_are_told_by_their_verbosity_line() -> None:
    quiet = [
        "I common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)",
        "I srv    load_model: loading model 'atlas.gguf'",
        "I srv  llama_server: model loaded",
    ]
    assert [start.ready for start in read(*quiet, *quiet).starts] == [True, True]


def test_a_program_loads_one_model_after_another() -> None:
    load = begun()[4:]
    first, second = read(*load, *context(), *cache(), *load, *context(8192), *cache(cells=8192, mib=1024.0)).starts
    assert (first.ready, second.ready) == (None, None)
    assert (values(first, "kv_cache.tokens"), values(second, "kv_cache.tokens")) == ([16_384], [8192])


def test_an_offline_run_is_ready_when_it_processed_prompts() -> None:
    timing = "llama_perf_context_print: prompt eval time =      84.41 ms /    22 tokens (    3.84 ms per token)"
    assert read(*begun()[4:], *context(), *cache(), timing).starts[0].ready is True


def test_a_server_that_listens_while_it_loads_is_not_ready() -> None:
    early = "main: HTTP server is listening, hostname: 127.0.0.1, port: 8080, http threads: 11"
    assert read(begun()[0], early, *begun()[1:]).starts[0].ready is None


def test_a_log_that_just_ends_proves_nothing() -> None:
    (start,) = read(*begun()).starts
    assert (start.ready, start.outcome, start.cause) == (None, "unknown", None)
    assert values(start, "engine.ready") == []


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (["main: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080"], "failed: address in use"),
        (['error while handling argument "-ctk": Unsupported cache type: fp8'], "failed: KV cache type refused"),
        (["/src/ggml/src/ggml-cuda/ggml-cuda.cu:97: CUDA error"], "failed: GPU error"),
        (
            [
                "E llama_init_from_model: quantized V cache requires flash_attn to be enabled",
                "E srv  llama_server: exiting due to model loading error",
            ],
            "failed: quantized V cache without flash attention",
        ),
        (
            [
                "E llama_init_from_model: K cache type q8_0 with block size 32 does not divide n_embd_head_k=40",
                "E srv    load_model: failed to create_context with model 'atlas.gguf'",
            ],
            "failed: KV cache type refused",
        ),
        (
            [
                "E llama_model_load: error loading model: unknown model architecture: 'atlas9'",
                "E srv    load_model: failed to load model, 'atlas.gguf'",
            ],
            "failed: model not supported",
        ),
    ],
)
def test_root_causes(lines: list[str], outcome: str) -> None:
    (start,) = read(begun()[0], *lines).starts
    assert (start.ready, start.outcome) == (False, outcome)


def test_the_fitting_may_fail_where_the_start_goes_on() -> None:
    trouble = [
        "W common_fit_params: failed to fit params to free device memory: n_gpu_layers already set by user to 99, abort",
        "E ggml_backend_cuda_buffer_type_alloc_buffer: allocating 900.00 MiB on device 0: cudaMalloc failed: out of memory",
    ]
    (start,) = read(*begun(), *trouble, *context(), *cache(), *SERVING).starts
    assert (start.ready, start.outcome) == (True, "ready")
    assert codes(start) == ["fit-failed"]
    assert values(start, "engine.failure") == []


def test_a_server_that_dies_while_serving() -> None:
    death = "/src/llama-sampler.cpp:660: GGML_ASSERT(found) failed"
    (start,) = read(*begun(), *context(), *cache(), *SERVING, death).starts
    assert (start.ready, start.outcome, start.cause) == (True, "ready, then died", "GGML_ASSERT(found) failed")
    assert codes(start) == ["died-while-serving"]


def test_noise_after_a_deliberate_stop_is_no_death() -> None:
    stop = ["srv    operator(): operator(): cleaning up before exit...", "terminate called after throwing an instance of 'x'"]
    (start,) = read(*begun(), *context(), *cache(), *SERVING, *stop).starts
    assert (start.ready, start.outcome) == (True, "ready")


def test_failure_classes_of_unknown_texts_are_their_beginning() -> None:
    assert failure_class("") == "no cause printed"
    assert failure_class("x" * 80) == "x" * 60


ROUTER = [
    "0.00.2 I srv  llama_server: starting router server, no model will be loaded in this process",
    "0.00.3 I srv  llama_server: listening on http://127.0.0.1:18600",
    "0.01.0 I srv          load: spawning server instance with name=atlas on port 41000",
    "0.01.1 I srv          load: spawning server instance with args:",
    "0.01.1 I srv          load:   /usr/bin/llama-server",
    "0.01.1 I srv          load:   --cache-type-k",
    "0.01.1 I srv          load:   q8_0",
    "0.01.1 I srv          load:   --cache-type-v",
    "0.01.1 I srv          load:   q8_0",
]


def test_a_router_and_its_children() -> None:
    atlas = [f"[41000] 0.00.1 I {line}" for line in (*begun(), *context(), *cache(kind="q8_0", mib=1088.0), *SERVING)]
    other = [f"[41001] 0.00.1 I {line}" for line in begun(model="/models/other.gguf")]
    mixed = [line for pair in zip(atlas, other, strict=False) for line in pair] + atlas[len(other) :]
    first, second = read(*ROUTER, *mixed).starts
    assert (first.ready, second.ready) == (True, None)
    assert values(first, "kv_cache.dtype", "resolved") == ["q8_0"]
    assert values(first, "kv_cache.dtype", "requested") == ["q8_0"]
    assert values(second, "model.path") == ["/models/other.gguf"]
    assert values(second, "run.args") == []


def test_a_router_alone_is_one_start() -> None:
    assert len(read(*ROUTER).starts) == 1
