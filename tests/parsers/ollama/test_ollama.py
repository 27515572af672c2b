"""Ollama: what the server says, what its runners print, which of both counts; starts are runners."""

from __future__ import annotations

import pytest

from kvaudit.parsers.facts import Start
from kvaudit.parsers.llama_cpp import command
from kvaudit.parsers.ollama import rows
from kvaudit.parsers.tables import Match, Row, Table
from tests.parsers.engine_logs import codes, facts_of, values
from tests.parsers.llama_cpp.logs import begun, cache, context, serve

BLOB = "/var/ollama/models/blobs/sha256-5c1e9f0b"
OTHER = "/var/ollama/models/blobs/sha256-9d2c"


def said(message: str, level: str = "INFO", file: str = "server.go:429") -> str:
    return f"time=2026-02-11T09:30:01.100Z level={level} source={file} {message}"


def server(version: str = "0.13.2", kv_type: str = "") -> list[str]:
    env = f"map[CUDA_VISIBLE_DEVICES: OLLAMA_FLASH_ATTENTION:false OLLAMA_KV_CACHE_TYPE:{kv_type} OLLAMA_NUM_PARALLEL:1]"
    gpu = 'id=GPU-7d1c library=CUDA compute=8.9 name=CUDA0 description="NVIDIA L4" total="22.5 GiB" available="22.0 GiB"'
    return [
        said(f'msg="server config" env="{env}"', file="routes.go:1554"),
        said(f'msg="Listening on 127.0.0.1:11434 (version {version})"', file="routes.go:1607"),
        said('msg="starting runner" cmd="/usr/bin/ollama runner --ollama-engine --port 40001"'),
        said(f'msg="inference compute" {gpu}', file="types.go:42"),
    ]


def opened(blob: str = BLOB, flags: str = "") -> str:
    return said(f'msg="starting runner" cmd="/usr/bin/ollama runner{flags} --model {blob} --port 40117"')


STARTED = said('msg="llama runner started in 4.48 seconds"', file="server.go:1376")
VOCABULARY = [*begun()[4:8], "print_info: vocab_only       = 1", "llama_model_load: vocab only - skipping tensors"]


def runner(blob: str = BLOB, tokens: int = 16384, mib: float = 2048.0) -> list[str]:
    printed = [line.replace("/models/atlas-8b-q4_k_m.gguf", blob) for line in begun()[3:]]
    return [*VOCABULARY, opened(blob), *printed, *context(tokens, flash="1"), *cache(cells=tokens, mib=mib), STARTED]


def request(operation: str, kv_type: str = "q8_0", flash: str = "Enabled") -> str:
    body = f"LoraPath:[] Parallel:2 BatchSize:512 FlashAttention:{flash} KvSize:16384 KvCacheType:{kv_type} NumThreads:8"
    return said(
        f'msg=load request="{{Operation:{operation} {body} GPULayers:33[ID:GPU-7d1c Layers:33(0..32)]}}"', file="runner.go:895"
    )


def part(name: str, device: str, size: str) -> str:
    return said(f'msg="{name}" device={device} size="{size}"', file="device.go:251")


def own_engine(kv_type: str = "q8_0", *parts: str) -> list[str]:
    shown = parts or (part("kv cache", "CUDA0", "1.0 GiB"), part("kv cache", "CPU", "64.0 MiB"))
    header = said('msg="" architecture=gemma3 file_type=Q4_K_M name=Atlas num_tensors=444', file="ggml.go:136")
    return [opened(flags=" --ollama-engine"), request("fit"), header, request("commit", kv_type), *shown, STARTED]


def only(*lines: str) -> Start:
    (start,) = serve(*lines).starts
    return start


ALL_ROWS = (*rows.SERVE_ROWS, *rows.RUNNER_ROWS)


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = next(Table((row,)).matches(row.example), None)
    assert isinstance(found, Match)
    assert bool(found.values) == bool(row.feeds)
    assert row.hint.isascii()
    assert not set(b"'\"\\\r\n\x1b") & set(row.hint)


def test_a_server_and_one_runner() -> None:
    reading = serve(*server(), *runner())
    (start,) = reading.starts
    assert (start.ready, start.outcome, start.first_line) == (True, "ready", 11)
    assert [fact.value for fact in reading.facts] == ["ollama", 1]
    assert values(start, "engine.version") == ["0.13.2"]
    assert values(start, "engine.platform") == ["cuda"]
    assert values(start, "model.path") == [BLOB]
    assert values(start, "kv_cache.dtype", "resolved") == ["float16"]
    assert values(start, "kv_cache.tokens") == [16_384]
    assert values(start, "memory.total_gib") == [22.5]
    assert values(start, "memory.free_at_start_gib") == [22480 / 1024]


def test_a_server_without_a_runner_proves_nothing_about_a_model() -> None:
    reading = serve(*server())
    (start,) = reading.starts
    assert (start.ready, start.outcome) == (None, "no model was loaded")
    assert values(start, "engine.ready") == []
    assert values(start, "memory.free_at_start_gib") == [22.0]
    assert reading.notes == ["no model was loaded: the log holds the server alone"]


