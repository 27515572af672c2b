"""Client, server and log about the same requests, and the questions that rules ask of an arm."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.metrics.shapes import Window
from kvaudit.parsers.results.run import Run
from kvaudit.parsers.tables import fact
from kvaudit.record.resolve import resolve
from kvaudit.results.evidence import Results, results_of
from tests.results.runs_for_tests import record_with, run_of


def _run(**more: Any) -> Run:
    return run_of(**{"completed": 100, "duration": 50.0, "input_tokens": 102_400, "output_tokens": 25_600, **more})


def _window(**more: Any) -> dict[str, Any]:
    deltas = {"requests": 100.0, "prompt_tokens": 102_400.0, "generation_tokens": 25_600.0}
    told = Window(engine="vllm", files=["before.txt", "after.txt"], since="dump", deltas=deltas)
    return {**told.model_dump(), **more}


def _deltas(**changed: float) -> dict[str, float]:
    return {"requests": 100.0, "prompt_tokens": 102_400.0, "generation_tokens": 25_600.0, **changed}


def _disagreements(*runs: Run, **window: Any) -> list[str]:
    return [one.text for one in Results(record_with(*runs, metrics_window=[_window(**window)])).disagreements]


def test_equal_counts_agree_to_the_unit() -> None:
    assert _disagreements(_run()) == []


def test_other_counts_do_not() -> None:
    (text,) = _disagreements(_run(), deltas=_deltas(generation_tokens=31_000.0))
    assert text == "the client reports 25,600 output tokens, the server counted 31,000 for the same requests"


def test_warm_ups_and_the_ready_check_are_in_the_window_too() -> None:
    """Two more requests of the same kind: 102 × 256 tokens."""
    assert _disagreements(_run(), deltas=_deltas(requests=102.0, prompt_tokens=104_448.0, generation_tokens=26_112.0)) == []


@pytest.mark.parametrize("requests", [60.0, 180.0])
def test_a_window_of_other_requests_says_nothing(requests: float) -> None:
    assert _disagreements(_run(), deltas=_deltas(requests=requests, generation_tokens=99_000.0)) == []


def test_two_runs_in_one_window_are_taken_together() -> None:
    both = _deltas(requests=200.0, prompt_tokens=204_800.0, generation_tokens=51_200.0)
    assert _disagreements(_run(), _run(), deltas=both) == []
    assert len(_disagreements(_run(), _run(), deltas=both | {"generation_tokens": 70_000.0})) == 1


@pytest.mark.parametrize("window", [{"refused": "the server was started anew"}, {"whole": False}])
def test_a_window_without_differences_says_nothing(window: dict[str, Any]) -> None:
    assert _disagreements(_run(), deltas=_deltas(generation_tokens=99_000.0), **window) == []


def test_speculation_in_the_window_explains_too_few_tokens_as_events() -> None:
    """Steps of 1 + 900 ÷ 1,000 = 1.9 tokens: the server's 48,640 tokens came in 25,600 events."""
    deltas = _deltas(generation_tokens=48_640.0, drafts=1000.0, accepted_tokens=900.0)
    results = Results(record_with(_run(), metrics_window=[_window(deltas=deltas)]))
    assert [claim.proven for claim in results.counted] == [True]
    assert results.disagreements == []


def test_anything_under_the_clues_names_is_no_crash() -> None:
    broken = [{"files": 3}, "text", None, {"deltas": {"requests": "many"}, "engine": "vllm", "files": [], "since": "dump"}]
    record = record_with(_run(), metrics_window=broken)
    record.clues["clue.result_run"] += [fact("clue.result_run", one, "observed", []) for one in ("text", 3, {"tool": 1})]
    results = results_of(record)
    assert len(results.runs) == 1
    assert results.window is None
    assert results.disagreements == []


@pytest.mark.parametrize(("hits", "count"), [(30_000.0, 0), (72_000.0, 1)])
def test_cached_tokens_told_to_the_client_against_the_servers_hits(hits: float, count: int) -> None:
    """30,720 ÷ 102,400 = 30 % on the client's side."""
    deltas = _deltas(prefix_hits=hits, prefix_queries=102_400.0)
    found = Results(
        record_with(_run(cached_tokens=30_720), metrics_window=[_window(deltas=deltas, prefix_unit="tokens")])
    ).disagreements
    assert [one.serious for one in found] == [False] * count


def _served(**fields: int) -> Results:
    record = record_with(_run(duration=120.0, e2e__mean=38_400.0))  # 100 × 38.4 s ÷ 120 s = 32 in flight
    origin = Origin(file="server.log", line=9)
    for name, value in fields.items():
        field = name.replace("__", ".")
        record.fields[field] = resolve(field, [fact(field, value, "observed", [origin])])
    return Results(record)


@pytest.mark.parametrize(("running", "count"), [(32, 0), (17, 0), (8, 1)])
def test_requests_in_flight_against_the_log(running: int, count: int) -> None:
    found = _served(runtime__max_running=running, runtime__max_waiting=0).disagreements
    assert [one.serious for one in found] == [False] * count


def test_llmperf_rows_whose_throughput_counts_pieces() -> None:
    honest = [{"output_throughput": 50.0, "e2e": 3000.0, "output_tokens": 150}] * 20
    pieces = [{"output_throughput": 25.0, "e2e": 3000.0, "output_tokens": 150}] * 20
    found = {
        name: Results(record_with(Run(tool="llmperf", file="individual.json", requests=rows))).disagreements
        for name, rows in (("honest", honest), ("pieces", pieces))
    }
    assert found["honest"] == []
    assert [one.serious for one in found["pieces"]] == [True]
    assert "1,500 tokens" in found["pieces"][0].text
    assert "3,000" in found["pieces"][0].text


def test_pinned_lengths_that_the_total_contradicts() -> None:
    run = _run(output_length=512, ignore_eos=True)
    (found,) = Results(record_with(run)).disagreements
    assert not found.serious
    assert "I14" in found.text


@pytest.mark.parametrize(
    ("printed", "times", "count"),
    [(100.0, (1000.0, 1000.0), 0), (80.0, (800.0, 1333.333), 1), (100.0, (1000.0, 900.0), 1)],
)
def test_samples_of_llama_bench(printed: float, times: tuple[float, ...], count: int) -> None:
    """100 tokens: 100 tok/s in 1,000 ms each; 125 and 75 tok/s have the mean 100 and not 80; 100 tok/s are not 100 in 900 ms."""
    speeds = (125.0, 75.0) if printed == 80.0 else (100.0, 100.0)
    rows = [{"output_throughput": speed, "e2e": time} for speed, time in zip(speeds, times, strict=True)]
    run = run_of("llama-bench", output_length=100, output_throughput=printed).model_copy(update={"requests": rows})
    assert [one.serious for one in Results(record_with(run)).disagreements] == [True] * count
