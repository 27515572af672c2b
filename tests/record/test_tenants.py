"""Whose the processes of a snapshot are, joined with the log's process ids and the engine's titles."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.tenants import classify_tenants
from tests.record.builders import table

WORKER = {"gpu": 0, "pid": 48_211, "name": "VLLM::EngineCore", "type": "C", "mib": 70_000, "class": "unknown"}
PYTHON = {"gpu": 0, "pid": 51_000, "name": "/opt/env/bin/python3", "type": "C", "mib": 900, "class": "unknown"}
DESKTOP = {"gpu": 0, "pid": 1_411, "name": "/usr/lib/xorg/Xorg", "type": "G", "mib": 96, "class": "desktop", "reason": "type G"}


def _classes(tenants: list[dict[str, Any]], pids: dict[str, Any] | None, engine: str | None = "vllm") -> list[tuple[str, str]]:
    held: dict[str, Any] = {"gpu.tenants": tenants}
    held |= {"clue.process_ids": pids} if pids is not None else {}
    held |= {"engine.name": engine} if engine else {}
    filled = table(held)
    classify_tenants(filled)
    return [(str(one.get("class")), str(one.get("reason") or "")) for one in filled.value("gpu.tenants")]


def test_a_process_that_the_log_names_is_the_runs_own() -> None:
    assert _classes([WORKER], {"EngineCore": [48_211]}) == [("own", "the log names process 48211")]


def test_the_others_on_the_same_host_are_strangers_whatever_their_title() -> None:
    found = _classes([WORKER, PYTHON], {"EngineCore": [47_000]})
    assert found[0] == ("foreign", "titled like the engine, but the log names other processes than 48211")
    assert found[1] == ("foreign", "the log does not name process 51000")


@pytest.mark.parametrize("pids", [{"APIServer": [1], "EngineCore": [204]}, {"EngineCore": [379]}, {}, None])
def test_process_ids_of_a_container_decide_only_by_title(pids: dict[str, Any] | None) -> None:
    found = _classes([WORKER, PYTHON], pids)
    assert [one for one, _ in found] == ["own", "unknown"]
    assert "container" in found[0][1]


def test_a_small_id_on_a_small_host_is_no_container() -> None:
    assert _classes([{**PYTHON, "pid": 412}], {"EngineCore": [377]}) == [("foreign", "the log does not name process 412")]


def test_desktop_processes_stay_desktop() -> None:
    assert _classes([DESKTOP], {"EngineCore": [48_211]}) == [("desktop", "type G")]


def test_titles_are_those_of_the_engine_that_ran() -> None:
    scheduler = {**WORKER, "name": "sglang::scheduler_TP0"}
    assert _classes([scheduler], None, "sglang")[0][0] == "own"
    assert _classes([scheduler], None, "vllm")[0][0] == "unknown"


def test_without_a_log_nothing_is_joined() -> None:
    assert _classes([WORKER, DESKTOP], None, None) == [("unknown", ""), ("desktop", "type G")]


@pytest.mark.parametrize("pids", [{"EngineCore": "377"}, {"EngineCore": ["377", None]}, ["377"], "377"])
def test_ids_of_wrong_types_are_no_ids(pids: Any) -> None:
    assert _classes([WORKER], pids)[0][0] == "own"


def test_an_empty_list_stays_empty_and_a_missing_one_unknown() -> None:
    assert _classes([], {"EngineCore": [1]}) == []
    filled = table({"engine.name": "vllm"})
    classify_tenants(filled)
    assert filled.state("gpu.tenants").state == "unknown"
