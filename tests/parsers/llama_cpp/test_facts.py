"""What else a start tells: version, platform, memory, context per request, attention, prompt cache, silence."""

from __future__ import annotations

import pytest

from kvaudit.parsers.facts import Start
from tests.parsers.engine_logs import codes, values
from tests.parsers.llama_cpp.logs import SERVING, begun, cache, context, read

CPU_LOAD = ["load_tensors: offloaded 5/5 layers to GPU", "load_tensors:   CPU_Mapped model buffer size =     4.54 MiB"]


def only(*lines: str) -> Start:
    (start,) = read(*lines).starts
    return start


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("build: 7811 (3f9ac2d41) with GNU 13.3.0 for Linux x86_64", ["7811 (3f9ac2d41)"]),
        ("0.00.01.1 I cmn  common_param: common_params_print_info: build 10301 (3f9ac2d41) with GNU", ["10301 (3f9ac2d41)"]),
        ("build_info: b9106-dd9280a66", ["9106 (dd9280a66)"]),
        ('INFO [main] build info | build=3171 commit="7c26775a" tid="281" timestamp=1744764152', ["3171 (7c26775a)"]),
        (
            '{"build":2679,"commit":"7593639","function":"main","level":"INFO","line":2820,"msg":"build info","tid":"0x1"}',
            ["2679 (7593639)"],
        ),
        ("build: 0 (unknown) with cc (GCC) 10.2.1", []),
        ("srv          init: build_info: b0-unknown", []),
    ],
)
def test_versions_as_build_and_hash(line: str, version: list[str]) -> None:
    assert values(only(line, "srv    load_model: loading model 'atlas.gguf'"), "engine.version") == version


def test_offloaded_layers_are_no_proof_of_a_gpu() -> None:
    start = only("build: 7811 (3f9ac2d41) with GNU", *CPU_LOAD, *context(), *cache(device="CPU"))
    assert values(start, "engine.platform") == ["cpu"]
    assert values(start, "offload.gpu_layers") == ["5/5"]


def test_the_devices_that_are_used_decide_platform_and_memory() -> None:
    start = only(
        "common_params_print_info: build 10301 (3f9ac2d41) with GNU",
        "  - CPU     : AMD EPYC (24105 MiB, 20480 MiB free)",
        "  - CUDA0   : NVIDIA L4 (23034 MiB, 22480 MiB free)",
        "  - CUDA1   : NVIDIA L4 (23034 MiB, 1024 MiB free)",
        *begun()[2:],
    )
    assert values(start, "engine.platform") == ["cuda"]
    assert values(start, "memory.free_at_start_gib") == [22480 / 1024]
    assert values(start, "memory.total_gib") == [23034 / 1024]


def test_found_devices_count_only_where_nothing_better_is_said() -> None:
    found = "ggml_cuda_init: found 1 CUDA devices:"
    assert values(only(found, "srv    load_model: loading model 'atlas.gguf'"), "engine.platform") == ["cuda"]
    assert values(only(found, *CPU_LOAD), "engine.platform") == ["cpu"]


def test_the_slot_says_what_a_request_gets() -> None:
    slots = [
        "srv    load_model: the slot context (65536) exceeds the training context of the model (32768) - capping",
        "slot   load_model: id  0 | task -1 | new slot, n_ctx = 32768",
    ]
    start = only(*begun(), *context(65536), *cache(), *slots)
    assert values(start, "model.max_len", "resolved") == [65_536]
    assert values(start, "model.max_len", "observed") == [32_768]
    assert codes(start) == ["context-capped"]


def test_a_divided_context_is_a_notice_only_where_the_model_could_do_more() -> None:
    assert codes(only(*begun(), *context(65536, 4), *cache())) == ["context-split"]
    short = [line.replace("131072", "16384") for line in begun()]
    assert codes(only(*short, *context(65536, 4), *cache())) == []
    assert codes(only(*begun(), *context(65536, 1), *cache())) == []