def test_servers_without_runners_are_starts_of_their_own() -> None:
    assert len(serve(*server(), *server(), *server()).starts) == 3


def test_runners_are_the_starts_and_each_has_its_server() -> None:
    first, second = serve(*server("0.13.2"), *runner(), *server("0.14.0"), *runner(OTHER, 8192, 1024.0)).starts
    assert (values(first, "engine.version"), values(second, "engine.version")) == (["0.13.2"], ["0.14.0"])
    assert (values(first, "kv_cache.tokens"), values(second, "kv_cache.tokens")) == ([16_384], [8192])
    assert values(second, "model.path") == [OTHER]


def test_a_vocabulary_behind_a_loaded_runner_is_not_its_model() -> None:
    later = [line.replace("llama", "other") for line in ("print_info: arch             = llama",)]
    start = only(*server(), *runner(), *later, "print_info: file type   = F16")
    assert values(start, "model.architecture") == ["llama"]
    assert values(start, "model.quantization") == ["Q4_K - Medium"]


def test_the_build_inside_is_no_version_of_ollama() -> None:
    build = "common_params_print_info: build 10301 (74ade5274) with GNU 11.2.1 for Linux x86_64"
    start = only(*server("0.30.1"), opened(), build, *begun()[3:], *context(), *cache(), STARTED)
    assert values(start, "engine.version") == ["0.30.1"]
    assert values(start, "engine.build") == ["llama.cpp 10301 (74ade5274)"]


def test_a_requested_type_is_only_a_request() -> None:
    warning = said('msg="quantized kv cache requested but flash attention disabled" type=q8_0', "WARN")
    start = only(*server(kv_type="q8_0"), warning, *runner())
    assert values(start, "kv_cache.dtype", "requested") == ["q8_0"]
    assert values(start, "kv_cache.dtype", "resolved") == ["float16"]
    assert codes(start) == ["kv-type-fallback"]


def test_warnings_belong_to_the_runner_that_follows() -> None:
    capped = said('msg="requested context size too large for model" num_ctx=65536 n_ctx_train=32768', "WARN")
    first, second = serve(*server(), *runner(), capped, *runner(OTHER)).starts
    assert (codes(first), codes(second)) == ([], ["context-capped"])


def test_ollamas_own_engine_speaks_through_its_request_and_sizes() -> None:
    start = only(*server(), *own_engine())
    assert values(start, "kv_cache.dtype", "resolved") == ["q8_0"]
    assert values(start, "kv_cache.tokens") == [16_384]
    assert values(start, "model.max_len") == [8192]
    assert values(start, "scheduler.max_num_seqs") == [2]
    assert values(start, "kv_cache.memory_gib") == [1.0625]
    assert values(start, "kv_cache.placement") == ["mixed"]
    assert values(start, "attention.backend") == ["flash"]
    assert values(start, "model.architecture") == ["gemma3"]


def test_an_empty_type_is_not_the_default() -> None:
    start = only(*server(), *own_engine(""))
    assert values(start, "kv_cache.dtype") == []
    (why,) = values(start, "clue.why_unknown")
    assert why["fields"] == ["kv_cache.dtype"]
    assert values(start, "kv_cache.tokens") == [16_384]


def test_a_model_without_a_cache_has_none() -> None:
    start = only(*server(), *own_engine("", part("model weights", "CUDA0", "260.9 MiB")))
    assert values(start, "kv_cache.tokens") == []
    assert values(start, "kv_cache.memory_gib") == []


def test_the_last_group_of_sizes_counts() -> None:
    tries = (part("kv cache", "CUDA0", "4.0 GiB"), part("total memory", "CUDA0", "9.0 GiB"), part("kv cache", "CUDA0", "2.0 GiB"))
    assert values(only(*server(), *own_engine("f16", *tries)), "kv_cache.memory_gib") == [2.0]


def test_estimates_do_not_beat_what_the_runner_printed() -> None:
    estimate = part("kv cache", "CUDA0", "9.0 GiB")
    lines = runner()
    at = lines.index(opened()) + 1
    assert values(only(*server(), *lines[:at], estimate, *lines[at:]), "kv_cache.memory_gib") == [2.0]


def test_a_load_that_fails_and_one_that_follows() -> None:
    failed = said(
        f'msg="Load failed" model={BLOB} error="timed out waiting for llama runner to start: context canceled"',
        file="sched.go:470",
    )
    first, second = serve(*server(), opened(), failed, *runner()).starts
    assert (first.ready, first.cause) == (False, "timed out waiting for llama runner to start: context canceled")
    assert second.ready is True


def test_a_runner_that_dies_while_serving() -> None:
    start = only(*server(), *runner(), "/src/llama-sampler.cpp:660: GGML_ASSERT(found) failed")
    assert (start.ready, start.outcome) == (True, "ready, then died")
    assert codes(start) == ["died-while-serving"]


