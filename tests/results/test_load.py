"""Steady state, capacity, repetitions, warm caches, intent of the prompts, labels."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.model import Record
from kvaudit.record.resolve import resolve
from kvaudit.results.labels import lacking, row_label
from kvaudit.results.load import doubts, over_capacity
from kvaudit.results.prompts import all_meant_unique, cached_share, meant_unique
from kvaudit.results.repeats import impossible, in_time, warm_ups
from tests.results.runs_for_tests import record_with, run_of

STEADY: dict[str, Any] = {"duration": 300.0, "completed": 3000, "max_concurrency": 16, "e2e__mean": 1580.0, "e2e__p99": 2500.0}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, []),
        ({"request_rate": "inf"}, []),
        ({"request_rate": 12.0, "request_throughput": 10.0}, ["83.3% of the offered 12 requests/s"]),
        ({"request_rate": 10.2, "request_throughput": 10.0}, []),
        ({"completed": 40}, ["2.5 requests for each of 16 places"]),
        ({"duration": 6.0}, ["lasted 6 s"]),
        ({"e2e__p99": 200_000.0}, ["slowest requests took 200 s of the 300 s"]),
        ({"request_rate": "inf", "e2e__mean": 1100.0}, ["11.0 requests were in flight"]),
    ],
)
def test_what_speaks_against_a_steady_state(changed: dict[str, Any], words: list[str]) -> None:
    found = doubts(run_of(**{**STEADY, **changed}))
    assert len(found) == len(words)
    assert all(word in one.text for word, one in zip(words, found, strict=True))


@pytest.mark.parametrize(
    ("seats", "tokens", "words"),
    [
        (64.0, 100_000.0, None),
        (8.0, 100_000.0, "runs 8 at once"),
        (64.0, 16_000.0, "do not fit into a pool of 16,000 tokens"),
        (None, None, None),
    ],
)
def test_more_load_than_the_server_takes(seats: float | None, tokens: float | None, words: str | None) -> None:
    """16 × (1,024 + 256 ÷ 2) = 18,432 tokens in flight."""
    found = over_capacity(
        run_of(max_concurrency=16, completed=10, input_tokens=10_240, output_tokens=2560), seats=seats, tokens=tokens
    )
    assert (found is None) if words is None else (found is not None and words in found.text)


@pytest.mark.parametrize(
    ("figures", "meant"),
    [
        ({"dataset": "random"}, True),
        ({"dataset": "random", "prefix_length": 0}, True),
        ({"dataset": "random", "prefix_length": 256}, False),
        ({"dataset": "generated-shared-prefix"}, False),
        ({"dataset": "prefix_repetition"}, False),
        ({"dataset": "ShareGPT_V3"}, False),
        ({"dataset": "ccdv/pubmed-summarization"}, None),
        ({}, None),
    ],
)
def test_intent_of_the_prompts(figures: dict[str, Any], meant: bool | None) -> None:
    assert meant_unique(run_of(**figures)) is meant


def test_a_rate_of_the_whole_server_needs_the_intent_of_all_runs() -> None:
    unique, shared, silent = run_of(dataset="random"), run_of(dataset="sharegpt"), run_of()
    assert all_meant_unique([unique, unique]) is True
    assert all_meant_unique([unique, shared]) is False
    assert all_meant_unique([unique, silent]) is None
    assert all_meant_unique([]) is None


def test_the_clients_command_says_what_a_file_does_not() -> None:
    silent = run_of()
    assert all_meant_unique([silent], _record(result__dataset="random")) is True
    assert all_meant_unique([], _record(result__dataset="random")) is True
    assert all_meant_unique([silent], _record(result__dataset="random", result__prefix_length=128)) is False
    assert all_meant_unique([run_of(dataset="random")], _record(result__prefix_length=128)) is False
    assert all_meant_unique([silent], _record()) is None


def test_share_of_prompts_from_the_cache() -> None:
    assert cached_share(run_of(cached_tokens=300, input_tokens=1000)) == 0.3
    assert cached_share(run_of(cached_tokens=3000, input_tokens=1000)) is None


def _rep(number: int, ttft: float, **more: Any) -> Any:
    figures = {"completed": 500, "input_tokens": 262_144, "ttft__median": ttft, **more}
    return run_of("sglang-bench-serving", file=f"rep{number}.jsonl", **figures)


@pytest.mark.parametrize(
    ("times", "count"),
    [((68.0, 25.0, 26.0), 1), ((68.0, 25.0, 60.0), 0), ((25.0, 68.0, 26.0), 0), ((30.0, 25.0), 0), ((68.0,), 0)],
)
def test_a_first_run_that_waited_longer(times: tuple[float, ...], count: int) -> None:
    assert len(warm_ups([_rep(number, ttft) for number, ttft in enumerate(times)])) == count


def test_other_prompts_are_no_repetition() -> None:
    assert warm_ups([_rep(1, 68.0), _rep(2, 25.0, input_tokens=262_145)]) == []
    assert warm_ups([_rep(1, 68.0, completed=4), _rep(2, 25.0, completed=4)]) == []


def test_runs_are_taken_in_the_order_of_their_start() -> None:
    late, early = _rep(1, 25.0), _rep(2, 68.0)
    late, early = (
        late.model_copy(update={"started": "2026-09-12T10:30:00"}),
        early.model_copy(update={"started": "2026-09-12T10:00:00"}),
    )
    assert in_time([late, early]) == [early, late]
    assert len(warm_ups([late, early])) == 1


def test_without_a_start_runs_go_by_the_numbers_of_their_files() -> None:
    names = [10, 2, 1]
    assert [run.file for run in in_time([_rep(number, 25.0) for number in names])] == ["rep1.jsonl", "rep2.jsonl", "rep10.jsonl"]
    assert len(warm_ups([_rep(10, 26.0), _rep(2, 25.0), _rep(1, 68.0)])) == 1


def _load(speed: float, **more: Any) -> Any:
    figures = {"max_concurrency": 32, "completed": 400, "input_tokens": 409_600, "output_tokens": 51_200, **more}
    return run_of(output_throughput=speed, **figures)


def test_one_load_at_two_speeds() -> None:
    found = impossible([_load(1240.0), _load(1262.0), _load(2960.0)])
    assert found is not None
    assert found.ratio == pytest.approx(2960 / 1240)


@pytest.mark.parametrize(
    "other",
    [
        _load(1500.0),
        _load(2960.0, max_concurrency=64),
        _load(2960.0, output_tokens=10_000),
        _load(2960.0, dataset="sharegpt"),
        run_of(output_throughput=2960.0),
    ],
)
def test_another_load_may_have_another_speed(other: Any) -> None:
    assert impossible([_load(1240.0), other]) is None


def _record(**fields: Any) -> Record:
    record = record_with(run_of(completed=1))
    for name, value in fields.items():
        field = name.replace("__", ".")
        record.fields[field] = resolve(field, [fact(field, value, "resolved", [Origin(file="server.log", line=1)])])
    return record


def test_points_of_a_sweep_over_servers_are_no_repetitions() -> None:
    summary = [
        _load(speed).model_copy(update={"pointer": f"/{at}", "label": "run 1"}) for at, speed in enumerate((900.0, 2960.0))
    ]
    assert impossible(summary) is None
    folders = [f"SERVE--max_num_seqs={count}-BENCH--max_concurrency=32/run=0.json" for count in (8, 64)]
    assert (
        impossible([run.model_copy(update={"file": file, "pointer": None}) for run, file in zip(summary, folders, strict=True)])
        is None
    )
    alike = [run.model_copy(update={"file": f"SERVE--max_num_seqs=8-BENCH--x={at}/run=0.json"}) for at, run in enumerate(summary)]
    assert impossible(alike) is not None


def test_a_label_names_weights_and_settings() -> None:
    record = _record(
        model__path="/models/acme/atlas-13b",
        model__weight_format="nvfp4",
        engine__name="vllm",
        kv_cache__dtype="fp8_e4m3",
        parallel__tensor=2,
        speculative__method="none",
    )
    assert row_label(record, []) == "atlas-13b nvfp4 · vllm, KV fp8_e4m3, TP2"
    assert lacking(record, []) == []


def test_a_label_that_lacks_a_part_says_which() -> None:
    run = run_of(completed=1)
    assert [text.partition(":")[0].partition(" (")[0] for text in lacking(_record(), [run])] == [
        "the model that was measured",
        "the settings of the server",
    ]
    named = run.model_copy(update={"model": "acme/atlas-13b", "label": "tp2"})
    assert lacking(_record(), [named]) == []
    assert row_label(_record(), [named]) == "atlas-13b · tp2"
