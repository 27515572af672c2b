"""TGI logs: the launcher's arguments in both forms, shards, capacity, starts and outcomes."""

from __future__ import annotations

import json

import pytest

from kvaudit.parsers.tables import Match, Row, Table
from kvaudit.parsers.tgi import rows, rust_debug
from kvaudit.parsers.tgi.messages import records
from kvaudit.parsers.tgi.parser import TgiLog
from kvaudit.sources.lines import Line
from tests.parsers.engine_logs import codes, facts_of, source_of, starts_of, values

PARSER = TgiLog()
ALL_ROWS = (*rows.FACTS.rows, *rows.LIFE.rows, *rows.NOTICES.rows)
ARGS = [
    "Args {",
    '    model_id: "acme/atlas-27b",',
    "    revision: None,",
    "    num_shard: Some(",
    "        2,",
    "    ),",
    "    quantize: Some(",
    "        Awq,",
    "    ),",
    "    dtype: None,",
    "    kv_cache_dtype: None,",
    "    trust_remote_code: true,",
    "    waiting_served_ratio: 0.3,",
    "    max_total_tokens: Some(",
    "        8192,",
    "    ),",
    "    cors_allow_origin: [],",
    "    graceful_termination_timeout: 90,",
    "}",
]


def launcher(message: str, level: str = "INFO", span: str = "") -> str:
    return f"2025-07-04T12:35:02.586768Z  {level} {span}text_generation_launcher: {message}"


def router(message: str) -> str:
    return f"2025-07-04T12:36:15.367126Z  INFO text_generation_router::server: router/src/server.rs:2298: {message}"


def shard(rank: int) -> str:
    return launcher(f"Starting shard rank={rank}", span="shard-manager: ")


ARGUMENTS = [launcher(ARGS[0]), *ARGS[1:]]
READY = router("Connected")
BLOCKS = launcher("KV-cache blocks: 4096, size: 16")


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = next(Table((row,)).matches(row.example), None)
    assert isinstance(found, Match)
    assert bool(found.values) == bool(row.feeds)


@pytest.mark.parametrize(
    ("text", "own", "level", "message"),
    [
        (launcher("Using default cuda graphs"), True, "INFO", "Using default cuda graphs"),
        (launcher("slow", "WARN"), True, "WARNING", "slow"),
        (shard(1), True, "INFO", "Starting shard rank=1"),
        (READY, True, "INFO", "Connected"),
        ("INFO text_generation_router_v3: backends/v3/src/lib.rs:125: Warming up model", True, "INFO", "Warming up model"),
        ('    model_id: "acme/atlas-27b",', False, "", '    model_id: "acme/atlas-27b",'),
        (
            json.dumps(
                {"timestamp": "2025-07-04T12:35:02Z", "level": "INFO", "message": "Connected", "target": "text_generation_router"}
            ),
            True,
            "INFO",
            "Connected",
        ),
        (
            json.dumps({"level": "WARN", "fields": {"message": "slow"}, "target": "text_generation_launcher"}),
            True,
            "WARNING",
            "slow",
        ),
    ],
)
def test_compact_and_json_lines(text: str, own: bool, level: str, message: str) -> None:
    (record,) = records(Line(3, text))
    assert (record.own, record.level, record.message) == (own, level, message)
    assert text[record.position :].startswith(message)


def test_arguments_over_many_lines() -> None:
    (start,) = starts_of(PARSER, *ARGUMENTS, READY)
    assert values(start, "model.path") == ["acme/atlas-27b"]
    assert values(start, "model.revision") == [None]
    assert values(start, "model.quantization") == ["Awq"]
    assert values(start, "model.max_len") == [8_192]
    assert values(start, "kv_cache.dtype", "requested") == ["auto"]
    assert values(start, "parallel.tensor", "requested") == [2]
    (arguments,) = facts_of(start, "run.args")
    assert arguments.value["num_shard"] == 2
    assert arguments.value["waiting_served_ratio"] == 0.3


def test_arguments_on_one_line() -> None:
    line = launcher('Args { model_id: "acme/atlas-27b", num_shard: Some(2), dtype: Some(BFloat16), env: false }')
    (start,) = starts_of(PARSER, line, READY)
    assert values(start, "model.dtype") == ["bfloat16"]
    assert values(start, "parallel.tensor", "requested") == [2]
    assert values(start, "kv_cache.dtype") == []


