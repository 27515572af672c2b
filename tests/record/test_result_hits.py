"""Prefix hits that only the client was told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.audit.audit import Wishes, diff
from kvaudit.audit.rules import bundled_rules
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor


def _read(folder: Path, name: str, *cached: int | None) -> Record:
    """A record of SGLang runs of 400 prompts with 1,000 tokens each, of which `cached` came from the cache."""
    lines = [_line(number, one) for number, one in enumerate(cached, start=1)]
    file = folder / name
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return read_arm([str(file)], Redactor("default"))


def _line(number: int, cached: int | None) -> dict[str, Any]:
    duration = 100.0 + number / 8
    return {
        "backend": "sglang-oai",
        "dataset_name": "tickets",
        "request_rate": 8.0,
        "sharegpt_output_len": None,
        "duration": duration,
        "completed": 400,
        "total_input_tokens": 400_000,
        "total_output_tokens": 51_200,
        "request_throughput": 400 / duration,
        **({"cache_report": {"total_cached_tokens": cached}} if cached is not None else {}),
    }


def test_the_rate_is_that_of_all_runs(tmp_path: Path) -> None:
    """(100,000 + 300,000) ÷ 800,000."""
    record = _read(tmp_path, "runs.jsonl", 100_000, 300_000)
    assert record.value("runtime.prefix_hit_rate") == 0.5
    assert record.value("kv_cache.prefix_caching") is True
    (told,) = record.facts("runtime.prefix_hit_rate")
    assert told.how == "400,000 cached ÷ 800,000 prompt tokens, as the client was told"
    assert {origin.line for origin in told.origins} == {1, 2}


def test_no_hits_prove_nothing_of_the_cache(tmp_path: Path) -> None:
    record = _read(tmp_path, "runs.jsonl", 0)
    assert record.value("runtime.prefix_hit_rate") == 0.0
    assert record.state("kv_cache.prefix_caching") == "unknown"


@pytest.mark.parametrize("cached", [None, 400_001])
def test_no_figure_or_an_impossible_one_gives_no_rate(tmp_path: Path, cached: int | None) -> None:
    assert _read(tmp_path, "runs.jsonl", cached).state("runtime.prefix_hit_rate") == "unknown"


@pytest.mark.parametrize(("a", "b", "severity"), [(268_000, 180_000, "error"), (120_000, 90_000, "warning"), (8000, 4000, None)])
def test_unequal_hits_of_two_arms(tmp_path: Path, a: int, b: int, severity: str | None) -> None:
    """67 % against 45 %, 30 % against 22.5 %, 2 % against 1 %."""
    arms = [_read(tmp_path, f"{name}.jsonl", cached) for name, cached in (("a", a), ("b", b))]
    report = diff(arms[0], arms[1], bundled_rules(), Wishes())
    found = [one.severity for one in report.findings if one.rule == "prefix-hit-rates-differ"]
    assert found == ([severity] if severity else [])


@pytest.mark.parametrize(("rate", "on"), [("41.7%", True), ("0.0%", None)])
def test_hits_in_a_log_prove_that_caching_is_on(tmp_path: Path, rate: str, on: bool | None) -> None:
    """A log that begins after the start, with statistics only."""
    line = (
        "INFO 06-11 09:13:{second:02d} [loggers.py:271] Engine 000: Avg prompt throughput: 3011.2 tokens/s, Avg generation "
        "throughput: 402.7 tokens/s, Running: 16 reqs, Waiting: 0 reqs, GPU KV cache usage: 4.1%, Prefix cache hit rate: {rate}"
    )
    file = tmp_path / "server.log"
    file.write_text("".join(line.format(second=second, rate=rate) + "\n" for second in range(2, 52, 10)), encoding="utf-8")
    assert read_arm([str(file)], Redactor("default")).value("kv_cache.prefix_caching") is on
