"""Hostile result files: wrong types anywhere, huge numbers, deep nesting, many rows. Nothing crashes and nothing is unbounded."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.results.formats import FORMATS
from kvaudit.parsers.results.parser import MOST_RUNS
from tests.parsers.results import samples
from tests.parsers.results.files import one_run, reading_of, recognised_as, runs_of

ODD: tuple[Any, ...] = (None, True, -1, 10**30, 1e308, float("nan"), "x" * 2_000, "9" * 400, [], {}, [[]], {"a": {"b": [1]}})


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place below a value that can be replaced."""
    for key, below in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from _paths(below, (*path, key))


def _with(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(document)
    node = changed
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return changed


@pytest.mark.parametrize("name", list(samples.EVERY))
def test_a_value_of_the_wrong_type_is_no_value(name: str) -> None:
    form = next(one for one in FORMATS if one.name == name)
    document = samples.EVERY[name]()
    for number, path in enumerate(_paths(document)):
        for odd in ODD[number % 6 :: 6]:
            for draft in form.drafts(_with(document, path, odd)):
                held = {quantity: value.value for quantity, value in draft.values.items()}
                json.dumps(held, allow_nan=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tokenizer_id": "a", "completed": 1, "request_throughput": 1, "duration": ' + "[" * 9_000, "line 1"),
        (json.dumps(samples.vllm_serve())[:-1] + ', "completed": 3}', "stands twice"),
        (json.dumps(samples.vllm_serve()).replace("20.0", "1" * 5_000), "line 1"),
        (json.dumps(samples.vllm_serve() | {"errors": "@"}).replace('"@"', "[" * 5_000 + "]" * 5_000), "nested too deeply"),
        (json.dumps(samples.guidellm() | {"benchmarks": []}), "holds no run"),
    ],
)
def test_a_damaged_file_is_an_input_error_that_says_why(tmp_path: Path, text: str, words: str) -> None:
    if words == "holds no run":
        text = text.replace('"benchmarks": []', '"benchmarks": [], "type_": "generative_benchmark"')
    with pytest.raises(InputError, match=words):
        reading_of(tmp_path, text)


def test_many_runs_are_bounded_and_it_is_said(tmp_path: Path) -> None:
    line = json.dumps(samples.llama_bench()[0])
    reading: Reading = reading_of(tmp_path, "\n".join([line] * (MOST_RUNS + 20)))
    assert len(runs_of(reading)) == MOST_RUNS
    assert any(f"first {MOST_RUNS} runs" in note for note in reading.notes)


def test_many_rows_are_bounded(tmp_path: Path) -> None:
    row = samples.llmperf_individual()[0]
    run = one_run(tmp_path, json.dumps([row] * 8_000))
    assert len(run.requests) == 2_000
    assert run.values["output_lengths.count"].value == 8_000


def test_long_lists_per_request_are_summed_and_not_kept(tmp_path: Path) -> None:
    detail = {"input_lens": [10] * 100_000, "output_lens": [2] * 100_000, "itls": [[0.1]] * 100_000}
    run = one_run(tmp_path, json.dumps(samples.vllm_serve() | detail))
    assert run.values["output_lengths.sum"].value == 200_000
    assert run.values["chunks.sum"].value == 200_000
    assert run.requests == []


@pytest.mark.parametrize("text", ["[" * 5_000, '[{"a":' * 3_000, '{"benchmarks": ', "data: {" * 2_000])
def test_what_only_begins_like_a_result_file_is_not_wanted(tmp_path: Path, text: str) -> None:
    assert recognised_as(tmp_path, text) is None
