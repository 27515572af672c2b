"""Which start a line belongs to: restarts, two writers, data parallelism, other applications, dumps."""

from __future__ import annotations

from tests.parsers.engine_logs import values
from tests.parsers.vllm.logs import ENGINE_LINE, read_log, served, stamped

FAILURE = (
    "ValueError: Free memory on device cuda:0 (10.0/80.0 GiB) on startup is less than desired GPU memory utilization "
    "(0.9, 72.0 GiB)."
)


def failed(api: int, engine: int) -> str:
    server, core = f"APIServer pid={api}", f"EngineCore pid={engine}"
    lines = [
        stamped(" ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.24.0", server),
        stamped("non-default args: {'model': 'acme/tiny-llama'}", server),
        stamped(ENGINE_LINE, core),
        stamped("EngineCore failed to start.", core, "ERROR"),
        stamped("Traceback (most recent call last):", core, "ERROR"),
        stamped(FAILURE, core, "ERROR"),
        f"({server}) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {{}}",
    ]
    return "\n".join(lines) + "\n"


def test_one_start_with_workers_counts_once() -> None:
    reading = read_log(served(100, 200))
    assert len(reading.starts) == 1
    start = reading.starts[0]
    assert (start.ready, start.outcome, start.first_line, start.last_line) == (True, "ready", 1, 15)
    assert [fact.value for fact in reading.facts if fact.field == "engine.starts"] == [1]


def test_a_failed_start_and_its_successor() -> None:
    first, second = read_log(failed(100, 200) + served(300, 400)).starts
    assert (first.ready, first.outcome, first.cause) == (False, "failed: not enough free memory", FAILURE)
    assert (first.first_line, first.last_line) == (1, 7)
    assert (second.ready, second.first_line) == (True, 8)
    assert values(first, "kv_cache.tokens") == []
    assert values(second, "engine.failure") == []


def test_the_tail_of_a_start_keeps_to_itself_when_the_server_starts_again() -> None:
    """`docker logs --tail`: of the first start only its engine core's last words are left."""
    tail = stamped("subprocess.CalledProcessError: Command '' died with <Signals.SIGHUP: 1>.", "EngineCore pid=190", "ERROR")
    first, second = read_log(tail + "\n" + served(300, 400)).starts
    assert (first.first_line, second.first_line) == (1, 2)
    assert values(first, "model.architecture") == []
    assert values(second, "model.architecture") == ["LlamaForCausalLM"]


def test_a_container_reuses_its_process_ids() -> None:
    first, second = read_log(served(1, 91) + served(1, 91, tokens="262,144", model="acme/other")).starts
    assert values(first, "kv_cache.tokens") == [524_288]
    assert values(second, "kv_cache.tokens") == [262_144]
    assert values(second, "model.path", "requested") == ["acme/other"]


def test_two_writers_in_one_file_keep_their_facts_apart() -> None:
    survivor = served(500, 600).splitlines()[6:]
    reading = read_log(failed(100, 200) + "\n".join(survivor) + "\n")
    first, second = reading.starts
    assert (first.ready, second.ready) == (False, True)
    assert values(first, "model.weights_gib") == []
    assert values(second, "kv_cache.tokens") == [524_288]
    assert values(second, "model.path") == []
    assert values(second, "parallel.tensor") == [2]
    assert values(second, "engine.core") == ["v1"]


def test_interleaved_writers_are_told_apart_by_pid() -> None:
    one, two = served(100, 200).splitlines(), served(300, 400, tokens="262,144").splitlines()
    mixed = [line for pair in zip(one, two, strict=True) for line in pair]
    reading = read_log("\n".join(mixed) + "\n")
    assert sorted(value for start in reading.starts for value in values(start, "kv_cache.tokens")) == [262_144, 524_288]
    assert [start.ready for start in reading.starts] == [True, True]


def test_data_parallel_engines_and_api_servers_are_one_start() -> None:
    lines = [
        stamped(
            "non-default args: {'model': 'acme/tiny-llama', 'data_parallel_size': 2, 'api_server_count': 2}", "MainProcess pid=1"
        ),
        stamped("Resolved architecture: LlamaForCausalLM", "ApiServer_0 pid=4"),
        stamped("Resolved architecture: LlamaForCausalLM", "ApiServer_1 pid=5"),
        stamped(ENGINE_LINE, "EngineCore_DP0 pid=2"),
        stamped(ENGINE_LINE, "EngineCore_DP1 pid=3"),
        stamped("GPU KV cache size: 1,000 tokens", "EngineCore_DP1 pid=3"),
        stamped("GPU KV cache size: 1,016 tokens", "EngineCore_DP0 pid=2"),
        stamped("Starting vLLM server on http://0.0.0.0:8000", "ApiServer_0 pid=4"),
        stamped("Starting vLLM server on http://0.0.0.0:8000", "ApiServer_1 pid=5"),
        "INFO:     Started server process [4]",
        "INFO:     Application startup complete.",
        "INFO:     Application startup complete.",
    ]
    reading = read_log("\n".join(lines) + "\n")
    assert len(reading.starts) == 1
    start = reading.starts[0]
    assert start.ready
    assert {fact.scope: fact.value for fact in start.facts if fact.field == "kv_cache.tokens"} == {"DP1": 1_000, "DP0": 1_016}
    assert values(start, "parallel.data") == [2], "each engine of a dense model prints 1 for itself"
    assert values(start, "parallel.gpus") == [4]


