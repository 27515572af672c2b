from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.inspection.engines import ENGINES, engine_rows, newest_read, newest_value, releases
from kvaudit.record.inspection.model import EngineRow

CONFIG: dict[str, Any] = {"architecture": "LlamaForCausalLM", "kv_lora_rank": None}
CT = {
    "file": "config.json",
    "has_block": True,
    "method": "compressed-tensors",
    "kv": "fp8",
    "nested": False,
    "kv_num_bits": 8,
    "kv_type": "float",
    "kv_strategy": "tensor",
    "kv_symmetric": True,
    "kv_dynamic": False,
}
MIXED = {"file": "config.json", "has_block": True, "method": "modelopt", "quant_algo": "MIXED_PRECISION", "kv": "none"}
FILE = {
    "file": "hf_quant_config.json",
    "has_block": True,
    "method": "modelopt",
    "producer": "modelopt",
    "quant_algo": "FP8",
    "kv": "fp8",
    "kv_key": "kv_cache_quant_algo",
    "kv_num_bits": None,
}
NOTHING = {"file": "config.json", "has_block": False, "method": "", "kv": "none"}


def told(engine: str, *statements: dict[str, Any], config: dict[str, Any] | None = None, **more: Any) -> list[tuple[Any, ...]]:
    rows = engine_rows(statements, config or CONFIG, "float16", **more)
    return [(row.since, row.until, row.kv_dtype, row.file) for row in rows if row.engine == engine]


def test_a_table_becomes_rows_in_the_order_of_releases() -> None:
    assert told("vllm", CT) == [
        (None, "0.15", "float16", "config.json"),
        ("0.15", "0.22", "fp8", "config.json"),
        ("0.22", None, "fp8", "config.json"),
    ]


def test_the_file_speaks_for_vllm_only_where_config_json_has_no_block() -> None:
    assert told("vllm", NOTHING, FILE)[-1] == ("0.14", None, "fp8_e4m3", "hf_quant_config.json")
    assert told("vllm", MIXED, FILE) == [(None, None, "float16", "config.json")]


def test_sglang_falls_through_to_the_file_beside_a_mixed_block() -> None:
    assert told("sglang", MIXED, FILE) == [
        (None, "0.5.3", "float16", "config.json"),
        ("0.5.3", "0.5.19", None, None),
        ("0.5.19", None, "fp8_e4m3", "hf_quant_config.json"),
    ]


def test_tensorrt_llm_reads_the_file_first() -> None:
    assert told("tensorrt_llm", MIXED, FILE)[-1][2:] == ("fp8_e4m3", "hf_quant_config.json")


def test_a_whole_checkpoint_that_says_nothing_keeps_the_models_dtype() -> None:
    assert told("tensorrt_llm", NOTHING) == [(None, None, None, None)]
    assert told("tensorrt_llm", NOTHING, whole=True)[-1] == ("0.17", None, "float16", None)
    assert told("tensorrt_llm", CT, whole=True) == told("tensorrt_llm", CT)


def test_releases_that_were_not_read_are_not_filled_in() -> None:
    assert told("tensorrt_llm", CT) == [(None, "1.3", None, None), ("1.3", None, "fp8_e4m3", "config.json")]


def test_latent_attention_has_no_place_for_a_scheme_in_vllm() -> None:
    assert told("vllm", CT, config=CONFIG | {"kv_lora_rank": 512}) == [(None, None, "float16", "config.json")]


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_models_with_a_layout_of_their_own_are_left_to_the_worker(engine: str) -> None:
    rows = engine_rows([CT], CONFIG | {"architecture": "DeepseekV32ForCausalLM"}, "bfloat16")
    (row,) = [row for row in rows if row.engine == engine]
    assert (row.kv_dtype, row.shown) == (None, None)
    assert "only a worker's line settles it" in row.source


def test_gguf_is_for_llama_cpp_and_a_configuration_is_not() -> None:
    gguf = {"file": "gguf", "method": "gguf", "has_block": False, "kv": "none"}
    assert [row[2] for row in told("llama_cpp", gguf)] == ["float16", None, "float16"]
    assert told("tensorrt_llm", gguf) == []
    assert told("llama_cpp", CT) == []


def test_no_statement_at_all_gives_no_rows() -> None:
    assert engine_rows([], CONFIG, "bfloat16") == []


def test_the_newest_row_is_the_one_without_an_end() -> None:
    rows = engine_rows([CT], CONFIG, "bfloat16")
    newest = newest_value(rows, "vllm")
    assert newest is not None
    assert (newest.since, newest.kv_dtype) == ("0.22", "fp8")
    assert newest_value(rows, "llama_cpp") is None


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_a_table_that_says_how_far_it_was_read(engine: str) -> None:
    assert newest_read(engine)


@pytest.mark.parametrize(
    ("engine", "since", "until", "words"),
    [
        ("vllm", None, None, "every release"),
        ("vllm", None, "0.15", "before 0.15"),
        ("vllm", "0.15", "0.22", "0.15 to before 0.22"),
        ("vllm", "0.22", None, "0.22 and newer"),
        ("llama_cpp", "9181", None, "build 9181 and newer"),
        ("llama_cpp", None, "9094", "before build 9094"),
    ],
)
def test_releases_in_words(engine: str, since: str | None, until: str | None, words: str) -> None:
    row = EngineRow(
        engine=engine, since=since, until=until, kv_dtype=None, shown=None, beats_flag=False, row=None, source="", file=None
    )
    assert releases(row) == words
