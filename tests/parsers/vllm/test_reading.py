"""Whole readings: ranks, dummies, notices, statistics, joined lines, unparsed lines, notes."""

from __future__ import annotations

from kvaudit.parsers.facts import Start
from tests.parsers.engine_logs import facts_of, values
from tests.parsers.vllm.logs import ENGINE_LINE, read_log, served, stamped

CORE, SERVER = "EngineCore pid=200", "APIServer pid=100"


def only(*lines: str) -> Start:
    (start,) = read_log("\n".join(lines) + "\n").starts
    return start


def codes(start: Start) -> list[str]:
    return [note["code"] for value in values(start, "engine.notices") for note in value]


def test_ranks_keep_their_own_values() -> None:
    (start,) = read_log(served(100, 200)).starts
    assert {fact.scope: fact.value for fact in facts_of(start, "model.weights_gib")} == {"TP0": 7.5, "TP1": 7.52}
    assert [(fact.scope, fact.unit) for fact in facts_of(start, "kv_cache.memory_gib")] == [("TP0", "GiB")]


def test_unlabelled_repeats_are_told_apart() -> None:
    start = only(
        stamped(ENGINE_LINE),
        stamped("GPU KV cache size: 69,920 tokens"),
        stamped("GPU KV cache size: 69,904 tokens"),
        stamped("GPU KV cache size: 69,920 tokens"),
    )
    assert {fact.scope: fact.value for fact in facts_of(start, "kv_cache.tokens")} == {None: 69_920, "#2": 69_904}


def test_a_batching_line_of_a_dummy_configuration_does_not_count() -> None:
    dummy = stamped("Chunked prefill is enabled with max_num_batched_tokens=2048.")
    start = only(dummy, stamped("non-default args: {'model': 'acme/tiny-llama'}", SERVER), stamped(ENGINE_LINE, CORE))
    assert values(start, "scheduler.max_num_batched_tokens") == []
    start = only(
        dummy,
        stamped("non-default args: {'model': 'acme/tiny-llama'}", SERVER),
        stamped("Chunked prefill is enabled with max_num_batched_tokens=8192.", SERVER),
        stamped(ENGINE_LINE, CORE),
        dummy,
    )
    assert values(start, "scheduler.max_num_batched_tokens") == [8192]


def test_a_server_that_prints_neither_banner_nor_arguments_has_its_batching_line_before_the_engine_line() -> None:
    start = only(stamped("Chunked prefill is enabled with max_num_batched_tokens=8192."), stamped(ENGINE_LINE))
    assert values(start, "scheduler.max_num_batched_tokens") == [8192]


def test_a_crash_dump_speaks_where_the_engine_line_is_cut_off() -> None:
    dump = ENGINE_LINE.replace("Initializing a V1 LLM engine", "Dumping input data for V1 LLM engine") + ", "
    capacity, failed = stamped("GPU KV cache size: 65,536 tokens", CORE), stamped(dump, CORE, "ERROR", "dump_input.py")
    start = only(capacity, failed)
    assert values(start, "engine.version") == ["0.24.0"]
    assert values(start, "parallel.tensor") == [2]
    first = stamped(ENGINE_LINE.replace("max_seq_len=8192", "max_seq_len=4096"), CORE)
    assert values(only(first, capacity, failed), "model.max_len") == [4096]


def test_a_plugin_names_the_platform_that_its_engine_line_calls_cpu() -> None:
    line = ENGINE_LINE.replace("device_config=cuda", "device_config=cpu")
    plugin = stamped("Platform plugin neuron is activated", file="__init__.py")
    assert values(only(stamped(line)), "engine.platform") == ["cpu"]
    assert values(only(plugin, stamped(line)), "engine.platform") == ["neuron"]


def test_a_line_behind_an_unset_configuration_does_not_count() -> None:
    start = only(
        stamped("non-default args: {'model': 'acme/tiny-llama'}", SERVER),
        stamped("Current vLLM config is not set.", SERVER, "WARNING"),
        stamped("Chunked prefill is enabled with max_num_batched_tokens=2048.", SERVER),
    )
    assert values(start, "scheduler.max_num_batched_tokens") == []


def test_the_drafters_lines_do_not_speak_for_the_model() -> None:
    start = only(
        stamped("Resolved architecture: LlamaForCausalLM", SERVER),
        stamped("Using max model len 8192", SERVER),
        stamped("Resolved architecture: LlamaForCausalLMEagle3", SERVER),
        stamped("Using max model len 131072", SERVER),
        stamped(ENGINE_LINE, CORE),
        stamped("Loading drafter model...", CORE),
        stamped("Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN'].", CORE),
        stamped("Using 'MARLIN' WNA16 MoE backend.", CORE),
    )
    assert values(start, "model.architecture") == ["LlamaForCausalLM"]
    assert values(start, "model.max_len") == [8192]
    assert values(start, "attention.backend") == []
    assert values(start, "moe.backend") == []


def test_a_fitted_context_is_stronger_than_the_engine_line() -> None:
    start = only(
        stamped(ENGINE_LINE, CORE),
        stamped("Auto-fit max_model_len: reduced from 8192 to 4096 to fit in available GPU memory (1.2 GiB available)", CORE),
    )
    assert values(start, "model.max_len", "observed") == [4096]
    assert codes(start) == ["context-auto-fit"]


def test_notices_keep_the_engines_words_once() -> None:
    line = stamped("Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND", SERVER, "WARNING")
    other = stamped("Unknown vLLM environment variable detected: VLLM_OLD", SERVER, "WARNING")
    start = only(line, line, other)
    assert values(start, "engine.notices") == [
        [{"code": "unknown-environment-variable", "text": "Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND"}],
        [{"code": "unknown-environment-variable", "text": "Unknown vLLM environment variable detected: VLLM_OLD"}],
    ]