def test_an_unloaded_runner_did_not_die() -> None:
    killed = said('msg="llama runner terminated" error="signal: killed"', "ERROR")
    assert only(*server(), *runner(), killed).outcome == "ready"


def test_old_runners_print_neither_slots_nor_sequences() -> None:
    start = only(
        said('msg="starting llama server" cmd="/tmp/ollama_llama_server --model /b --ctx-size 8192 --parallel 4 --port 37021"'),
        "llama_new_context_with_model: n_ctx      = 8192",
        "llama_kv_cache_init:      CUDA0 KV buffer size =  1024.00 MiB",
        "llama_new_context_with_model: KV self size  = 1024.00 MiB, K (f16):  512.00 MiB, V (f16):  512.00 MiB",
        'INFO [main] model loaded | tid="281" timestamp=1744764223',
    )
    assert values(start, "scheduler.max_num_seqs", "requested") == [4]
    (length,) = facts_of(start, "model.max_len")
    assert (length.value, length.stage, length.how) == (2048, "inferred", "n_ctx 8,192 ÷ 4 parallel requests")


def test_a_log_that_begins_within_a_runner() -> None:
    (start,) = serve(*begun()[3:], *context(), *cache(), STARTED, '[GIN] 2026/02/11 | 200 | POST "/api/chat"').starts
    assert values(start, "kv_cache.tokens") == [16_384]


def test_gpus_that_the_runner_does_not_use_say_nothing() -> None:
    other = 'id=GPU-8 library=CUDA name=CUDA7 description="x" total="80.0 GiB" available="1.0 GiB"'
    start = only(*server(), said(f'msg="inference compute" {other}'), *runner())
    assert values(start, "memory.total_gib") == [22.5]


def test_records_broken_at_the_width_of_a_terminal() -> None:
    broken = [
        "time=2026-03-30T13:42:41.021-04:00 level=INFO source=routes.go:1568",
        'msg="Listening on 127.0.0.1:11434 (version 0.19.0)"',
        "time=2026-03-30T13:42:50.021-04:00 level=INFO source=server.go:444",
        'msg="starting runner" cmd="C:\\\\bin\\\\ollama.exe runner --ollama-engine',
        '--model C:\\\\blobs\\\\sha256-0a --port 5000"',
        "time=2026-03-30T13:42:50.063-04:00 level=INFO source=runner.go:1284",
        'msg=load request="{Operation:commit LoraPath:[] Parallel:1 BatchSize:512',
        "FlashAttention:Enabled KvSize:32768 KvCacheType:q8_0 NumThreads:8",
        'GPULayers:33[ID:0 Layers:33(0..32)] UseMmap:false}"',
        'time=2026-03-30T13:42:51.063-04:00 level=INFO source=device.go:251 msg="kv',
        'cache" device=ROCm0 size="544.0 MiB"',
        "time=2026-03-30T13:42:55.063-04:00 level=INFO source=server.go:1376",
        'msg="llama runner started in 4.2 seconds"',
    ]
    start = only(*broken)
    assert (start.ready, start.first_line) == (True, 3)
    assert values(start, "engine.version") == ["0.19.0"]
    assert values(start, "model.path") == ["C:\\blobs\\sha256-0a"]
    assert values(start, "kv_cache.tokens") == [32_768]
    assert values(start, "kv_cache.dtype") == ["q8_0"]
    assert values(start, "kv_cache.memory_gib") == [0.53125]
    assert facts_of(start, "kv_cache.dtype")[0].origins[0].line == 6


def test_flags_of_a_command_line() -> None:
    found = command.flags(
        "/usr/bin/llama-server --model /a path/with blanks.gguf -c 8192 -np 2 --no-webui --flash-attn on -fit -1"
    )
    assert found == {
        "--model": "/a path/with blanks.gguf",
        "-c": "8192",
        "-np": "2",
        "--no-webui": True,
        "--flash-attn": "on",
        "-fit": "-1",
    }
    assert command.model(found) == "/a path/with blanks.gguf"
    assert {field: value for field, value, _ in command.requested(found)} == {
        "scheduler.max_num_seqs": 2,
        "attention.backend": "flash",
    }


def test_one_typed_side_is_no_requested_type() -> None:
    assert list(command.requested({"--cache-type-k": "q8_0"})) == []
    both = {"--cache-type-k": "q8_0", "--cache-type-v": "f16"}
    assert list(command.requested({**both})) == [("kv_cache.dtype", "k=q8_0,v=f16", "--cache-type-k")]


def test_variables_of_the_echoed_environment() -> None:
    body = 'OLLAMA_KV_CACHE_TYPE:q8_0 OLLAMA_LLM_LIBRARY: OLLAMA_MODELS:/x]"'
    assert command.environment(body, "OLLAMA_KV_CACHE_TYPE") == "q8_0"
    assert command.environment(body, "OLLAMA_LLM_LIBRARY") is None
    assert command.environment(body, "OLLAMA_NONE") is None
    assert command.environment(body, "OLLAMA_MODELS") == "/x"
