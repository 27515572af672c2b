"""Each format: told by its keys, its figures under the common names and units, each with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kvaudit.parsers.results.formats import FORMATS
from tests.parsers.results import samples
from tests.parsers.results.files import figures, one_run, reading_of, recognised_as, runs_of, said

each_format = pytest.mark.parametrize("name", list(samples.EVERY))


def test_every_format_has_a_sample() -> None:
    assert {one.name for one in FORMATS} == set(samples.EVERY)


@each_format
@pytest.mark.parametrize("indent", [None, 2])
def test_a_format_is_told_and_every_figure_has_its_line(tmp_path: Path, name: str, indent: int | None) -> None:
    text = samples.written(samples.EVERY[name](), indent)
    reading = reading_of(tmp_path, text)
    assert reading.kind == "results"
    lines = text.split("\n")
    runs = runs_of(reading)
    assert runs
    for run in runs:
        for quantity, held in run.values.items():
            last = (held.pointer or "").rpartition("/")[2].replace("~1", "/")
            assert held.line is not None
            if not last.isdigit():
                assert f'"{last}"' in lines[held.line - 1], quantity
    origins = [origin for one in reading.facts for origin in one.origins]
    assert {origin.reader for origin in origins} == {f"results:{name}"}
    assert all(origin.excerpt for origin in origins)


def _value(name: str, quantity: str, folder: Path, run: int = 0) -> Any:
    runs = runs_of(reading_of(folder, samples.written(samples.EVERY[name]())))
    return figures(runs[run])[quantity]


EXPECTED: list[tuple[str, str, Any]] = [
    ("vllm-bench-serve", "requests", 40),
    ("vllm-bench-serve", "request_rate", "inf"),
    ("vllm-bench-serve", "total_throughput", 2_200.0),
    ("vllm-bench-serve", "peak_concurrency", 12),
    ("vllm-bench-serve", "e2e.mean", 3_951.15),
    ("vllm-bench-serve", "tpot.p99.9", 41.0),
    ("vllm-pytorch", "seed", 5),
    ("vllm-pytorch", "input_length", 1_000),
    ("vllm-pytorch", "temperature", 0.0),
    ("vllm-pytorch", "itl.p99", 55.5),
    ("vllm-pytorch", "duration", 20.0),
    ("vllm-wrapped", "ttft.p99", 95.75),
    ("vllm-wrapped", "ttft.p50", 79.5),
    ("vllm-wrapped", "score", 0.75),
    ("vllm-wrapped", "score_items", 40),
    ("vllm-wrapped", "output_tokens", 4_000),
    ("vllm-bench-throughput", "completed", 100),
    ("vllm-bench-throughput", "total_throughput", 4_000.0),
    ("vllm-bench-latency", "e2e.mean", 1_100.0),
    ("vllm-bench-latency", "e2e.p99", 1_198.0),
    ("sglang-bench-serving", "request_rate", "inf"),
    ("sglang-bench-serving", "input_length", 512),
    ("sglang-bench-serving", "stream_interval", 4),
    ("sglang-bench-serving", "concurrency", 8.0),
    ("guidellm", "e2e.mean", 250.0),
    ("guidellm", "tpot.mean", 29.25),
    ("guidellm", "chunks.sum", 80),
    ("guidellm", "failed", 1),
    ("guidellm", "requests", 11),
    ("guidellm", "prefix_length", 16),
    ("aiperf", "ttft.mean", 20.0),
    ("aiperf", "tpot.p99", 20.0),
    ("aiperf", "itl.mean", 40.0),
    ("aiperf", "duration", 32.0),
    ("aiperf", "ignore_eos", True),
    ("aiperf", "temperature", 0),
    ("aiperf", "completed", 64),
    ("llmperf", "request_throughput", 2.0),
    ("llmperf", "ttft.p50", 200.0),
    ("llmperf", "output_lengths.max", 151),
    ("llmperf-individual", "output_lengths.sum", 300),
    ("llmperf-individual", "input_lengths.count", 2),
    ("inference-perf", "request_rate", 4.0),
    ("inference-perf", "itl.p99.9", 5.0),
    ("inference-perf", "mean_output_length", 100.0),
    ("inference-perf-prometheus", "prefix_hit_rate", 0.25),
    ("inference-perf-prometheus", "e2e.p99", 1_750.0),
    ("inferencemax", "ttft.mean", 125.0),
    ("inferencemax", "total_throughput_per_gpu", 1_200.0),
    ("trtllm-bench", "duration", 10.0),
    ("trtllm-bench", "output_lengths.max", 64),
    ("trtllm-bench", "output_speed", 45.5),
    ("llm-d-benchmark", "ttft.mean", 250.0),
    ("llm-d-benchmark", "e2e.mean", 900.0),
    ("llm-d-benchmark", "ttft.p99.9", 500.0),
    ("llm-d-benchmark", "request_throughput", 4.0),
    ("llama-bench", "input_throughput", 2_560.0),
    ("llama-benchy", "ttft.mean", 850.5),
]


@pytest.mark.parametrize(("name", "quantity", "value"), EXPECTED)
def test_a_figure_under_its_common_name_and_unit(tmp_path: Path, name: str, quantity: str, value: Any) -> None:
    assert _value(name, quantity, tmp_path) == value


ABSENT: list[tuple[str, str]] = [
    ("vllm-bench-serve", "goodput"),
    ("vllm-bench-serve", "dataset"),
    ("vllm-bench-serve", "seed"),
    ("vllm-pytorch", "ignore_eos"),
    ("vllm-pytorch", "prefix_length"),
    ("sglang-bench-serving", "accept_length"),
    ("sglang-bench-serving", "ignore_eos"),
    ("guidellm", "max_concurrency"),
    ("aiperf", "failed"),
    ("llm-d-benchmark", "itl.mean"),
    ("llama-benchy", "prefix_length"),
]


@pytest.mark.parametrize(("name", "quantity"), ABSENT)
def test_what_a_file_does_not_state_is_not_there(tmp_path: Path, name: str, quantity: str) -> None:
    run = runs_of(reading_of(tmp_path, samples.written(samples.EVERY[name]())))[0]
    assert quantity not in run.values


def test_the_data_of_an_early_guidellm_are_a_text(tmp_path: Path) -> None:
    document = samples.guidellm()
    del document["config"], document["metadata"]
    document["args"] = {"data": ["prompt_tokens=256,prompt_tokens_stdev=8,output_tokens=64"], "random_seed": 3, "rate": [2.0]}
    run = runs_of(reading_of(tmp_path, json.dumps(document)))[0]
    found = figures(run)
    assert (found["input_length"], found["output_length"], found["dataset"], found["seed"]) == (256, 64, "synthetic", 3)
    assert run.tool_version == "0.4"


def test_a_closed_strategy_of_guidellm_has_streams_and_no_rate(tmp_path: Path) -> None:
    assert _value("guidellm", "max_concurrency", tmp_path, run=1) == 8
    assert _value("guidellm", "request_rate", tmp_path, run=1) == "inf"


@pytest.mark.parametrize("name", ["guidellm", "llm-d-benchmark"])
def test_the_yaml_of_a_format_says_what_its_json_says(tmp_path: Path, name: str) -> None:
    document = samples.EVERY[name]()
    as_yaml = runs_of(reading_of(tmp_path, yaml.safe_dump(document, sort_keys=False)))
    as_json = runs_of(reading_of(tmp_path, json.dumps(document)))
    assert [figures(run) for run in as_yaml] == [figures(run) for run in as_json]
    text = yaml.safe_dump(document, sort_keys=False).split("\n")
    rate = as_yaml[0].values["request_rate"]
    assert rate.line is not None
    assert "rate" in text[rate.line - 1]


def test_the_report_of_trtllm_bench_names_the_kv_type_that_the_engine_settled_on(tmp_path: Path) -> None:
    found = said(reading_of(tmp_path, samples.written(samples.trtllm_bench())))
    assert found["clue.kv_dtype_worker"] == "fp8"
    assert found["engine.core"] == "pytorch"
    assert found["parallel.gpus"] == 2
    assert found["scheduler.max_num_seqs"] == 64


def test_restarts_of_a_component_are_noted(tmp_path: Path) -> None:
    assert reading_of(tmp_path, samples.written(samples.llmd())).notes == ["decode-0: 2 restarts during the run"]


def test_rows_of_llmperf_keep_what_contradicts_itself(tmp_path: Path) -> None:
    run = one_run(tmp_path, samples.written(samples.llmperf_individual()))
    assert run.requests[0] == {
        "input_tokens": 550,
        "output_tokens": 150,
        "total_tokens": 700,
        "output_throughput": 75.0,
        "ttft": 250.0,
        "e2e": 2_000.0,
    }
    assert run.requests[2]["error"] == "429"


def test_llama_bench_says_the_type_of_the_cache_where_all_rows_agree(tmp_path: Path) -> None:
    assert said(reading_of(tmp_path, samples.written(samples.llama_bench())))["kv_cache.dtype"] == "q8_0"
    mixed = samples.llama_bench()
    mixed[1] |= {"type_k": "f16", "type_v": "f16"}
    reading = reading_of(tmp_path, samples.written(mixed))
    assert "kv_cache.dtype" not in said(reading)
    assert any("kv_cache.dtype" in note for note in reading.notes)


@pytest.mark.parametrize(
    "document",
    [
        {"benchmarks": [{"name": "pyperf", "runs": []}], "version": "1.0"},
        {"duration": 3.0, "completed": 4},
        {"engine": {"model": "x"}, "performance": {}},
        [{"avg_ts": 1.0}],
        {"version": "0.2", "scenario": {}, "results": {}},
        {"status": "ok", "results": [1, 2]},
    ],
)
def test_other_documents_are_nobodys_results(tmp_path: Path, document: Any) -> None:
    assert recognised_as(tmp_path, json.dumps(document)) is None
