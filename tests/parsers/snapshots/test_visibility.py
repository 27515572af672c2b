"""When an empty or short process list proves something, and when it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]
Box = Callable[..., str]

IN_USE = {"memory": "30100MiB /  46068MiB"}
BANNER = "NVIDIA Release 26.01 (build 1)\nContainer image Copyright (c) 2026\n\n"


def test_words_and_memory_prove_that_nobody_runs(facts: Facts, box: Box) -> None:
    found = facts(box())
    assert found["gpu.tenants"] == []
    assert found["clue.snapshot_visibility"] == "full"
    assert found["gpu.unattributed_mib"] == [0]


def test_words_alone_do_not_where_memory_is_in_use(facts: Facts, box: Box) -> None:
    found = facts(box([IN_USE]))
    assert "gpu.tenants" not in found
    assert "30100 MiB in use that no listed process explains" in found["clue.snapshot_visibility"]
    assert found["gpu.unattributed_mib"] == [30100 - 35]


def test_an_empty_body_proves_nobody_only_by_idle_memory(facts: Facts, box: Box) -> None:
    assert facts(box(tail="\n").replace("\n\n+--", "\n+--"))["gpu.tenants"] == []
    busy = facts(box([{"memory": "300MiB /  46068MiB"}], tail="\n"))
    assert "gpu.tenants" not in busy
    assert "proves nothing" in busy["clue.snapshot_visibility"]


@pytest.mark.parametrize(
    ("cells", "tool", "prefix"),
    [
        ({"name": "NVIDIA GB10", "memory": "Not Supported"}, "580.65.06", ""),
        ({"name": "NVIDIA GB10", "memory": "Not Supported"}, "580.65.06", BANNER),
        ({"mode": "WDDM"}, "580.65.06", ""),
        ({}, "580.60.01", ""),
        (IN_USE, "580.65.06", BANNER),
    ],
    ids=["unified memory", "unified memory in a container", "WDDM", "WSL", "container"],
)
def test_forms_whose_empty_list_is_no_proof(facts: Facts, box: Box, cells: dict[str, str], tool: str, prefix: str) -> None:
    found = facts(prefix + box([cells], tool=tool))
    assert "gpu.tenants" not in found
    assert found["clue.snapshot_visibility"].startswith("partial: ")
    assert ("gpu.unattributed_mib" in found) == (cells == IN_USE)


def test_an_idle_card_in_a_container_is_proven_by_its_memory(facts: Facts, box: Box) -> None:
    assert facts(BANNER + box())["gpu.tenants"] == []


def test_rows_without_their_memory_are_a_guest(read: Read, box: Box) -> None:
    reading = read(box([IN_USE], [(0, 31, "C", "/python3.12", "N/A")]))
    assert "gpu.tenants" not in {fact.field for fact in reading.facts}
    assert any("1 processes are printed" in note for note in reading.notes)


def test_rows_of_zero_memory_beside_used_memory_are_a_container(facts: Facts, box: Box) -> None:
    assert "gpu.tenants" not in facts(box([IN_USE], [(0, 9, "C", "ray::RayWorkerWrapper", "0MiB")]))
    assert facts(box([{}], [(0, 9, "C", "ray::RayWorkerWrapper", "0MiB")]))["gpu.tenants"][0]["pid"] == 9


def test_old_drivers_count_their_reservation_as_used(facts: Facts, box: Box) -> None:
    used = {"memory": "900MiB /  46068MiB"}
    assert facts(box([used], tool="470.10", driver="470.10"))["gpu.tenants"] == []
    assert "gpu.tenants" not in facts(box([used], tool="525.10", driver="525.10"))


def test_the_baseline_is_higher_with_a_display(facts: Facts, box: Box) -> None:
    rows = [(0, 3, "G", "/usr/bin/gnome-shell", "100MiB"), (0, 4, "C", "llama-server", "9000MiB")]
    # 9400 used - 9100 listed = 300, which a compositor holds unlisted
    assert facts(box([{"memory": "9400MiB /  46068MiB"}], rows))["gpu.unattributed_mib"] == [0]
    assert facts(box([{"memory": "9400MiB /  46068MiB"}], rows[1:]))["gpu.unattributed_mib"] == [400 - 35]
