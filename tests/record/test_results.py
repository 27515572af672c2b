"""Runs in a record: lists in run order, runs that two files tell of, result files of several servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers.facts import RUN_CLUE
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from kvaudit.shapes import plain
from tests.parsers.results import samples
from tests.parsers.results.test_tables import PRINTED

SECOND = {
    "duration": 16.0,
    "request_throughput": 2.5,
    "output_throughput": 250.0,
    "total_token_throughput": 2_750.0,
    "mean_ttft_ms": 70.125,
    "mean_tpot_ms": 31.5,
    "mean_e2el_ms": 3_188.625,
}


def _record(folder: Path, **files: str) -> Record:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_arm([str(folder)], Redactor())


def _vllm(**changes: Any) -> str:
    return json.dumps(samples.vllm_serve() | changes)


def test_equal_values_are_the_value_and_different_ones_a_list_in_run_order(tmp_path: Path) -> None:
    record = _record(tmp_path / "arm", run1=_vllm(), run2=_vllm(**SECOND))
    assert record.value("result.max_concurrency") == 8
    assert record.value("result.duration") == [20.0, 16.0]
    assert record.state("result.duration") == "known"
    assert len(record.deciding("result.duration")) == 2
    assert [origin.file.rpartition("/")[2] for one in record.deciding("result.duration") for origin in one.origins] == [
        "run1",
        "run2",
    ]


def test_what_was_asked_for_is_requested_and_what_was_measured_observed(tmp_path: Path) -> None:
    record = _record(tmp_path / "arm", run=_vllm())
    stages = {name: state.stage for name, state in record.fields.items() if name.startswith("result.")}
    assert stages["result.max_concurrency"] == "requested"
    assert stages["result.ttft_mean"] == "observed"
    assert stages["result.completed"] == "observed"


def test_a_run_counts_before_a_command_and_a_command_where_no_run_speaks(tmp_path: Path) -> None:
    script = "#!/bin/sh\nvllm bench serve --max-concurrency 99 --seed 7\n"
    record = _record(tmp_path / "arm", run=_vllm(), script=script)
    assert record.value("result.max_concurrency") == 8
    assert record.value("result.seed") == 7


@pytest.mark.parametrize("names", [("a_table", "b_file"), ("b_table", "a_file")])
def test_the_printed_table_and_the_file_are_one_run(tmp_path: Path, names: tuple[str, str]) -> None:
    exact = _vllm(duration=20.0012, request_throughput=1.9998, mean_ttft_ms=80.2512, mean_e2el_ms=3_951.1488)
    record = _record(tmp_path / "arm", **{names[0]: PRINTED, names[1]: exact})
    runs = record.clues[RUN_CLUE]
    assert len(runs) == 1
    values = runs[0].value["values"]
    assert values["duration"]["value"] == 20.0012
    assert values["seed"]["value"] == 5
    assert values["seed"]["file"].endswith("table")
    assert values["duration"]["file"] is None
    assert record.value("result.duration") == 20.0012
    assert record.value("result.seed") == 5
    notes = [note for source in record.sources for note in source.notes]
    assert any("one run, counted once" in note for note in notes)


def test_the_twin_with_the_arguments_joins_its_file(tmp_path: Path) -> None:
    record = _record(tmp_path / "arm", run=_vllm(), twin=samples.written(samples.vllm_twin()))
    assert len(record.clues[RUN_CLUE]) == 1
    assert record.value("result.dataset") == "random"


def test_json_and_csv_of_aiperf_are_one_run(tmp_path: Path) -> None:
    means = {"Time to First Token (ms)": 20, "Inter Token Latency (ms)": 20, "Inter Chunk Latency (ms)": 40}
    rows = [f"{name},{mean:.2f},{mean:.2f}" for name, mean in (*means.items(), ("Request Latency (ms)", 4_000))]
    table = "\n".join(("Metric,avg,p99", *rows, "", "Metric,Value", "Benchmark Duration (sec),32.00")) + "\n"
    record = _record(tmp_path / "arm", json=json.dumps(samples.aiperf()), csv=table)
    assert len(record.clues[RUN_CLUE]) == 1


def test_runs_that_differ_in_one_figure_are_two(tmp_path: Path) -> None:
    record = _record(tmp_path / "arm", run1=_vllm(), run2=_vllm(mean_ttft_ms=80.27))
    assert len(record.clues[RUN_CLUE]) == 2


def test_runs_without_enough_figures_are_never_one(tmp_path: Path) -> None:
    text = json.dumps(samples.vllm_throughput())
    record = _record(tmp_path / "arm", run1=text, run2=text)
    assert len(record.clues[RUN_CLUE]) == 2


def test_result_files_of_two_servers_say_nothing_of_what_differs(tmp_path: Path) -> None:
    other = samples.sglang_serving() | {"duration": 11.0}
    other["server_info"] = {**other["server_info"], "page_size": 1, "max_total_num_tokens": 99_000}
    files = {"run1": samples.written(samples.sglang_serving()), "run2": samples.written(other)}
    record = _record(tmp_path / "arm", **files)
    assert record.value("parallel.tensor") == 2
    assert record.state("kv_cache.block_size") == "unknown"
    assert record.state("kv_cache.tokens") == "unknown"
    assert "several servers" in str(record.fields["kv_cache.tokens"].because)


def test_a_saved_record_keeps_its_runs(tmp_path: Path) -> None:
    record = _record(tmp_path / "arm", run1=_vllm(), run2=_vllm(**SECOND))
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(plain(record)), encoding="utf-8")
    again = read_arm([str(saved)], Redactor())
    assert again.value("result.duration") == [20.0, 16.0]
    assert [one.value for one in again.clues[RUN_CLUE]] == [one.value for one in record.clues[RUN_CLUE]]
