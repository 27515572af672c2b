"""The table of identities: it can be read, its rows hold on honest runs and fail on others."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.results.run import is_quantity
from kvaudit.results.checking import check_run, failures
from kvaudit.results.formula import names_in
from kvaudit.results.identities import IDENTITIES
from tests.results.runs_for_tests import run_of

HONEST: dict[str, Any] = {
    "requests": 640,
    "completed": 640,
    "failed": 0,
    "duration": 128.0,
    "input_tokens": 655_360,
    "output_tokens": 163_840,
    "request_throughput": 5.0,
    "input_throughput": 5120.0,
    "output_throughput": 1280.0,
    "total_throughput": 6400.0,
    "max_concurrency": 32,
    "e2e__mean": 6300.0,
    "e2e__median": 6200.0,
    "e2e__p99": 7000.0,
    "ttft__mean": 180.0,
}
"""640 requests of 1,024 + 256 tokens in 128 s; 640 × 6.3 s ÷ 128 s = 31.5 in flight, below the 32 allowed."""


@pytest.mark.parametrize("row", IDENTITIES, ids=lambda row: f"{row.id}-{row.left}")
def test_rows_speak_of_quantities(row: Any) -> None:
    formulas = [row.left, row.right, *(formula for formula, _, _ in row.when)]
    assert all(is_quantity(name) for formula in formulas for name in names_in(formula))
    assert 0 <= row.tolerance < 1
    assert row.meaning


def test_an_honest_run_agrees_in_everything() -> None:
    run = run_of(**HONEST)
    assert failures(run) == []
    assert sum(one.holds is True for one in check_run(run)) >= 9


@pytest.mark.parametrize(
    ("changed", "ids"),
    [
        ({"request_throughput": 6.0}, ["I1"]),
        ({"output_throughput": 1290.0}, ["I2"]),
        ({"total_throughput": 6500.0}, ["I3"]),
        ({"input_throughput": 5000.0}, ["I4"]),
        ({"completed": 641, "request_throughput": 641 / 128}, ["I5"]),
        ({"failed": 3}, ["I5"]),
        ({"completed": 600, "request_throughput": 600 / 128}, ["I5b"]),
        ({"output_lengths__sum": 163_000}, ["I6"]),
        ({"input_lengths__sum": 655_000}, ["I6b"]),
        ({"latency_gap__max": 0.25}, ["I7"]),
        ({"e2e__mean": 6600.0, "e2e__p99": 8000.0}, ["I9"]),
        ({"e2e__median": 7100.0}, ["I12"]),
        ({"e2e__p99": 129_000.0}, ["I13"]),
    ],
)
def test_a_changed_figure_is_named(changed: dict[str, Any], ids: list[str]) -> None:
    assert [one.identity.id for one in failures(run_of(**{**HONEST, **changed}))] == ids


def test_a_failure_tells_both_figures_and_how_far() -> None:
    (failed,) = failures(run_of(completed=1000, duration=40.0, request_throughput=31.25))
    assert failed.serious
    assert failed.told == (
        "request_throughput × duration (1,250) = completed (1,000) fails by 0.2 (requests in the time measured, I1)"
    )


@pytest.mark.parametrize(("tool", "counted"), [("sglang-bench-serving", 1), ("vllm-bench-serve", 0), ("trtllm-bench", 1)])
def test_requests_in_flight_are_checked_where_the_tool_computes_them(tool: str, counted: int) -> None:
    run = run_of(tool, completed=100, duration=50.0, e2e__mean=4000.0, concurrency=9.0)
    assert [one.identity.id for one in failures(run)] == ["I8"] * counted


def test_figures_printed_with_two_decimals_are_allowed_their_rounding() -> None:
    """59.16 tok/s and 3.7 s: 218.9 tokens, 219 printed. A figure in full is not allowed as much."""
    assert failures(run_of(output_tokens=219, duration=3.7, output_throughput=59.16)) == []
    assert [one.identity.id for one in failures(run_of(output_tokens=229, duration=3.7, output_throughput=59.16))] == ["I2"]
    assert [one.identity.id for one in failures(run_of(output_tokens=219, duration=3.7000001, output_throughput=59.1600001))]


def test_equal_answers_make_latency_a_sum() -> None:
    pinned: dict[str, Any] = {"output_lengths__min": 256, "output_lengths__max": 256, "output_tokens": 2560, "completed": 10}
    honest = run_of(**pinned, ttft__mean=100.0, tpot__mean=10.0, e2e__mean=2650.0)
    assert failures(honest) == []
    odd = run_of(**pinned, ttft__mean=100.0, tpot__mean=5.0, e2e__mean=2650.0)
    assert [one.identity.id for one in failures(odd)] == ["I10"]
    varied = run_of(**{**pinned, "output_lengths__max": 400}, ttft__mean=100.0, tpot__mean=5.0, e2e__mean=2650.0)
    assert failures(varied) == []


@pytest.mark.parametrize(("tpot", "serious"), [(11.9, None), (9.0, False), (5.7, True)])
def test_time_per_token_of_inference_perf(tpot: float, serious: bool | None) -> None:
    """(713.5 − 37.5) ms over 62.45 − 1 tokens are 11.0 ms; a re-tokenizer that counts twice prints half."""
    run = run_of("inference-perf", e2e__mean=713.5, ttft__mean=37.5, tpot__mean=tpot, mean_output_length=62.45)
    assert [one.serious for one in failures(run)] == ([] if serious is None else [serious])


def test_a_mean_of_speeds_that_one_request_spoils() -> None:
    honest = run_of("trtllm-bench", output_speed=585.0, tpot__mean=1.71)
    spoiled = run_of("trtllm-bench", output_speed=14_391.0, tpot__mean=4.3)
    assert failures(honest) == []
    assert [one.serious for one in failures(spoiled)] == [True]
