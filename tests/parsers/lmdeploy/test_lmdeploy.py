"""LMDeploy logs: both engines, their dumps and pools, starts and outcomes."""

from __future__ import annotations

import pytest

from kvaudit.parsers.lmdeploy import rows
from kvaudit.parsers.lmdeploy.messages import records
from kvaudit.parsers.lmdeploy.parser import LmdeployLog
from kvaudit.parsers.tables import Match, Row, Table
from kvaudit.sources.lines import Line
from tests.parsers.engine_logs import codes, facts_of, source_of, starts_of, values

PARSER = LmdeployLog()
ALL_ROWS = (*rows.FACTS.rows, *rows.LIFE.rows, *rows.NOTICES.rows)
READY = "INFO:     Uvicorn running on http://0.0.0.0:23333 (Press CTRL+C to quit)"


def stamped(message: str, level: str = "INFO") -> str:
    return f"2026-03-09 07:41:00,846 - lmdeploy - {level} - async_engine.py:105 - {message}"


def asked(backend: str = "turbomind", policy: str = "0", dtype: str = "auto") -> str:
    name = {"turbomind": "TurbomindEngineConfig", "pytorch": "PytorchEngineConfig"}[backend]
    size = "cache_block_seq_len" if backend == "turbomind" else "block_size"
    keys = (
        f"dtype='{dtype}', tp=2, dp=1, session_len=None, max_batch_size=128, cache_max_entry_count=0.8, {size}=64, "
        f"enable_prefix_caching=False, quant_policy={policy}, revision=None, max_prefill_token_num=8192"
    )
    return stamped(f"input backend={backend}, backend_config={name}({keys})")


BLOCKS = ["[TM][INFO] [BlockManager] block_size = 4.000 MB", "[TM][INFO] [BlockManager] max_block_count = 2048"]


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = next(Table((row,)).matches(row.example), None)
    assert isinstance(found, Match)
    assert bool(found.values) == bool(row.feeds)


@pytest.mark.parametrize(
    ("text", "own", "level", "message"),
    [
        ("2024-07-05 23:57:38,582 - lmdeploy - INFO - input backend=pytorch, x", True, "INFO", "input backend=pytorch, x"),
        ("2026-03-09 07:41:00,846 - lmdeploy - WARNING - a.py:1 - slow", True, "WARNING", "slow"),
        ("[TM][INFO] [BlockManager] chunk_size = 1", True, "INFO", "[BlockManager] chunk_size = 1"),
        ("[TM][INFO][0930.14:37:15.641964][turbomind.cc:319] Object cache", True, "INFO", "Object cache"),
        ("INFO:     Application startup complete.", False, "INFO", "Application startup complete."),
    ],
)
def test_the_loggers_of_all_eras(text: str, own: bool, level: str, message: str) -> None:
    (record,) = records(Line(3, text))
    assert (record.own, record.level, record.message) == (own, level, message)
    assert text[record.position :] == message


def test_a_line_behind_a_progress_bar() -> None:
    bar, record = records(Line(1, "Loading:   0%|  | 0/36\r[TM][INFO] [BlockManager] max_block_count = 7"))
    assert (bar.own, record.message) == (False, "[BlockManager] max_block_count = 7")


def test_turbomind_counts_blocks() -> None:
    (start,) = starts_of(PARSER, asked(), *BLOCKS, READY)
    assert start.ready is True
    assert values(start, "engine.core") == ["turbomind"]
    assert values(start, "kv_cache.blocks") == [2_048]
    # 2,048 blocks of 64 tokens and 4 MiB
    assert values(start, "kv_cache.tokens") == [131_072]
    assert values(start, "kv_cache.memory_gib") == [8.0]
    assert values(start, "parallel.tensor", "requested") == [2]
    assert values(start, "model.revision") == [None]


def test_whole_mebibytes_are_too_coarse_for_the_memory() -> None:
    (start,) = starts_of(PARSER, asked(), "[TM][INFO] [BlockManager] block_size = 4 MB", BLOCKS[1], READY)
    assert values(start, "kv_cache.tokens") == [131_072]
    assert values(start, "kv_cache.memory_gib") == []