def test_an_element_type_that_was_asked_for() -> None:
    line = launcher('Args { model_id: "acme/atlas-27b", kv_cache_dtype: Some(Fp8e4m3fn) }')
    (start,) = starts_of(PARSER, line, READY)
    assert values(start, "kv_cache.dtype", "requested") == ["fp8_e4m3"]


def test_capacity_and_what_the_shards_say() -> None:
    (start,) = starts_of(
        PARSER,
        *ARGUMENTS,
        launcher("Disabling prefix caching because of VLM model"),
        launcher("Using attention flashinfer - Prefix caching 0"),
        launcher("Sharding model on 2 processes"),
        launcher("Default `max_batch_prefill_tokens` to 8000"),
        shard(0),
        shard(1),
        launcher("Using prefill chunking = False"),
        BLOCKS,
        launcher("Cuda Graphs are enabled for sizes [32, 16, 8]"),
        launcher("Reducing the max batch prefill from 8000 to 4096 because there is not enough VRAM to support it."),
        READY,
    )
    assert (start.ready, start.outcome) == (True, "ready")
    assert values(start, "kv_cache.tokens") == [65_536]
    assert values(start, "kv_cache.blocks") == [4_096]
    assert values(start, "kv_cache.block_size") == [16]
    assert values(start, "attention.backend") == ["flashinfer"]
    assert values(start, "kv_cache.prefix_caching") == [False]
    assert values(start, "parallel.tensor", "resolved") == [2]
    assert values(start, "parallel.tensor", "inferred") == []
    assert values(start, "scheduler.max_num_batched_tokens", "resolved") == [4_096]
    assert values(start, "graphs.capture_max") == [32]
    assert codes(start) == ["prefix-caching-forced-off", "prefill-reduced"]


def test_shards_that_started_are_the_ranks_of_a_server_that_serves() -> None:
    (start,) = starts_of(PARSER, launcher('Args { model_id: "acme/atlas-27b" }'), shard(0), READY)
    assert values(start, "parallel.tensor", "inferred") == [1]
    (unfinished,) = starts_of(PARSER, launcher('Args { model_id: "acme/atlas-27b" }'), shard(0))
    assert values(unfinished, "parallel.tensor") == []


def test_a_shard_that_failed() -> None:
    (start,) = starts_of(
        PARSER,
        *ARGUMENTS,
        shard(0),
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        launcher("Shard 0 failed to start", "ERROR"),
    )
    assert start.ready is False
    assert start.cause == "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def test_a_server_that_died_and_one_that_was_stopped() -> None:
    (died,) = starts_of(PARSER, *ARGUMENTS, READY, launcher("Shard 0 crashed", "ERROR"))
    assert (died.ready, died.outcome) == (True, "ready, then died")
    (stopped,) = starts_of(PARSER, *ARGUMENTS, READY, launcher("Terminating shard"), launcher("Shard 0 terminated"))
    assert (stopped.ready, stopped.outcome) == (True, "ready")


def test_arguments_open_the_next_start() -> None:
    first, second = starts_of(PARSER, *ARGUMENTS, BLOCKS, READY, *ARGUMENTS, READY)
    assert (first.last_line, second.first_line) == (21, 22)
    assert values(second, "kv_cache.tokens") == []


def test_what_is_a_log() -> None:
    assert PARSER.recognises(source_of(PARSER, BLOCKS + "\n")) == 0.9
    assert PARSER.recognises(source_of(PARSER, "KV-cache blocks: 4096, size: 16\n")) == 0.0
    assert PARSER.recognises(source_of(PARSER, "# A\n\n## B\n\n```\n" + BLOCKS + "\n```\n")) == 0.0


@pytest.mark.parametrize(
    ("text", "fields", "whole"),
    [
        ('Args { a: None, b: Some("x, }"), c: [1, -2], d: On }', {"a": None, "b": "x, }", "c": [1, -2], "d": "On"}, True),
        ('Args { a: "say \\"no\\"", b: Some(Inner { c: 1.5 }) }', {"a": 'say "no"', "b": {"c": 1.5}}, True),
        ('Args { a: 1, b: "cut', {"a": 1}, False),
        ("Args { a: 12", {}, False),
        ("Args { a: " + "Some(" * 100, {}, False),
        ("Args { A: 1 }", {}, False),
        ("no struct", {}, False),
    ],
)
def test_rusts_debug_output(text: str, fields: dict[str, object], whole: bool) -> None:
    assert rust_debug.fields(text) == (fields, whole)
