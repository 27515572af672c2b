"""CSV of --query-gpu, --query-compute-apps and --query-accounted-apps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]

HEADER = (
    "timestamp, index, name, uuid, driver_version, memory.used [MiB], memory.total [MiB], "
    "utilization.gpu [%], clocks.current.sm [MHz]"
)
ROWS = """
2026/03/03 08:00:00.101, 0, NVIDIA A30, GPU-aa, 580.65.06, 310 MiB, 24576 MiB, 3 %, 210 MHz
2026/03/03 08:00:00.102, 1, NVIDIA A30, GPU-bb, 580.65.06, 20 MiB, 24576 MiB, 0 %, 210 MHz
2026/03/03 08:00:01.101, 0, NVIDIA A30, GPU-aa, 580.65.06, 9000 MiB, 24576 MiB, 98 %, 1410 MHz
2026/03/03 08:00:01.102, 1, NVIDIA A30, GPU-bb, 580.65.06, 9000 MiB, 24576 MiB, 97 %, 1200 MHz
2026/03/03 08:00:02.101, 0, NVIDIA A30, GPU-aa, 580.65.06, 9100 MiB, 24576 MiB, 99 %, 1390 MHz
2026/03/03 08:00:02.102, 1, NVIDIA A30, GPU-bb, 580.65.06, 9100 MiB, 24576 MiB, 51 %, 1220 MHz
2026/03/03 08:00:03.101, 0, NVIDIA A30, GPU-aa, 580.65.06, 9100 MiB, 24576 MiB, 90 %, 1400 MHz
2026/03/03 08:00:03.102, 1, NVIDIA A30, GPU-bb, 580.65.06, 9100 MiB, 24576 MiB, 2 %, 210 MHz
"""


def test_first_sample_and_median_clock_under_load(read: Read) -> None:
    reading = read(HEADER + ROWS)
    found = {fact.field: fact.value for fact in reading.facts}
    assert found["gpu.count"] == 2
    assert found["gpu.memory_used_mib"] == [310, 20]
    assert found["gpu.uuids"] == ["GPU-aa", "GPU-bb"]
    assert found["gpu.driver"] == "580.65.06"
    assert found["gpu.clocks_mhz"] == [1400.0, 1210.0]  # middle of 1390, 1400, 1410; mean of 1200 and 1220
    assert "gpu.tenants" not in found
    assert any("4 samples" in note for note in reading.notes)


def test_origins_stand_at_the_cell(read: Read) -> None:
    used = next(fact for fact in read(HEADER + ROWS).facts if fact.field == "gpu.memory_used_mib")
    assert [origin.line for origin in used.origins] == [2, 3]


def test_idle_clocks_are_no_fact(facts: Facts) -> None:
    idle = "\n".join(line for line in ROWS.split("\n") if "210 MHz" in line)
    assert "gpu.clocks_mhz" not in facts(f"{HEADER}\n{idle}")


def test_without_units(facts: Facts) -> None:
    bare = ROWS
    for unit in (" MiB", " %", " MHz"):
        bare = bare.replace(unit, "")
    assert facts(HEADER + bare) == facts(HEADER + ROWS)


@pytest.mark.parametrize(
    ("printed", "active"),
    [
        ("0x0000000000000000", []),
        ("0x0000000000000001", ["gpu_idle"]),
        ("0x0000000000000024", ["sw_power_cap", "sw_thermal_slowdown"]),
    ],
)
def test_throttle_mask(facts: Facts, printed: str, active: list[str]) -> None:
    assert facts(f"index, pstate, clocks_throttle_reasons.active\n0, P0, {printed}\n")["gpu.throttle_reasons"] == [active]


def test_an_unknown_throttle_bit_is_not_guessed(facts: Facts) -> None:
    found = facts("index, pstate, memory.used [MiB], clocks_event_reasons.active\n0, P0, 4 MiB, 0x8000000000000000\n")
    assert found["gpu.memory_used_mib"] == [4]
    assert "gpu.throttle_reasons" not in found


def test_a_selection_of_throttle_columns_proves_nothing(facts: Facts) -> None:
    found = facts("index, memory.used [MiB], clocks_event_reasons.sw_power_cap\n0, 4 MiB, Not Active\n")
    assert "gpu.throttle_reasons" not in found


def test_all_throttle_columns(facts: Facts) -> None:
    names = ("gpu_idle", "sw_power_cap", "hw_slowdown", "hw_thermal_slowdown", "sw_thermal_slowdown")
    header = ", ".join(f"clocks_event_reasons.{name}" for name in names)
    found = facts(f"index, {header}\n0, Not Active, Active, Not Active, Not Active, Active\n")
    assert found["gpu.throttle_reasons"] == [["sw_power_cap", "sw_thermal_slowdown"]]


def test_link_and_modes_under_load(facts: Facts) -> None:
    header = "index, utilization.gpu [%], pcie.link.gen.current, pcie.link.width.current, "
    header += "mig.mode.current, ecc.mode.current, persistence_mode"
    found = facts(f"{header}\n0, 88 %, 4, 8, Disabled, [N/A], Enabled\n")
    assert found["gpu.pcie"] == ["gen4 x8"]
    assert (found["gpu.mig"], found["gpu.ecc"], found["gpu.persistence"]) == (["Disabled"], ["N/A"], ["Enabled"])


@pytest.mark.parametrize(
    "cell", ["[N/A]", "[Not Supported]", "[GPU is lost]", "[Unknown Error]", "[Insufficient Permissions]", ""]
)
def test_sentinels_are_unknown(facts: Facts, cell: str) -> None:
    found = facts(f"index, name, memory.used [MiB], power.limit [W]\n0, NVIDIA A30, {cell}, 165.00 W\n")
    assert "gpu.memory_used_mib" not in found
    assert found["gpu.power_limit_w"] == [165.0]


def test_without_identity_the_count_is_not_proven(facts: Facts) -> None:
    header = "timestamp, name, memory.used [MiB], memory.total [MiB]"
    found = facts(
        f"{header}\n2026/03/03 08:00:00.1, NVIDIA A30, 5 MiB, 24576 MiB\n2026/03/03 08:00:01.1, NVIDIA A30, 9 MiB, 24576 MiB\n"
    )
    assert found["gpu.memory_used_mib"] == [5]
    assert "gpu.count" not in found


def test_rows_that_may_be_gpus_or_samples_give_no_list(read: Read) -> None:
    reading = read("name, memory.used [MiB], driver_version\nNVIDIA A30, 5 MiB, 580.1\nNVIDIA A30, 9 MiB, 580.1\n")
    found = {fact.field: fact.value for fact in reading.facts}
    assert found["gpu.driver"] == "580.1"
    assert not {"gpu.names", "gpu.memory_used_mib", "gpu.count"} & set(found)
    assert any("cannot be told apart" in note for note in reading.notes)


def test_an_index_that_repeats_at_once_is_refused_as_identity(read: Read) -> None:
    reading = read(
        "timestamp,gpu,index,memory.used,memory.total\nT1,0,0,4,81559\nT1,1,0,4,81559\nT2,0,0,4,81559\nT2,1,0,4,81559\n"
    )
    assert not [fact for fact in reading.facts if fact.field.startswith("gpu.")]
    assert any("do not agree" in note for note in reading.notes)


def test_drivers_that_differ_are_left_out(read: Read) -> None:
    reading = read("index, driver_version, memory.used [MiB]\n0, 580.1, 4 MiB\n1, 570.2, 4 MiB\n")
    assert "gpu.driver" not in {fact.field for fact in reading.facts}


def test_a_cut_last_row_is_left_out_and_noted(read: Read) -> None:
    reading = read("index, memory.used [MiB], memory.total [MiB]\n0, 4 MiB, 24576 MiB\n1, 4 Mi")
    assert next(fact.value for fact in reading.facts if fact.field == "gpu.count") == 1
    assert any("1 rows do not fit" in note for note in reading.notes)


def test_no_row_that_fits_is_an_input_error(read: Read) -> None:
    with pytest.raises(InputError, match=r"snapshot\.txt"):
        read("index, memory.used [MiB], memory.total [MiB]\n0, 4 MiB\n")


def test_a_recorded_command_line_stands_for_a_header(facts: Facts) -> None:
    found = facts("$ nvidia-smi --query-gpu=index,name,memory.used --format=csv,noheader\n0, NVIDIA A30, 44 MiB\n")
    assert (found["gpu.count"], found["gpu.memory_used_mib"]) == (1, [44])


def test_rows_without_any_header_are_not_claimed(read: Read) -> None:
    with pytest.raises(AssertionError):
        read("0, NVIDIA A30, 44 MiB\n1, NVIDIA A30, 44 MiB\n")


APPS = "pid, process_name, used_gpu_memory [MiB]\n"


def test_compute_apps(facts: Facts) -> None:
    found = facts(APPS + "811, /srv/my,odd name/llama-server, 9000 MiB\n812, /usr/bin/Xwayland, 3 MiB\n")
    first, second = found["gpu.tenants"]
    assert (first["gpu"], first["pid"], first["name"], first["type"], first["mib"]) == (
        None,
        811,
        "/srv/my,odd name/llama-server",
        None,
        9000,
    )
    assert (first["class"], second["class"]) == ("unknown", "desktop")
    assert found["clue.snapshot_visibility"] == "partial: compute processes only"
    assert "gpu.count" not in found


def test_a_header_alone_says_that_no_compute_process_runs(facts: Facts) -> None:
    assert facts(APPS)["gpu.tenants"] == []


def test_nothing_below_a_recorded_command_says_nothing(facts: Facts) -> None:
    found = facts("$ nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv,noheader\n")
    assert "gpu.tenants" not in found


def test_compute_apps_of_a_guest_or_a_damaged_file_leave_tenants_unknown(facts: Facts) -> None:
    assert "gpu.tenants" not in facts(APPS + "7, /python3.12, [N/A]\n")
    assert "gpu.tenants" not in facts(APPS + "7, python, 4 MiB\n8\n")
    windows = facts(APPS + "7, C:\\tools\\llama-server.exe, [N/A]\n")
    assert windows["gpu.tenants"][0]["mib"] is None


def test_later_samples_of_a_loop_are_not_added(read: Read) -> None:
    header = "timestamp, pid, process_name, used_gpu_memory [MiB]\n"
    reading = read(header + "T1, 5, a, 1 MiB\nT1, 6, b, 2 MiB\nT2, 5, a, 3 MiB\nT2, 6, b, 2 MiB\n")
    tenants = next(fact.value for fact in reading.facts if fact.field == "gpu.tenants")
    assert [(tenant["pid"], tenant["mib"]) for tenant in tenants] == [(5, 1), (6, 2)]
    assert any("2 rows of later samples" in note for note in reading.notes)


def test_accounted_apps_are_no_tenants(read: Read) -> None:
    header = "gpu_uuid, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]\n"
    reading = read(header + "GPU-aa, 4, 90 %, 3 %, 700 MiB, 8110 ms\n")
    assert reading.facts == []
    assert any("1 accounted processes" in note for note in reading.notes)


def test_a_count_beyond_the_rows_is_not_claimed(read: Read) -> None:
    reading = read("index, count, memory.used [MiB]\n0, 8, 4 MiB\n")
    assert "gpu.count" not in {fact.field for fact in reading.facts}
    assert any("1 GPUs" in note and "says 8" in note for note in reading.notes)


def test_a_last_cell_that_lost_its_unit_is_cut(facts: Facts) -> None:
    found = facts("index, memory.total [MiB], memory.used [MiB]\n0, 24576 MiB, 4096 MiB\n1, 24576 MiB, 40")
    assert found["gpu.memory_used_mib"] == [4096]
