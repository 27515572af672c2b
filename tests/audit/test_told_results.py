"""Sentences about results: figures, places, hints."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.context import ArmContext
from kvaudit.audit.messages import fill
from kvaudit.audit.rules import bundled_rules
from tests.audit.arms import Fields, pair, record

RULES = {rule.id: rule for rule in bundled_rules()}


def _run(name: str = "run.json", tool: str = "vllm-bench-serve", **figures: Any) -> dict[str, Any]:
    values = {key.replace("__", "."): {"value": value} for key, value in figures.items()}
    return {"tool": tool, "file": name, "values": values}


def _runs(*runs: dict[str, Any]) -> Fields:
    return {"clue.result_run": [{"value": one} for one in runs]}


def _of_arm(rule: str, fields: Fields) -> str:
    return fill(RULES[rule].message, ArmContext("a", record(fields), alone=True))


def _of_pair(rule: str, a: Fields, b: Fields) -> str:
    return fill(RULES[rule].message, pair(a, b))


def test_a_contradiction_is_told_with_both_figures_and_of_several_runs_with_its_place() -> None:
    wrong = _run(completed=1000, duration=40.0, request_throughput=31.25)
    told = "request_throughput × duration (1,250) = completed (1,000) fails by 0.2 (requests in the time measured, I1)"
    assert _of_arm("result-quantities-disagree", _runs(wrong)) == (
        f"Figures in the results of the run contradict each other: {told}."
    )
    two = _runs({**wrong, "line": 7}, _run("other.json", completed=1))
    assert f"run.json:7: {told}" in _of_arm("result-quantities-disagree", two)


def test_many_contradictions_end_in_a_number() -> None:
    many = [_run(f"{number}.json", completed=1000, duration=40.0, request_throughput=31.25) for number in range(5)]
    assert _of_arm("result-quantities-disagree", _runs(*many)).endswith("; and 2 more.")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {**_runs(_run(dataset="random", cached_tokens=60, input_tokens=100)), "runtime.prefix_hit_rate": 0.55},
            "prompts that were meant to be unique came from the prefix cache: 55.0% by the server; 60.0% by the client",
        ),
        (
            _runs(
                _run("1", completed=500, input_tokens=262_144, ttft__median=71.0),
                _run("2", completed=500, input_tokens=262_144, ttft__median=26.0),
            ),
            "a prefix cache that the first run warmed is suspected: ttft.median 71 ms in the first of 2 runs with the same "
            "262,144 prompt tokens, at most 26 ms in the others",
        ),
    ],
)
def test_hits_by_who_says_so(fields: Fields, told: str) -> None:
    assert _of_arm("prefix-hits-in-synthetic-load", fields) == f"Of the load of the run: {told}."


def test_a_correction_is_told_only_where_it_fits_both_arms() -> None:
    """200 answers of 256 tokens in 64 s are 800 tok/s, counted as 26,528 events."""
    figures: dict[str, Any] = {
        "completed": 200,
        "duration": 64.0,
        "input_tokens": 204_800,
        "input_length": 1024,
        "output_length": 256,
    }
    events = record(_runs(_run(tool="custom", **figures, output_tokens=26_528, accept_length=1.93, ignore_eos=True)))
    right = record(_runs(_run(tool="custom", **figures, output_tokens=51_200, ignore_eos=True)))
    open_ = record(_runs(_run(tool="custom", completed=200, duration=64.0, output_tokens=51_200)))
    told = [
        fill(RULES["output-tokens-counted-by-chunks"].message, ArmContext("b", events, other=other))
        for other in (None, right, open_)
    ]
    assert ["Recomputed: 800 output and 4,000 total tok/s" in text for text in told] == [True, True, False]


def test_lengths_whose_ratio_is_an_acceptance_length_are_suspicious() -> None:
    a = _runs(_run(completed=100, output_tokens=51_200))
    b = _runs(_run(completed=100, output_tokens=26_550, accept_length=1.93))
    assert _of_pair("output-length-not-pinned", a, b) == (
        "The mean answer is not equally long on both arms: 512.0 tokens on arm a, 265.5 on arm b "
        "(1.93 to one, the acceptance length of arm b: its output tokens may be stream events)."
    )


def test_loads_are_told_with_both_values() -> None:
    a, b = {"result.max_concurrency": [1, 8, 8, 32, 64]}, {"result.max_concurrency": 16}
    assert _of_pair("workload-differs", a, b) == "The loads of the arms differ: max_concurrency 1, 8, 32, … against 16."


def test_two_speeds_name_both_files() -> None:
    load: dict[str, Any] = {"max_concurrency": 8, "completed": 100, "input_tokens": 102_400, "output_tokens": 12_800}
    runs = _runs(_run("slow.json", **load, output_throughput=400.0), _run("fast.json", **load, output_throughput=900.0))
    assert _of_arm("throughput-impossible-for-server", runs).endswith(
        "400 tok/s (slow.json) and 900 tok/s (fast.json), 2.25 times as much."
    )
