"""Metrics dumps: samples with their lines, vLLM's configuration labels and counters, and windows between two dumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.parsers.metrics.exposition import samples
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor

DUMP = """# HELP vllm:num_preemptions_total Cumulative number of preemption from the engine.
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{{engine="0",model_name="acme/atlas"}} {preemptions}
# TYPE vllm:prefix_cache_queries_total counter
vllm:prefix_cache_queries_total{{engine="0",model_name="acme/atlas"}} {queries}
vllm:prefix_cache_hits_total{{engine="0",model_name="acme/atlas"}} {hits}
vllm:cache_config_info{{block_size="16",cache_dtype="{dtype}",engine="0",gpu_memory_utilization="0.92",num_gpu_blocks="2186"}} 1.0
process_start_time_seconds {started}
"""


def dump(path: Path, started: float = 1.7e9, **counters: object) -> str:
    values = {"preemptions": 7.0, "queries": 2000.0, "hits": 500.0, "dtype": "auto", **counters}
    path.write_text(DUMP.format(started=started, **values), encoding="utf-8")
    return str(path)


def arm(*paths: str) -> Record:
    return read_arm(list(paths), Redactor())


def test_configuration_labels_and_counters_since_the_start(tmp_path: Path) -> None:
    record = arm(dump(tmp_path / "metrics.txt"))
    known = {name: record.value(name) for name in ("engine.name", "kv_cache.block_size", "kv_cache.blocks", "memory.utilization")}
    assert known == {"engine.name": "vllm", "kv_cache.block_size": 16, "kv_cache.blocks": 2186, "memory.utilization": 0.92}
    assert record.value("runtime.prefix_hit_rate") == 500 / 2000
    assert record.value("runtime.preemptions") == 7
    origin = record.facts("kv_cache.block_size")[0].origins[0]
    assert (origin.line, 'block_size="16"' in origin.excerpt) == (7, True)


def test_the_cache_dtype_of_the_api_server_is_a_request_only(tmp_path: Path) -> None:
    record = arm(dump(tmp_path / "metrics.txt"))
    assert record.state("kv_cache.dtype") == "unknown"
    assert [(fact.stage, fact.value) for fact in record.facts("kv_cache.dtype")] == [("requested", "auto")]


def test_two_dumps_of_one_server_give_the_window_between(tmp_path: Path) -> None:
    before = dump(tmp_path / "before.txt", queries=2000.0, hits=500.0, preemptions=7.0)
    after = dump(tmp_path / "after.txt", queries=6000.0, hits=3300.0, preemptions=9.0)
    record = arm(after, before)
    assert record.value("runtime.prefix_hit_rate") == pytest.approx((3300 - 500) / (6000 - 2000))
    assert record.value("runtime.preemptions") == 2


def test_a_restart_between_two_dumps_gives_no_rate(tmp_path: Path) -> None:
    record = arm(dump(tmp_path / "before.txt", started=1.0), dump(tmp_path / "after.txt", started=2.0, queries=9000.0))
    assert record.state("runtime.prefix_hit_rate") == "unknown"
    assert "started anew" in str(record.fields["runtime.prefix_hit_rate"].because)


def test_a_counter_that_fell_gives_no_rate(tmp_path: Path) -> None:
    record = arm(dump(tmp_path / "before.txt", hits=800.0), dump(tmp_path / "after.txt", queries=9000.0, hits=100.0))
    assert record.state("runtime.prefix_hit_rate") == "unknown"


def test_no_query_is_no_rate(tmp_path: Path) -> None:
    assert arm(dump(tmp_path / "metrics.txt", queries=0.0, hits=0.0)).state("runtime.prefix_hit_rate") == "unknown"


def test_samples_are_those_of_prometheus_client() -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    text = DUMP.format(preemptions="1907.0", queries="2.1384e+06", hits="677872.0", dtype='a\\"b', started="1.7e+09")
    oracle = [
        (one.name, dict(one.labels), one.value)
        for family in parser.text_string_to_metric_families(text)
        for one in family.samples
    ]
    assert sorted(map(str, oracle)) == sorted(str((one.name, one.labels, one.value)) for one in samples(text))


@pytest.mark.parametrize("line", ["x{a=", "x NaN", "x 1e999", "{} 1", "x" * 70_000 + " 1", "x +-", ""])
def test_odd_lines_are_passed_over(line: str) -> None:
    assert list(samples(f"{line}\nok 1\n"))[-1].name == "ok"
    assert all(one.name == "ok" for one in samples(f"{line}\nok 1\n"))
