"""Samples, scrapes and ends of a metrics dump; prometheus_client's parser is the oracle for every shape."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers.metrics.exposition import sample_of, samples, scrapes
from tests.parsers.metrics.dumps import MODEL, SHAPES, open_metrics, vllm

CORPUS = os.environ.get("KVAUDIT_CORPUS")


def told(found: Iterable[Any]) -> list[str]:
    """Finite samples in one spelling: prometheus_client adds `_total` to counters that are printed without it."""
    return sorted(
        str((one.name.removesuffix("_total"), sorted(one.labels.items()), float(one.value)))
        for one in found
        if math.isfinite(one.value)
    )


def oracle(text: str) -> list[str]:
    """The samples of the classic format as prometheus_client reads them."""
    parser = pytest.importorskip("prometheus_client.parser")
    return told(one for family in parser.text_string_to_metric_families(text) for one in family.samples)


def read(text: str) -> list[str]:
    return told(samples(text))


@pytest.mark.parametrize("shape", SHAPES)
def test_samples_are_those_of_prometheus_client(shape: str) -> None:
    expected = oracle(SHAPES[shape])
    assert expected
    assert read(SHAPES[shape]) == expected


def test_open_metrics_samples_are_those_of_prometheus_client() -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    assert read(open_metrics()) == told(
        one for family in parser.text_string_to_metric_families(open_metrics()) for one in family.samples
    )
    assert [one.value for one in samples(open_metrics())] == [4000.0, 1761200001.25, 3.0]


def corpus_dumps() -> Iterator[Path]:
    if CORPUS:
        for folder, pattern in (("metrics", "*"), ("real_runs", "**/*metrics*.txt"), ("runs", "**/metrics.txt")):
            yield from sorted((Path(CORPUS) / folder).glob(pattern))


@pytest.mark.skipif(not CORPUS, reason="KVAUDIT_CORPUS is not set")
def test_samples_of_real_dumps_are_those_of_prometheus_client() -> None:
    compared = 0
    for path in corpus_dumps():
        text = path.read_text(encoding="utf-8")
        begin = min((at for at in (text.find("# HELP"), text.find("# TYPE")) if at >= 0), default=0)
        try:
            expected = oracle(text[begin:])
        except ValueError:
            continue
        assert read(text[begin:]) == expected, path.name
        compared += 1
    assert compared >= 60


def test_a_quoted_metric_name_stands_inside_the_braces() -> None:
    one = sample_of('{"site.requests", "zone.name"="eu",code="200"} 7', 3)
    assert one is not None
    assert (one.name, one.labels, one.value, one.line) == ("site.requests", {"zone.name": "eu", "code": "200"}, 7.0, 3)


@pytest.mark.parametrize(
    "line", ["x{a=", "x NaN", "x 1e999", "{} 1", "x" * 70_000 + " 1", "x +-", "", "HTTP/1.1 200 OK", "<html>"]
)
def test_odd_lines_are_passed_over(line: str) -> None:
    assert [one.name for one in samples(f"{line}\nok 1\n")] == ["ok"]


def test_a_series_that_stands_there_again_begins_the_next_scrape() -> None:
    text = vllm(prompt=100.0) + vllm(prompt=900.0)
    found = scrapes(text)
    prompts = [one.value for scrape in found for one in scrape.samples if one.name == "vllm:prompt_tokens_total"]
    assert (len(found), prompts) == (2, [100.0, 900.0])
    assert found[1].samples[0].line == vllm(prompt=100.0).count("\n") + 3, "the second scrape keeps its lines in the file"


def test_a_number_that_the_end_of_the_file_may_cut_is_not_read() -> None:
    text = f'vllm:prompt_tokens_total{{model_name="{MODEL}"}} 4832.0\nvllm:generation_tokens_total{{model_name="{MODEL}"}} 15'
    found = scrapes(text)[0]
    assert [one.name for one in found.samples] == ["vllm:prompt_tokens_total"]
    assert found.cut == {"vllm:generation_tokens_total", "vllm:prompt_tokens_total"}


@pytest.mark.parametrize("end", ["15", "1.5e+0", 'vllm:x{a="', "# HELP vllm:requ", 'vllm:x_bucket{le="0.1"} 7'])
def test_the_family_at_the_cut_is_not_trusted(end: str) -> None:
    found = scrapes(f"vllm:a 1.0\nvllm:b {end}" if end[0] == "1" else f"vllm:a 1.0\nvllm:b 2.0\n{end}")[0]
    assert "vllm:b" in found.cut


def test_a_last_whole_number_without_a_newline_is_whole() -> None:
    found = scrapes("vllm:a 1.0\nvllm:b 4832.0")[0]
    assert ([one.value for one in found.samples], found.cut) == ([1.0, 4832.0], set())


def test_lines_that_are_no_samples_are_kept_apart_from_what_a_client_wrote_in_front() -> None:
    head = "HTTP/1.1 200 OK\r\nServer: llama.cpp\r\n\r\n"
    found = scrapes(f'{head}# TYPE a counter\na 1.0\n<h1>502 Bad Gateway</h1>\nb NaN\nb{{x="y"}} 2.0\n')[0]
    assert [number for number, _ in found.odd] == [6]
    assert [one.name for one in found.samples] == ["a", "b"]