def test_statistics_are_summed_peaked_or_last() -> None:
    def line(running: int, usage: str, hit: str, preempted: str = "") -> str:
        return stamped(
            f"Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 5.0 tokens/s, "
            f"Running: {running} reqs, Waiting: 1 reqs{preempted}, GPU KV cache usage: {usage}%, Prefix cache hit rate: {hit}%, "
            "External prefix cache hit rate: 90.0%",
            SERVER,
        )

    start = only(
        stamped(ENGINE_LINE, CORE),
        line(8, "40.0", "10.0", ", Preemptions: 2"),
        line(4, "97.5", "39.4", ", Preemptions: 3"),
        line(2, "5.0", "31.7"),
        stamped(
            "SpecDecoding metrics: Mean acceptance length: 2.00, Accepted: 30 tokens, Drafted: 60 tokens, Rate: 50.0%", SERVER
        ),
        stamped("SpecDecoding metrics: Mean acceptance length: 1.00, Accepted: 0 tokens, Drafted: 40 tokens, Rate: 0.0%", SERVER),
    )
    assert values(start, "runtime.prefix_hit_rate") == [0.317]
    assert values(start, "runtime.kv_usage_peak") == [0.975]
    assert values(start, "runtime.max_running") == [8]
    assert values(start, "runtime.max_waiting") == [1]
    assert values(start, "runtime.preemptions") == [5]
    assert values(start, "runtime.spec_acceptance") == [0.3]
    assert [fact.origins[0].line for fact in facts_of(start, "runtime.prefix_hit_rate")] == [4]


def test_no_hit_rate_where_caching_is_off() -> None:
    start = only(
        stamped(ENGINE_LINE.replace("enable_prefix_caching=True", "enable_prefix_caching=False"), CORE),
        stamped("Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs, Prefix cache hit rate: 0.0%", SERVER),
    )
    assert values(start, "runtime.prefix_hit_rate") == []


def test_an_engine_line_that_a_terminal_wrapped_is_joined() -> None:
    line = stamped(ENGINE_LINE, CORE)
    wrapped = "\n".join(line[at : at + 97] for at in range(0, len(line), 97))
    reading = read_log(f"{wrapped}\n{stamped('GPU KV cache size: 2,048 tokens', CORE)}\n")
    start = reading.starts[0]
    assert values(start, "graphs.mode") == ["FULL_AND_PIECEWISE"]
    assert values(start, "kv_cache.prefix_caching") == [True]
    assert len(reading.notes) == 1


def test_a_cut_engine_line_is_not_joined_with_other_records() -> None:
    cut = stamped(ENGINE_LINE, CORE)[:400]
    start = only(cut, stamped("GPU KV cache size: 2,048 tokens", CORE))
    assert values(start, "model.path") == ["acme/tiny-llama"]
    assert values(start, "graphs.mode") == []


def test_the_end_of_a_cut_file_feeds_nothing() -> None:
    text = stamped(ENGINE_LINE, CORE) + "\n" + stamped("Resolved architecture: LlamaForCau", SERVER)
    (start,) = read_log(text).starts
    assert values(start, "model.architecture") == []
    (start,) = read_log(text + "\n").starts
    assert values(start, "model.architecture") == ["LlamaForCau"]


def test_a_hint_without_its_pattern_is_shown() -> None:
    reading = read_log(served(100, 200) + stamped("GPU KV cache size: plenty", CORE) + "\n")
    assert [(item.line, item.excerpt.endswith("plenty")) for item in reading.unparsed] == [(16, True)]


def test_healthy_logs_leave_nothing_unparsed() -> None:
    assert read_log(served(100, 200)).unparsed == []


def test_a_newer_engine_is_noted() -> None:
    reading = read_log(stamped(ENGINE_LINE.replace("v0.24.0", "v0.41.2"), CORE) + "\n")
    assert any("0.41.2" in note for note in reading.notes)
    assert not read_log(stamped(ENGINE_LINE.replace("v0.24.0", "v0.1.dev1+gabc"), CORE) + "\n").notes


def test_worker_words_about_the_kv_dtype_are_clues() -> None:
    start = only(
        stamped("Using uncalibrated q_scale 1.0 and/or prob_scale 1.0 with fp8 attention. This may cause accuracy issues.", CORE),
        stamped("Using DeepSeek's fp8_ds_mla KV cache format.", CORE),
    )
    assert values(start, "clue.kv_dtype_worker") == ["fp8_ds_mla"]
    assert values(start, "kv_cache.dtype") == []


def test_milestones_and_processes() -> None:
    (start,) = read_log(served(100, 200)).starts
    assert values(start, "clue.log_reached") == ["arguments", "engine", "weights", "capacity", "ready"]
    assert values(start, "clue.process_ids") == [
        {"APIServer": [100], "EngineCore": [200], "Worker_TP0": [201], "Worker_TP1": [202]}
    ]


def test_a_log_as_json_lines() -> None:
    def line(message: str, process: str, pid: int) -> str:
        import json

        return json.dumps(
            {
                "asctime": "2026-05-01 12:00:00",
                "levelname": "INFO",
                "name": "vllm",
                "processName": process,
                "process": pid,
                "message": message,
            }
        )

    start = only(line(ENGINE_LINE, "EngineCore", 200), line("GPU KV cache size: 2,048 tokens", "EngineCore", 200))
    assert values(start, "kv_cache.tokens") == [2048]
    assert values(start, "parallel.tensor") == [2]
