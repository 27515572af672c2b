"""What metrics dumps say: the engine, its configuration, its counters under common names, and what is odd about the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputErrors
from kvaudit.parsers.facts import COUNTERS_CLUE
from kvaudit.parsers.metrics.shapes import Counters
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from tests.parsers.metrics import dumps
from tests.parsers.metrics.dumps import MODEL, write

CONFIGURATION = (
    'vllm:cache_config_info{{block_size="16",cache_dtype="auto",engine="{engine}",'
    'gpu_memory_utilization="0.92",num_gpu_blocks="2186"}} 1.0\n'
)


def arm(path: Path, text: str) -> Record:
    return read_arm([write(path / "metrics.txt", text)], Redactor())


def counters(path: Path, text: str) -> list[Counters]:
    return [Counters.model_validate(clue.value) for clue in arm(path, text).clues.get(COUNTERS_CLUE, [])]


def known(record: Record, *names: str) -> dict[str, Any]:
    return {name: record.value(name) for name in names}


def test_the_configuration_of_vllm_with_its_lines(tmp_path: Path) -> None:
    record = arm(tmp_path, dumps.vllm() + CONFIGURATION.format(engine=0))
    expected = {"engine.name": "vllm", "kv_cache.block_size": 16, "kv_cache.blocks": 2186, "memory.utilization": 0.92}
    assert known(record, *expected) == expected
    origin = record.facts("kv_cache.block_size")[0].origins[0]
    assert (origin.line, 'block_size="16"' in origin.excerpt) == (dumps.vllm().count("\n") + 1, True)


@pytest.mark.parametrize(
    ("labels", "size"),
    [
        ('mamba_block_size="8192"', 16),
        ('_block_size_resolved="True",mamba_block_size="None"', 16),
        ('_block_size_resolved="True",mamba_block_size="8192"', None),
        ('_block_size_resolved="True",mamba_block_size="16",effective_attention_block_size="1056"', 1056),
        ('_block_size_resolved="True",mamba_block_size="16",effective_attention_block_size="None"', None),
    ],
)
def test_the_page_of_a_hybrid_model_is_not_its_servers_default(tmp_path: Path, labels: str, size: int | None) -> None:
    record = arm(tmp_path, dumps.vllm() + CONFIGURATION.format(engine=0).replace('cache_dtype="auto"', labels))
    assert record.value("kv_cache.block_size") == size


def test_the_cache_dtype_of_the_api_server_is_a_request_only(tmp_path: Path) -> None:
    record = arm(tmp_path, dumps.vllm() + CONFIGURATION.format(engine=0))
    assert record.state("kv_cache.dtype") == "unknown"
    assert [(fact.stage, fact.value) for fact in record.facts("kv_cache.dtype")] == [("requested", "auto")]


def test_blocks_that_several_engines_share_are_a_sum_of_nobody_knows_what(tmp_path: Path) -> None:
    text = dumps.vllm(engines=(0, 1)) + CONFIGURATION.format(engine=0) + CONFIGURATION.format(engine=1)
    record = arm(tmp_path, text)
    assert (record.state("kv_cache.blocks"), record.value("kv_cache.block_size")) == ("unknown", 16)


def test_counters_of_two_engines_add_up_and_aborted_requests_do_not_count(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.vllm(engines=(0, 1), prompt=300.0, queries=300.0, hits=60.0, served=8.0))
    assert (found.values["prompt_tokens"], found.values["prefix_queries"], found.values["prefix_hits"]) == (600.0, 600.0, 120.0)
    assert (found.values["requests"], found.by_reason) == (16.0, {"stop": 0.0, "length": 16.0, "abort": 2.0})
    assert found.series["prompt_tokens"] == [f"engine=0,model_name={MODEL}", f"engine=1,model_name={MODEL}"]
    assert len(found.lines["prompt_tokens"]) == 2


@pytest.mark.parametrize("unit", ["blocks", "tokens"])
def test_the_unit_of_the_older_family_is_what_its_help_text_says(tmp_path: Path, unit: str) -> None:
    (found,) = counters(tmp_path, dumps.vllm(family="vllm:gpu_prefix_cache", unit=unit))
    assert found.prefix_unit == unit


def test_the_unit_of_the_older_family_without_its_help_text_is_not_known(tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in dumps.vllm(family="vllm:gpu_prefix_cache").split("\n") if line.startswith("vllm:"))
    (found,) = counters(tmp_path, text)
    assert (found.values["prefix_queries"], found.prefix_unit) == (4000.0, None)


def test_two_families_of_one_number_are_not_added(tmp_path: Path) -> None:
    older = dumps.counter("vllm:gpu_prefix_cache_queries_total", 4000.0, labels='engine="0"')
    (found,) = counters(tmp_path, dumps.vllm(queries=4000.0) + older)
    assert (found.values["prefix_queries"], found.prefix_unit) == (4000.0, "tokens")


@pytest.mark.parametrize(("rate", "caching"), [(-1.0, False), (0.25, True), (0.0, True)])
def test_the_gauge_of_v0_tells_whether_prefixes_are_kept(tmp_path: Path, rate: float, caching: bool) -> None:
    record = arm(tmp_path, dumps.vllm_v0(rate=rate))
    assert record.value("kv_cache.prefix_caching") is caching
    assert record.facts("kv_cache.prefix_caching")[0].stage == "inferred"


def test_tokens_drafted_per_step_follow_where_every_step_drafted_all_positions(tmp_path: Path) -> None:
    record = arm(tmp_path, dumps.speculative(100.0, 300.0, (80.0, 60.0, 40.0)))
    assert known(record, "engine.name", "speculative.tokens") == {"engine.name": "vllm", "speculative.tokens": 300 / 100}


def test_steps_that_drafted_fewer_tokens_than_there_are_positions_prove_no_number(tmp_path: Path) -> None:
    assert arm(tmp_path, dumps.speculative(100.0, 250.0, (80.0, 60.0, 40.0))).state("speculative.tokens") == "unknown"


def test_sglang_counts_cached_tokens_over_all_tiers_and_each_scheduler_once(tmp_path: Path) -> None:
    text = dumps.sglang(prompt=9000.0, cached={"device": 3000.0, "host": 600.0})
    (found,) = counters(tmp_path, text)
    assert (found.values["prefix_queries"], found.values["prefix_hits"], found.prefix_unit) == (9000.0, 3600.0, "tokens")
    assert found.values["preemptions"] == 3.0, "both ranks tell of the same three"
    record = arm(tmp_path, text)
    assert known(record, "engine.name", "kv_cache.tokens") == {"engine.name": "sglang", "kv_cache.tokens": 433152}


def test_the_hit_rate_gauge_of_sglang_is_one_batch_and_is_not_read(tmp_path: Path) -> None:
    assert arm(tmp_path, dumps.sglang(prompt=9000.0)).state("runtime.prefix_hit_rate") == "unknown"


def test_llama_cpp_counts_cached_prompt_tokens_apart(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.llama_cpp(processed=1503, cached=1501, started=880_001))
    assert (found.values["prompt_tokens"], found.values["prompt_tokens_computed"]) == (1503 + 1501, 1503)
    assert (found.values["prefix_hits"], found.started) == (1501, 880_001)


def test_llama_cpp_before_it_counted_cached_tokens_has_no_prompt_total(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.llama_cpp(processed=1503, cached=None))
    assert found.values.keys() == {"prompt_tokens_computed", "generation_tokens", "draft_tokens", "accepted_tokens"}


def test_the_labels_of_tensorrt_llm_are_its_arguments(tmp_path: Path) -> None:
    record = arm(tmp_path, dumps.tensorrt_llm(prompt=900.0, reused=12.0, missed=36.0))
    expected = {"kv_cache.block_size": 32, "kv_cache.blocks": 2789, "kv_cache.prefix_caching": True, "parallel.tensor": 2}
    assert known(record, *expected) == expected
    assert record.facts("kv_cache.prefix_caching")[0].stage == "requested"
    assert record.state("kv_cache.dtype") == "unknown"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"reused": 12.0, "missed": 36.0}, (48.0, 12.0, "blocks")),
        ({"cached": 300.0, "reused": 12.0, "missed": 36.0}, (900.0, 300.0, "tokens")),
    ],
)
def test_tensorrt_llm_counts_reuse_in_blocks_or_tokens(
    tmp_path: Path, given: dict[str, float], expected: tuple[float, float, str]
) -> None:
    (found,) = counters(tmp_path, dumps.tensorrt_llm(prompt=900.0, **given))
    assert (found.values["prefix_queries"], found.values["prefix_hits"], found.prefix_unit) == expected


def test_lmcache_is_another_tier_and_never_the_engines_prefix_cache(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.lmcache(2000.0, 500.0) + dumps.vllm(queries=4000.0, hits=0.0))
    assert (found.engine, found.values["lmcache_hit_tokens"], found.values["prefix_hits"]) == ("vllm", 500.0, 0.0)
    alone = arm(tmp_path, dumps.lmcache(2000.0, 500.0))
    assert (alone.state("runtime.prefix_hit_rate"), alone.state("engine.name")) == ("unknown", "unknown")
    assert alone.sources[0].notes == ["metrics of no engine (lmcache)"]


def test_of_tgi_the_engine_is_read(tmp_path: Path) -> None:
    record = arm(tmp_path, dumps.tgi())
    assert (record.value("engine.name"), record.sources[0].notes) == ("tgi", ["of these metrics only the engine is read"])


def test_a_dcgm_dump_names_the_gpus_of_its_host(tmp_path: Path) -> None:
    record = arm(tmp_path, dumps.dcgm())
    expected = {"gpu.count": 2, "gpu.names": ["NVIDIA L40S"] * 2, "gpu.uuids": ["GPU-00000000-aaaa", "GPU-00000001-aaaa"]}
    assert known(record, *expected, "gpu.driver") == {**expected, "gpu.driver": "570.86.15"}


@pytest.mark.parametrize(("gpus", "hosts"), [((0, 1), ("rack-7", "rack-8")), ((2, 3), ("rack-7",))])
def test_gpus_of_several_hosts_or_some_of_many_are_no_runs_gpus(
    tmp_path: Path, gpus: tuple[int, ...], hosts: tuple[str, ...]
) -> None:
    assert arm(tmp_path, dumps.dcgm(gpus, hosts)).state("gpu.count") == "unknown"


def test_a_dump_of_several_servers_says_so(tmp_path: Path) -> None:
    both = dumps.vllm(model="acme/atlas-8b") + dumps.vllm(model="acme/birch-2b")
    (found,) = counters(tmp_path, "".join(f"{line}\n" for line in both.split("\n") if line.startswith("vllm:")))
    assert found.mixed == "one dump holds the counters of several servers (model_name acme/atlas-8b, acme/birch-2b)"


def test_scrapes_appended_to_one_file_are_read_one_by_one(tmp_path: Path) -> None:
    found = counters(tmp_path, dumps.vllm(prompt=100.0) + dumps.vllm(prompt=900.0))
    assert [one.values["prompt_tokens"] for one in found] == [100.0, 900.0]
    assert [one.started for one in found] == [1.7612e9, 1.7612e9]


def test_of_many_scrapes_the_first_and_the_last_are_kept(tmp_path: Path) -> None:
    text = "".join(dumps.vllm(prompt=float(100 * number)) for number in range(1, 31))
    assert [one.values["prompt_tokens"] for one in counters(tmp_path, text)] == [100.0, 3000.0]
    assert "30 scrapes in one file" in arm(tmp_path, text).sources[0].notes


def test_a_cut_dump_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path) -> None:
    whole = dumps.vllm(prompt=4000.0)
    text = whole[: whole.index("vllm:generation_tokens_total{") + 60]
    (found,) = counters(tmp_path, text)
    assert (found.values["prompt_tokens"], found.cut, "generation_tokens" in found.values) == (4000.0, True, False)
    assert arm(tmp_path, text).sources[0].notes == ["the dump breaks off; what it may hold in part is not read"]


def test_open_metrics_is_read_and_is_cut_without_its_end_mark(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.open_metrics())
    assert (found.values, found.created, found.cut) == ({"prompt_tokens": 4000.0}, {"prompt_tokens": 1761200001.25}, False)
    (cut,) = counters(tmp_path, dumps.open_metrics().removesuffix("# EOF\n"))
    assert cut.cut


def test_labels_of_a_router_beside_the_engine_do_not_make_two_servers(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.vllm() + 'router_requests_total{model_name="acme/birch-2b",pod="b-1"} 7.0\n')
    assert (found.mixed, found.models) == (None, [MODEL])


def test_a_dump_that_a_clients_error_ends_is_cut(tmp_path: Path) -> None:
    (found,) = counters(tmp_path, dumps.vllm() + 'vllm:x_seconds_bucket{engine="0",legal format or missing URL\n')
    assert found.cut


def test_lines_that_are_no_samples_are_shown(tmp_path: Path) -> None:
    source = arm(tmp_path, dumps.vllm() + "<p>Bad gateway</p>\n" + CONFIGURATION.format(engine=0)).sources[0]
    number = dumps.vllm().count("\n") + 1
    assert source.notes == [f"one line is no sample, the first is line {number}"]
    assert [(one.line, one.excerpt) for one in source.unparsed] == [(number, "<p>Bad gateway</p>")]


def test_the_progress_table_of_the_client_may_stand_in_front(tmp_path: Path) -> None:
    table = "  % Total    % Received % Xferd  Average Speed\n             Dload\n  0     0    0     0 --:--:--     0"
    record = arm(tmp_path, table + dumps.vllm())
    assert (record.value("engine.name"), record.sources[0].notes) == ("vllm", [])


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n<body>vllm: not reached</body></html>\n",
        'HTTP/1.1 501 Not Implemented\r\nServer: llama.cpp\r\n\r\n{"error":{"message":"start it with `--metrics`"}}',
        "# ports\n# one a server\nvllm: 8000\nsglang: 30000\ntgi_port: 8080\n",
        "curl: (7) Failed to connect to 127.0.0.1 port 8000\n",
    ],
)
def test_an_error_page_is_no_metrics_dump(tmp_path: Path, page: str) -> None:
    with pytest.raises(InputErrors, match="not recognised"):
        arm(tmp_path, page)
