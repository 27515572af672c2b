"""Several snapshots of one arm: the one that shows the run counts."""

from __future__ import annotations

from typing import Any

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact
from kvaudit.record.table import FactTable
from kvaudit.record.tenants.classes import classify_tenants
from kvaudit.record.tenants.sharing import share_tenants
from tests.record.builders import said, table

OWN = {"gpu": 0, "pid": 48_211, "name": "VLLM::EngineCore", "type": "C", "mib": 70_000, "class": "unknown"}
STRANGER = {"gpu": 0, "pid": 700, "name": "blender", "type": "C", "mib": 4_000, "class": "unknown"}
PIDS = {"clue.process_ids": {"EngineCore": [48_211]}, "engine.name": "vllm"}


def _fact(name: str, value: Any, file: str, stage: Stage = "observed") -> Fact:
    return said(name, value, stage, file=file)


def _snapshot(file: str, used: int, tenants: list[dict[str, Any]]) -> list[Fact]:
    return [
        _fact("gpu.memory_used_mib", [used], file),
        _fact("gpu.tenants", tenants, file),
        _fact("clue.snapshot_time", file, file),
    ]


def _settled(*snapshots: list[Fact], held: dict[str, Any] | None = None) -> tuple[FactTable, dict[str, list[str]]]:
    filled = table(PIDS if held is None else held, *(one for facts in snapshots for one in facts))
    return filled, classify_tenants(filled)


BEFORE = _snapshot("before.txt", 4_020, [STRANGER])
DURING = _snapshot("during.txt", 70_020, [OWN])
AFTER = _snapshot("after.txt", 0, [])


def test_the_capture_with_the_runs_own_process_counts() -> None:
    filled, notes = _settled(BEFORE, DURING, AFTER)
    assert filled.value("gpu.memory_used_mib") == [70_020]
    assert [(one["pid"], one["class"]) for one in filled.value("gpu.tenants")] == [(48_211, "own")]
    assert list(notes) == ["during.txt"]
    assert "3 captures" in notes["during.txt"][0]
    assert "before.txt" in notes["during.txt"][0]


def test_the_others_stay_as_facts() -> None:
    filled, _ = _settled(BEFORE, DURING)
    state = filled.state("gpu.memory_used_mib")
    assert [one.value for one in state.facts] == [[4_020], [70_020]]
    assert [state.facts[index].value for index in state.won] == [[70_020]]


def test_without_a_log_the_busiest_capture_counts() -> None:
    filled, _ = _settled(AFTER, DURING, BEFORE, held={})
    assert filled.value("gpu.memory_used_mib") == [70_020]


def test_a_field_that_only_another_file_prints_comes_from_there() -> None:
    filled, _ = _settled(DURING, [*BEFORE, _fact("gpu.clocks_mhz", [1980.0], "before.txt")])
    assert filled.value("gpu.clocks_mhz") == [1980.0]
    assert filled.value("gpu.memory_used_mib") == [70_020]


def test_one_snapshot_needs_no_choice() -> None:
    filled, notes = _settled(DURING)
    assert notes == {}
    assert filled.value("gpu.memory_used_mib") == [70_020]


def test_a_later_capture_of_the_same_file_counts_where_it_shows_the_run() -> None:
    later = {"place": 1, "time": "Tue 12:00", "gpu.tenants": [OWN, STRANGER], "gpu.memory_used_mib": [74_020]}
    filled, notes = _settled(BEFORE, [_fact("clue.snapshot_capture", later, "before.txt")])
    assert [one["class"] for one in filled.value("gpu.tenants")] == ["own", "foreign"]
    assert filled.value("gpu.memory_used_mib") == [74_020]
    assert "capture 2 of before.txt (Tue 12:00)" in notes["before.txt"][0]


def test_the_first_capture_of_a_file_counts_where_no_later_one_shows_more() -> None:
    later = {"place": 1, "time": "", "gpu.tenants": [OWN], "gpu.memory_used_mib": [74_020]}
    filled, notes = _settled(DURING, [_fact("clue.snapshot_capture", later, "during.txt")])
    assert filled.value("gpu.memory_used_mib") == [70_020]
    assert notes == {}
    filled, _ = _settled(BEFORE, [_fact("clue.snapshot_capture", later, "before.txt")], held={})
    assert filled.value("gpu.memory_used_mib") == [4_020]


def test_a_process_of_one_server_is_no_stranger_to_the_arm() -> None:
    tenants = [OWN, {**OWN, "gpu": 1, "pid": 48_300}, STRANGER]
    servers = []
    for pid in (48_211, 48_300):
        filled = table(
            {"engine.name": "vllm", "gpu.tenants": tenants, "clue.process_ids": {"EngineCore": [pid]}, "parallel.gpus": 1}
        )
        classify_tenants(filled)
        servers.append(filled)
    assert [one["class"] for one in servers[0].value("gpu.tenants")] == ["own", "foreign", "foreign"]
    joined = FactTable([])
    share_tenants(joined, servers)
    assert [one["class"] for one in joined.value("gpu.tenants")] == ["own", "own", "foreign"]
