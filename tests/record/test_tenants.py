"""Whose the processes of a snapshot are: each rung of the ladder, and what stays open."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.tenants.classes import classify_tenants
from tests.record.builders import table

WORKER = {"gpu": 0, "pid": 48_211, "name": "VLLM::EngineCore", "type": "C", "mib": 70_000, "class": "unknown"}
PYTHON = {"gpu": 0, "pid": 51_000, "name": "/opt/env/bin/python3", "type": "C", "mib": 900, "class": "unknown"}
DESKTOP = {"gpu": 0, "pid": 1_411, "name": "/usr/lib/xorg/Xorg", "type": "G", "mib": 96, "class": "desktop", "reason": "type G"}
TRAINER = {"gpu": 0, "pid": 52_000, "name": "/usr/bin/blender", "type": "C", "mib": 6_200, "class": "unknown"}
CONTAINER = {"APIServer": [1], "EngineCore": [204]}
# 15 GiB of weights and a pool of 52 GiB: the engine's process holds 67.6 GiB and what graphs and activations take.
FIGURES: dict[str, Any] = {"model.weights_gib": 15.0, "kv_cache.memory_gib": 52.0}


def _tenants(
    tenants: list[dict[str, Any]], pids: Any = None, engine: str | None = "vllm", **figures: Any
) -> list[dict[str, Any]]:
    held: dict[str, Any] = {"gpu.tenants": tenants}
    held |= {"clue.process_ids": pids} if pids is not None else {}
    held |= {"engine.name": engine} if engine else {}
    filled = table({**held, **{name.replace("__", "."): value for name, value in figures.items()}})
    classify_tenants(filled)
    value = filled.value("gpu.tenants")
    assert isinstance(value, list)
    return value


def _classes(*arguments: Any, **figures: Any) -> list[str]:
    return [str(one["class"]) for one in _tenants(*arguments, **figures)]


def _rungs(*arguments: Any, **figures: Any) -> list[str]:
    return [f"{one['class']} by {str(one.get('reason')).partition(':')[0]}" for one in _tenants(*arguments, **figures)]


def test_a_process_that_the_log_names_is_the_runs_own() -> None:
    found = _tenants([WORKER], {"EngineCore": [48_211]})
    assert [(one["class"], one["reason"]) for one in found] == [("own", "pid: the log names process 48211")]


def test_on_the_logs_own_host_everybody_else_is_a_stranger() -> None:
    orphan = {**WORKER, "pid": 40_001, "mib": 9_000}
    found = _rungs([WORKER, orphan, PYTHON, TRAINER, DESKTOP], {"EngineCore": [48_211]}, parallel__gpus=1)
    assert found == ["own by pid", "foreign by pid", "foreign by pid", "foreign by pid", "desktop by type G"]


def test_a_rank_whose_lines_are_missing_is_no_stranger() -> None:
    ranks = [{**WORKER, "gpu": rank, "pid": 48_300 + rank, "name": f"VLLM::Worker_TP{rank}"} for rank in range(4)]
    assert _classes(ranks, {"Worker_TP0": [48_300]}, parallel__gpus=4) == ["own"] * 4
    doubled = [*ranks, {**WORKER, "gpu": 0, "pid": 47_000, "name": "VLLM::Worker_TP0"}]
    assert _classes(doubled, {"Worker_TP0": [48_300]}, parallel__gpus=4) == ["own"] * 4 + ["foreign"]


def test_interpreters_stay_open_as_long_as_a_rank_is_not_found() -> None:
    """Old releases set no titles: seven of eight workers are plain Python, and the log may print lines of one."""
    workers = [{**PYTHON, "gpu": rank, "pid": 51_000 + rank, "mib": 70_000} for rank in range(8)]
    assert _classes(workers, {"EngineCore": [51_000]}, parallel__gpus=8) == ["own"] + ["unknown"] * 7


@pytest.mark.parametrize("pids", [CONTAINER, {"EngineCore": [379]}, {}, None, {"EngineCore": [47_000]}])
def test_where_ids_do_not_join_the_title_and_its_count_decide(pids: dict[str, Any] | None) -> None:
    assert _rungs([WORKER, TRAINER], pids, parallel__gpus=1) == ["own by title", "foreign by title"]


def test_a_stranger_beside_a_run_of_unknown_size_needs_a_name_of_its_own() -> None:
    assert _classes([WORKER, PYTHON, TRAINER], CONTAINER) == ["own", "unknown", "unknown"]
    assert _classes([WORKER, PYTHON, TRAINER], CONTAINER, parallel__gpus=1) == ["own", "foreign", "foreign"]


def test_a_bare_context_of_an_interpreter_may_be_the_runs_helper() -> None:
    assert _classes([WORKER, {**PYTHON, "mib": 480}], CONTAINER, parallel__gpus=1) == ["own", "unknown"]


def test_an_extra_titled_process_is_found_by_its_memory_or_left_open() -> None:
    orphan = {**WORKER, "pid": 40_001, "mib": 21_000}
    assert _classes([orphan, WORKER], CONTAINER, parallel__gpus=1) == ["unknown", "unknown"]
    found = _tenants([orphan, WORKER], CONTAINER, parallel__gpus=1, **FIGURES)
    assert [one["class"] for one in found] == ["foreign", "own"]
    assert "one more than the 1 that the run needs" in found[0]["reason"]


def test_a_titled_process_that_holds_less_than_the_weights_is_not_this_run() -> None:
    assert _classes([{**WORKER, "mib": 2_000}], CONTAINER, parallel__gpus=1, **FIGURES) == ["unknown"]


def test_another_engine_on_the_gpu_is_a_stranger() -> None:
    llama = {**WORKER, "pid": 60_000, "name": "/usr/local/bin/llama-server", "mib": 24_000}
    scheduler = {**WORKER, "pid": 60_001, "name": "sglang::scheduler_TP0"}
    assert _classes([WORKER, llama, scheduler], CONTAINER, parallel__gpus=1) == ["own", "foreign", "foreign"]
    assert _classes([scheduler], None, "sglang") == ["own"]


def test_memory_that_was_taken_before_the_start_is_a_strangers() -> None:
    """79.3 GiB of which 30.4 are free: 48.9 taken, which is what the process holds (50,074 MiB)."""
    held = {**PYTHON, "mib": 50_074}
    figures: dict[str, Any] = {"memory.total_gib": 79.3, "memory.free_at_start_gib": 30.4}
    assert _rungs([held], CONTAINER, **figures) == ["foreign by memory at start"]
    assert _classes([held], CONTAINER, **{**figures, "memory.free_at_start_gib": 78.6}) == ["unknown"]


def test_untitled_workers_are_known_by_the_memory_that_they_must_hold() -> None:
    worker = {**PYTHON, "mib": round(68.4 * 1024)}
    assert _rungs([worker], None, parallel__gpus=1, **FIGURES) == ["own by expected use"]
    assert _classes([{**worker, "mib": 30_000}], None, parallel__gpus=1, **FIGURES) == ["unknown"]
    assert _classes([worker, {**worker, "pid": 9}], None, parallel__gpus=1, **FIGURES) == ["unknown", "unknown"]


def test_one_process_of_an_engine_without_ids_is_its_own_and_two_are_open() -> None:
    server = {**WORKER, "name": "...lama.cpp/build/bin/llama-server"}
    assert _classes([server, DESKTOP], None, "llama_cpp") == ["own", "desktop"]
    assert _classes([server, {**server, "gpu": 1}], None, "llama_cpp") == ["own", "own"]
    assert _classes([server, {**server, "pid": 7}], None, "llama_cpp") == ["unknown", "unknown"]


def test_desktop_processes_stay_desktop() -> None:
    assert _tenants([DESKTOP], {"EngineCore": [48_211]}) == [DESKTOP]


def test_without_a_log_nothing_is_joined() -> None:
    assert _tenants([WORKER, DESKTOP], None, None) == [WORKER, DESKTOP]


@pytest.mark.parametrize("pids", [{"EngineCore": "377"}, {"EngineCore": ["377", None]}, ["377"], "377"])
def test_ids_of_wrong_types_are_no_ids(pids: Any) -> None:
    assert _classes([WORKER], pids) == ["own"]


@pytest.mark.parametrize("broken", [{}, {"pid": "x", "mib": "y", "name": 5}, {"class": "strange"}, {"mib": -1, "pid": None}])
def test_broken_entries_are_no_crash(broken: dict[str, Any]) -> None:
    assert len(_tenants([broken, WORKER], CONTAINER, parallel__gpus=1, **FIGURES)) == 2


def test_an_empty_list_stays_empty_and_a_missing_one_unknown() -> None:
    assert _tenants([], {"EngineCore": [1]}) == []
    filled = table({"engine.name": "vllm"})
    classify_tenants(filled)
    assert filled.state("gpu.tenants").state == "unknown"
