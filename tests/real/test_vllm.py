"""kvaudit against real vLLM servers on a CPU, all started with equal flags: the headline case, live."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.real import checkpoints, servers
from tests.real.reports import capture, capture_load, fired, ignored, report, values

GIB = 1 << 30
TOKENS_16, TOKENS_8 = GIB // (2 * checkpoints.ELEMENTS_PER_TOKEN), GIB // checkpoints.ELEMENTS_PER_TOKEN
REQUESTS = 6


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    checkpoints.make_all(folder)
    return folder


@pytest.fixture(scope="module")
def runs(vllm_environment: Path, models: Path, command: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run folders: two plain servers, the two FP8 checkpoints, one without prefix caching; windows of warm and of cold load."""
    folder = tmp_path_factory.mktemp("runs")

    def start(name: str, model: str = "plain", *flags: str, **variables: str) -> AbstractContextManager[servers.Running]:
        return servers.vllm(vllm_environment, models / model, folder / f"{name}.log", *flags, **variables)

    fp8 = servers.fp8_variables()
    with servers.together(start("plain"), start("twin")) as (plain, twin):
        capture(command, plain, folder / "plain")
        capture(command, plain, folder / "plain-again")
        capture(command, twin, folder / "twin")
        capture_load(command, plain, folder / "cold", "cold", REQUESTS)
        capture_load(command, plain, folder / "warm", "warm", REQUESTS)
    with servers.together(
        start("uncached", "plain", "--no-enable-prefix-caching"), start("kv-scheme", "kv-scheme", **fp8)
    ) as pair:
        capture_load(command, pair[0], folder / "uncached", "warm", REQUESTS)
        capture(command, pair[1], folder / "kv-scheme")
    with start("modelopt-fp8", "modelopt-fp8", **fp8) as server:
        capture(command, server, folder / "modelopt-fp8")
    return folder


def test_every_piece_of_the_folder_is_read(run: Run, runs: Path) -> None:
    document = report(run, "check", str(runs / "plain"))
    assert ignored(document) == []
    known = values(document)
    assert known["engine.name"] == "vllm"
    assert known["engine.version"] == "0.32.0"
    assert known["engine.platform"] == "cpu"
    assert known["kv_cache.dtype"] == "bfloat16"
    assert known["kv_cache.tokens"] == TOKENS_16
    assert known["kv_cache.memory_gib"] == 1.0
    assert known["scheduler.max_num_seqs"] > 0, "neither log nor metrics print it; /server_info does"
    assert document["verdict"] == "pass"


def test_the_plain_pair_is_comparable(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "plain"), str(runs / "twin"))
    assert (document["verdict"], document["exit_code"]) == ("comparable", 0)


def test_one_server_twice_differs_in_nothing_that_matters(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "plain"), str(runs / "plain-again"))
    assert (document["verdict"], document["exit_code"]) == ("comparable", 0)
    assert [one for one in document["differences"] if one["class"] in ("confound", "unknown")] == []


def test_the_hidden_fp8_cache_is_found(run: Run, runs: Path) -> None:
    log = (runs / "kv-scheme.log").read_text(encoding="utf-8")
    assert "kv_cache_dtype=auto" in log
    document = report(run, "diff", str(runs / "plain"), str(runs / "kv-scheme"), "--vary", "weights")
    assert (document["verdict"], document["exit_code"]) == ("not_comparable", 1)
    assert {"hidden-fp8-kv", "kv-dtype-differs", "unequal-kv-capacity"} <= fired(document)
    assert document["capacity"]["ratio"] == pytest.approx(TOKENS_8 / TOKENS_16)
    assert values(document, 1)["kv_cache.tokens"] == TOKENS_8
    requested = [fact for fact in document["arms"][1]["fields"]["kv_cache.dtype"]["facts"] if fact["stage"] == "requested"]
    assert {fact["value"] for fact in requested} == {"auto"}, "log, metrics and /server_info only repeat the request"


def test_the_fp8_cache_that_modelopt_asks_for_is_found(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "plain"), str(runs / "modelopt-fp8"), "--vary", "weights")
    assert document["verdict"] == "not_comparable"
    assert {"hidden-fp8-kv", "kv-dtype-differs"} <= fired(document)
    assert values(document, 1)["kv_cache.dtype"] == "fp8_e4m3"


def test_prefix_caching_on_one_arm_is_found_by_its_hit_rate(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "warm"), str(runs / "uncached"))
    assert "prefix-caching-differs" in fired(document)
    warm, uncached = values(document, 0), values(document, 1)
    assert warm["runtime.prefix_hit_rate"] > 0.5
    assert uncached.get("runtime.prefix_hit_rate", 0.0) == 0.0
    assert warm["kv_cache.prefix_caching"] is True


def test_a_warm_cache_is_told_from_a_cold_one(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "cold"), str(runs / "warm"))
    assert "prefix-hit-rates-differ" in fired(document)
    cold, warm = values(document, 0), values(document, 1)
    assert cold["runtime.prefix_hit_rate"] < 0.2 < warm["runtime.prefix_hit_rate"]


def test_the_window_counts_the_requests_of_the_load(runs: Path) -> None:
    import json

    window = json.loads((runs / "warm" / "manifest.json").read_text(encoding="utf-8"))["around"]["window"]
    assert window["counters"]["requests"] == REQUESTS
