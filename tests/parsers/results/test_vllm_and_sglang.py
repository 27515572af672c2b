"""The clients of vLLM and SGLang: releases by their keys, arrays, appended lines, the server's own description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers.results.vllm_serve import version_range
from tests.parsers.results import samples
from tests.parsers.results.files import figures, one_run, reading_of, runs_of, said

_EARLY = ("burstiness", "max_output_tokens_per_s", "failed", "rtfx", "latencies", "endpoint_type", "request_goodput")


@pytest.mark.parametrize(
    ("keys", "release"),
    [
        ((), "0.6.3 to 0.6.5"),
        (("burstiness", "request_goodput:"), "0.6.4 to 0.9.1"),
        (("burstiness", "endpoint_type", "request_goodput"), "0.9.0 to 0.10"),
        (("burstiness", "endpoint_type", "max_output_tokens_per_s"), "0.11.0 to 0.11.1"),
        (("burstiness", "endpoint_type", "max_output_tokens_per_s", "failed"), "0.11.1 to 0.16"),
        (("burstiness", "max_output_tokens_per_s", "failed", "spec_decode_acceptance_length"), "0.14.0 to 0.16"),
        (("burstiness", "max_output_tokens_per_s", "failed", "rtfx"), "0.17.0 to 0.29"),
        (("burstiness", "max_output_tokens_per_s", "failed", "rtfx", "latencies"), "0.30.0 or newer"),
        (("burstiness", "failed"), None),
        (("rtfx",), None),
    ],
)
def test_the_keys_tell_the_release(keys: tuple[str, ...], release: str | None) -> None:
    document = {key: value for key, value in samples.vllm_serve().items() if key not in _EARLY}
    assert version_range(document | dict.fromkeys(keys, 1.0)) == release


def test_metadata_of_the_command_line_stands_at_the_top_as_text(tmp_path: Path) -> None:
    metadata = {"dataset_name": "random", "seed": "7", "random_input_len": "1000", "ignore_eos": "true", "temperature": "0.6"}
    found = figures(one_run(tmp_path, json.dumps(samples.vllm_serve() | metadata)))
    assert {name: found[name] for name in ("dataset", "seed", "input_length", "ignore_eos", "temperature")} == {
        "dataset": "random",
        "seed": 7,
        "input_length": 1_000,
        "ignore_eos": True,
        "temperature": 0.6,
    }


def test_who_counted_the_output_tokens(tmp_path: Path) -> None:
    run = one_run(tmp_path, json.dumps(samples.vllm_serve()))
    assert run.values["output_tokens"].counted == "usage"
    other = one_run(tmp_path, json.dumps(samples.vllm_serve() | {"backend": "tgi", "endpoint_type": "tgi"}))
    assert other.values["output_tokens"].counted is None
    native = one_run(tmp_path, samples.written(samples.sglang_serving()))
    assert native.values["output_tokens"].counted is None
    openai = one_run(tmp_path, samples.written(samples.sglang_serving() | {"backend": "sglang-oai-chat"}))
    assert openai.values["output_tokens"].counted == "requested"


def test_lists_per_request_count_successful_requests_only(tmp_path: Path) -> None:
    detail = {
        "completed": 2,
        "failed": 1,
        "num_prompts": 3,
        "input_lens": [100, 200, 50],
        "output_lens": [4, 6, 0],
        "ttfts": [0.5, 0.25, 0.0],
        "itls": [[0.1, 0.1, 0.1], [0.2, 0.2], []],
        "errors": ["", "", "refused"],
        "latencies": [0.8, 0.75, 0.0],
    }
    found = figures(one_run(tmp_path, json.dumps(samples.vllm_serve() | detail)))
    assert found["input_lengths.count"] == 3
    assert found["input_lengths.sum"] == 300
    assert (found["output_lengths.sum"], found["output_lengths.min"], found["output_lengths.max"]) == (10, 4, 6)
    assert found["chunks.sum"] == 4 + 3
    assert found["latency_gap.max"] == pytest.approx(0.1)


def test_appended_runs_each_have_their_line(tmp_path: Path) -> None:
    lines = [
        samples.written(samples.sglang_serving() | {"tag": tag, "duration": 10.0 + number}) for number, tag in enumerate("ab")
    ]
    runs = runs_of(reading_of(tmp_path, "\n".join(lines) + "\n"))
    assert [(run.label, run.line, run.values["duration"].line) for run in runs] == [("a", 1, 1), ("b", 2, 2)]


def test_what_the_server_says_of_itself_is_requested_resolved_or_measured(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, samples.written(samples.sglang_serving()))
    stages = {one.field: (one.stage, one.value) for one in reading.facts}
    assert stages["kv_cache.dtype"] == ("requested", "auto")
    assert stages["model.path"] == ("requested", samples.MODEL)
    assert stages["kv_cache.block_size"] == ("resolved", 64)
    assert stages["kv_cache.prefix_caching"] == ("resolved", True)
    assert stages["kv_cache.tokens"] == ("observed", 131_072)
    assert stages["engine.version"] == ("resolved", "0.5.12")


def test_runs_of_two_servers_in_one_file_say_nothing_of_what_differs(tmp_path: Path) -> None:
    other = samples.sglang_serving()
    other["server_info"] = {**other["server_info"], "page_size": 1}
    reading = reading_of(tmp_path, f"{samples.written(samples.sglang_serving())}\n{samples.written(other)}\n")
    found = said(reading)
    assert "kv_cache.block_size" not in found
    assert found["parallel.tensor"] == 2
    assert any("kv_cache.block_size" in note for note in reading.notes)


def test_a_router_describes_several_servers_and_none_is_taken(tmp_path: Path) -> None:
    routed = samples.sglang_serving() | {"server_info": {"prefill": [{"model_path": "x"}], "decode": [], "internal_states": []}}
    reading = reading_of(tmp_path, samples.written(routed))
    assert "engine.name" not in said(reading)
    assert len(reading.notes) == 1


def test_a_file_that_was_cut_keeps_its_whole_lines(tmp_path: Path) -> None:
    text = samples.written(samples.sglang_serving())
    reading = reading_of(tmp_path, f"{text}\n{text[:400]}")
    assert len(runs_of(reading)) == 1
    assert reading.notes[0].startswith("line 2: damaged JSON")


_FORMS: list[tuple[dict[str, Any], str, Any]] = [
    ({"mean_ttft_ms": float("nan")}, "ttft.mean", None),
    ({"mean_ttft_ms": float("inf")}, "ttft.mean", None),
    ({"request_rate": float("inf")}, "request_rate", "inf"),
    ({"request_rate": 4}, "request_rate", 4),
    ({"request_rate": "fast"}, "request_rate", None),
    ({"request_goodput:": 1.5}, "goodput", 1.5),
    ({"completed": True}, "completed", None),
    ({"duration": 1e300}, "duration", None),
]


@pytest.mark.parametrize(("change", "quantity", "value"), _FORMS)
def test_odd_figures(tmp_path: Path, change: dict[str, Any], quantity: str, value: Any) -> None:
    run = one_run(tmp_path, samples.written(samples.vllm_serve() | change))
    assert figures(run).get(quantity) == value