def test_the_budget_of_newer_releases_is_memory_without_tokens() -> None:
    line = "[TM][INFO][0930.14:37:15.6][turbomind.cc:319] Object cache budget: 40960.00 MB from free 51200.00 MB and ratio 0.800"
    (start,) = starts_of(PARSER, asked(), line, READY)
    assert values(start, "kv_cache.memory_gib") == [40.0]
    assert values(start, "memory.static_fraction", "observed") == [0.8]
    assert values(start, "kv_cache.tokens") == []


@pytest.mark.parametrize("split", [True, False])
def test_the_pytorch_engine_counts_blocks_of_tokens(split: bool) -> None:
    config = (
        "CacheConfig(max_batches=128, block_size=64, num_cpu_blocks=128, num_gpu_blocks=4096, window_size=-1, quant_policy=0)"
    )
    lines = (
        [stamped("Building CacheEngine with config: "), f"{config}."]
        if split
        else [stamped(f"build CacheEngine with config:{config}")]
    )
    updated = stamped(
        "updated backend_config=PytorchEngineConfig(dtype='auto', tp=2, session_len=32768, block_size=64, quant_policy=0)"
    )
    (start,) = starts_of(PARSER, asked("pytorch"), *lines, updated, READY)
    assert values(start, "kv_cache.blocks") == [4_096]
    assert values(start, "kv_cache.tokens") == [262_144]
    assert values(start, "model.max_len", "resolved") == [32_768]
    assert values(start, "parallel.tensor", "resolved") == [2]


def test_the_draft_models_cache_behind_the_models_does_not_count() -> None:
    cache = "CacheConfig(max_batches=128, block_size=64, num_gpu_blocks={})."
    (start,) = starts_of(PARSER, asked("pytorch"), cache.format(4_096), cache.format(512), READY)
    assert values(start, "kv_cache.blocks") == [4_096]


@pytest.mark.parametrize(
    ("policy", "clue", "asked_for"),
    [("0", "model", "auto"), ("8", "int8", "int8"), ("4", "int4", "int4"), ("<QuantPolicy.INT8: 8>", "int8", "int8")],
)
def test_the_policy_names_the_element_type(policy: str, clue: str, asked_for: str) -> None:
    (start,) = starts_of(PARSER, asked(policy=policy), READY)
    assert values(start, "clue.kv_dtype_engine_line") == [clue]
    assert values(start, "kv_cache.dtype", "requested") == [asked_for]


def test_a_policy_that_was_not_read_is_no_type() -> None:
    (start,) = starts_of(PARSER, asked(policy="42"), READY)
    assert values(start, "clue.kv_dtype_engine_line") == []
    assert values(start, "kv_cache.dtype") == []


def test_speculation_that_is_off() -> None:
    (start,) = starts_of(PARSER, asked("pytorch"), stamped("speculative_config=None"), READY)
    assert values(start, "speculative.method") == ["none"]


def test_notices_and_failures() -> None:
    lines = [
        stamped("Prefix caching is not available for window attention.", "WARNING"),
        "RuntimeError: No enough gpu memory for kv cache.",
    ]
    (start,) = starts_of(PARSER, asked("pytorch"), *lines)
    assert codes(start) == ["prefix-caching-forced-off"]
    assert (start.ready, start.cause) == (False, "RuntimeError: No enough gpu memory for kv cache.")


def test_a_second_configuration_is_a_second_start() -> None:
    first, second = starts_of(PARSER, asked(), *BLOCKS, READY, asked(policy="8"), READY)
    assert (first.first_line, first.last_line, second.first_line) == (1, 4, 5)
    assert values(second, "kv_cache.blocks") == []


def test_what_is_a_log() -> None:
    assert PARSER.recognises(source_of(PARSER, asked() + "\n")) == 0.9
    assert PARSER.recognises(source_of(PARSER, "# A\n\n## B\n\n```\n" + asked() + "\n```\n")) == 0.0
    assert PARSER.recognises(source_of(PARSER, "input backend=turbomind, backend_config=TurbomindEngineConfig(\n")) == 0.0


def test_a_cut_dump_says_what_stands_before_the_cut() -> None:
    (start,) = starts_of(PARSER, asked()[:160], READY)
    (tensor,) = facts_of(start, "parallel.tensor")
    assert (tensor.value, tensor.origins[0].line) == (2, 1)
    assert values(start, "clue.kv_dtype_engine_line") == []