def test_the_fitting_cuts_the_context() -> None:
    line = "llama_params_fit_impl: context size reduced from 131072 to 40960 -> need 6144 MiB less memory in total"
    assert codes(only(*begun()[:3], line, *begun()[3:])) == ["context-auto-fit"]


@pytest.mark.parametrize(
    ("request_", "resolution", "backend"),
    [
        ("auto", "sched_reserve: Flash Attention was auto, set to enabled", "flash"),
        ("auto", "resolve_fused_ops: Flash Attention not supported, set to disabled", "plain"),
        ("enabled", None, "flash"),
        ("0", None, "plain"),
        ("1", "llama_init_from_model: flash_attn is not compatible with Grok - forcing off", "plain"),
    ],
)
def test_attention_once_resolved(request_: str, resolution: str | None, backend: str) -> None:
    start = only(*begun(), *context(flash=request_), *([resolution] if resolution else []))
    assert values(start, "attention.backend", "resolved") == [backend]


def test_auto_attention_decides_nothing() -> None:
    start = only(*begun(), *context(flash="auto"))
    assert values(start, "attention.backend", "resolved") == []
    assert values(start, "attention.backend", "requested") == ["auto"]


def test_the_prompt_cache() -> None:
    on = "srv    load_model: prompt cache is enabled, size limit: 8192 MiB"
    off = "srv    load_model: prompt cache is disabled - use `--cache-ram N` to enable it"
    assert values(only(*begun(), on), "kv_cache.prefix_caching") == [True]
    assert values(only(*begun(), off), "kv_cache.prefix_caching") == []
    assert codes(only(*begun(), off)) == ["prompt-cache-disabled"]


@pytest.mark.parametrize(
    ("printed", "recorded"),
    [("F16", "none"), ("all F32", "none"), ("BF16", "none"), ("Q6_K", "Q6_K"), ("MXFP4 MoE", "MXFP4 MoE")],
)
def test_weight_formats(printed: str, recorded: str) -> None:
    assert values(only(f"print_info: file type   = {printed}"), "model.quantization") == [recorded]


def test_a_quiet_log_says_why_it_is_silent_and_what_to_do() -> None:
    reading = read(
        "0.00.01.1 I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)",
        "0.00.02.1 I srv    load_model: loading model 'atlas.gguf'",
        "0.00.03.1 W llama_context: n_ctx_seq (32768) > n_ctx_train (16384) -- possible training context overflow",
        "0.00.04.1 I srv    load_model: initializing, n_slots = 4, n_ctx_slot = 16384, kv_unified = 'true'",
        "0.00.05.1 I srv  llama_server: model loaded",
    )
    (start,) = reading.starts
    (why,) = values(start, "clue.why_unknown")
    assert why["because"].startswith("the log was written at verbosity 3")
    assert "-lv 4" in why["because"]
    assert {"kv_cache.dtype", "kv_cache.tokens"} <= set(why["fields"])
    assert reading.notes == [why["because"]]
    assert values(start, "kv_cache.dtype") == []


def test_a_quiet_log_without_its_verbosity_line() -> None:
    (start,) = read("I srv    load_model: loading model 'atlas.gguf'", "I srv  llama_server: model loaded").starts
    (why,) = values(start, "clue.why_unknown")
    assert "the server's own lines only" in why["because"]


def test_a_loud_log_needs_no_excuse() -> None:
    reading = read(*begun(), *context(), *cache(), *SERVING)
    assert values(reading.starts[0], "clue.why_unknown") == []
    assert reading.notes == []


def test_json_lines_of_both_eras() -> None:
    new = '{"type":"log","time":12074,"level":"info","msg":"llama_context: n_seq_max             = 4\\n"}'
    old = '{"function":"initialize","level":"INFO","line":448,"msg":"initializing slots","n_slots":2,"timestamp":1715101032}'
    assert values(only(new), "scheduler.max_num_seqs") == [4]
    assert values(only(old), "scheduler.max_num_seqs") == [2]
