"""Counters that a load generator sampled into CSV: first and last row, restarts, columns of zeros, rows that break off."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.errors import InputErrors
from kvaudit.parsers.facts import WINDOW_CLUE
from kvaudit.parsers.metrics.shapes import Window
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor

HEADER = (
    "timestamp_sec,relative_time_sec,kv_cache_usage_pct,num_requests_running,prefix_cache_hits,prefix_cache_queries,"
    "prompt_tokens_total,generation_tokens_total,num_preemptions_total,request_success_total,interval_throughput_tok_per_sec"
)


def row(second: int, *counts: float, preemptions: int = 0) -> str:
    """Counts are hits, queries, prompt tokens, generated tokens and requests served."""
    hits, queries, prompt, generated, served = counts
    counted = f"{hits},{queries},{prompt},{generated},{preemptions},{served}"
    return f"{1763400000 + second}.000,{second}.000,12.50,8,{counted},640.00"


def arm(folder: Path, *rows: str, end: str = "\n") -> Record:
    path = folder / "server_metrics.csv"
    path.write_text("\n".join([HEADER, *rows]) + end)
    return read_arm([str(path)], Redactor())


def window(record: Record) -> Window:
    return Window.model_validate(record.clue(WINDOW_CLUE))


def test_the_window_is_from_the_first_row_to_the_last(tmp_path: Path) -> None:
    record = arm(tmp_path, row(0, 100, 1000, 1000, 50, 2), row(1, 300, 2000, 2000, 90, 3), row(2, 1600, 5000, 5000, 450, 12))
    assert record.value("runtime.prefix_hit_rate") == (1600 - 100) / (5000 - 1000)
    found = window(record)
    assert (found.since, found.deltas["prompt_tokens"], found.deltas["requests"]) == ("dump", 5000 - 1000, 12 - 2)
    assert [origin.line for origin in found.origins["prompt_tokens"]] == [2, 4]


def test_a_column_of_zeros_may_be_a_metric_that_was_not_found(tmp_path: Path) -> None:
    record = arm(tmp_path, row(0, 0, 0, 1000, 50, 2), row(1, 0, 0, 2000, 90, 3))
    assert (record.state("runtime.preemptions"), record.state("runtime.prefix_hit_rate")) == ("unknown", "unknown")
    assert arm(tmp_path, row(0, 0, 9, 9, 1, 0), row(1, 0, 99, 99, 9, 3, preemptions=4)).value("runtime.preemptions") == 4


def test_a_counter_that_falls_is_a_restart(tmp_path: Path) -> None:
    record = arm(tmp_path, row(0, 0, 900, 900, 50, 2), row(1, 0, 100, 100, 9, 0), row(2, 0, 9000, 9000, 90, 9))
    assert record.clue(WINDOW_CLUE) is None
    assert record.sources[0].notes == ["a counter falls at line 3: the server was started anew, and nothing is counted"]


@pytest.mark.parametrize("cut", ["1763400009.000,9.000,12.5", row(9, 9999, 9999, 9999, 999, 99).replace("9999", "x", 1)])
def test_a_row_that_is_not_whole_does_not_count(tmp_path: Path, cut: str) -> None:
    record = arm(tmp_path, row(0, 0, 1000, 1000, 50, 2), row(1, 500, 2000, 2000, 90, 3), cut, end="")
    assert window(record).deltas["prompt_tokens"] == 2000 - 1000


def test_one_row_counts_since_the_start(tmp_path: Path) -> None:
    assert window(arm(tmp_path, row(0, 250, 1000, 1000, 50, 2))).since == "start"


def test_a_header_without_a_row_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputErrors, match=r"server_metrics\.csv.*no whole row"):
        arm(tmp_path)