def test_a_crash_dump_is_no_start() -> None:
    dump = ENGINE_LINE.replace("Initializing a V1", "Dumping input data for V1")
    text = served(100, 200) + stamped(dump, "EngineCore pid=200", "ERROR") + "\n"
    assert len(read_log(text).starts) == 1


def test_another_application_does_not_make_vllm_ready() -> None:
    lines = [
        "INFO:     Started server process [9]",
        "INFO:     Application startup complete.",
        stamped("non-default args: {'model': 'acme/tiny-llama'}"),
        stamped(ENGINE_LINE),
        "INFO:     Started server process [10]",
        "INFO:     Application startup complete.",
    ]
    (start,) = read_log("\n".join(lines) + "\n").starts
    assert start.ready is None


def test_offline_runs_one_after_the_other() -> None:
    run = "\n".join(
        [
            stamped("non-default args: {'model': 'acme/tiny-llama'}"),
            stamped(ENGINE_LINE),
            stamped("GPU KV cache size: 2,048 tokens"),
            "Processed prompts:   0%|  | 0/4 [00:00<?, ?it/s]\rProcessed prompts: 100%|██| 4/4 [00:01<00:00,  2.10it/s]",
        ]
    )
    starts = read_log(f"{run}\n{run}\n{run}\n").starts
    assert [start.ready for start in starts] == [True, True, True]
    assert [(start.first_line, start.last_line) for start in starts] == [(1, 4), (5, 8), (9, 12)]


def test_lines_that_two_handlers_wrote_twice_are_one_start() -> None:
    doubled = "".join(f"{line}\n{line}\n" for line in served(100, 200).splitlines())
    reading = read_log(doubled)
    assert len(reading.starts) == 1
    assert values(reading.starts[0], "kv_cache.tokens") == [524_288]


def test_a_refused_command_line_is_a_failed_start() -> None:
    (start,) = read_log("usage: vllm [-h]\nvllm: error: unrecognized arguments: --no-such-flag\n").starts
    assert (start.ready, start.outcome) == (False, "failed: bad arguments")


def test_a_fragment_of_statistics_is_a_serving_start() -> None:
    text = stamped(
        "Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 5.0 tokens/s, Running: 2 reqs, "
        "Waiting: 1 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 39.4%",
        "APIServer pid=8",
    )
    (start,) = read_log(text + "\n").starts
    assert start.ready
    assert values(start, "model.path") == []
    assert values(start, "runtime.prefix_hit_rate") == [0.394]


def test_an_engine_line_says_whose_it_is_when_two_starts_load_at_once() -> None:
    lines = [
        stamped("non-default args: {'model': 'acme/one'}", "APIServer pid=10"),
        stamped("non-default args: {'model': 'acme/two'}", "APIServer pid=11"),
        stamped("Resolved architecture: LlamaForCausalLM", "APIServer pid=10"),
        stamped(ENGINE_LINE.replace("acme/tiny-llama", "acme/one"), "EngineCore pid=21"),
        stamped(ENGINE_LINE.replace("acme/tiny-llama", "acme/two"), "EngineCore pid=20"),
    ]
    first, second = read_log("\n".join(lines) + "\n").starts
    assert set(values(first, "model.path")) == {"acme/one"}
    assert set(values(second, "model.path")) == {"acme/two"}


def test_a_line_before_the_banner_belongs_to_the_next_start_once_the_last_is_over() -> None:
    early = stamped("Automatically detected platform rocm.", file="__init__.py")
    first, second = read_log(failed(100, 200) + early + "\n" + served(300, 400)).starts
    assert values(first, "engine.platform") == []
    assert values(second, "engine.platform", "resolved") == ["rocm"]
    assert second.first_line == 8


def test_hostile_numbers_do_not_stop_the_reading() -> None:
    digits = "9" * 5000
    lines = [
        stamped(
            f"Avg prompt throughput: 1.0 tokens/s, Running: {digits} reqs, GPU KV cache usage: 1.2.3%, Preemptions: {digits}"
        ),
        stamped(f"GPU KV cache size: {digits} tokens"),
        stamped(f"Maximum concurrency for {digits} tokens per request: {digits}.{digits}x"),
        f"INFO:     Started server process [{digits}]",
        stamped("Model loading took 1.2.3 GiB memory and 1 seconds"),
        stamped(f"non-default args: {{'max_num_seqs': {digits}}}"),
        stamped(ENGINE_LINE.replace("v0.24.0", f"v0.{digits}.0")),
        stamped("Hello", f"Worker_TP{digits} pid=7"),
    ]
    starts = read_log("\n".join(lines) + "\n").starts
    for field in ("kv_cache.tokens", "runtime.max_running", "runtime.preemptions", "kv_cache.max_concurrency"):
        assert [values(start, field) for start in starts] == [[]] * len(starts)
