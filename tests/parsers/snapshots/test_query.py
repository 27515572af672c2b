"""The text of `nvidia-smi -q`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]

LOG = """==============NVSMI LOG==============

Timestamp                                 : Tue Mar  3 08:15:43 2026
Driver Version                            : 550.40.07
CUDA Version                              : 12.4

Attached GPUs                             : 1
GPU 00000000:61:00.0
    Product Name                          : NVIDIA A30
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Enabled
        Pending                           : Enabled
    MIG Device
        Index                             : 0
        Shared FB Memory Usage
            Total                         : 5952 MiB
            Used                          : 12 MiB
    Driver Model
        Current                           : N/A
    GPU UUID                              : GPU-12ab34cd-0000-1111-2222-333344445555
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 4
            Link Width
                Max                       : 16x
                Current                   : 16x
    Performance State                     : P0
    Clocks Event Reasons
        Idle                              : Not Active
        Applications Clocks Setting       : Not Active
        SW Power Cap                      : Active
        HW Slowdown                       : Not Active
            HW Thermal Slowdown           : Not Active
        SW Thermal Slowdown               : Not Active
    FB Memory Usage
        Total                             : 24576 MiB
        Reserved                          : 300 MiB
        Used                              : 9100 MiB
        Free                              : 15176 MiB
    BAR1 Memory Usage
        Total                             : 32768 MiB
        Used                              : 1 MiB
    Compute Mode                          : Default
    Utilization
        GPU                               : 97 %
        Memory                            : 40 %
    ECC Mode
        Current                           : Enabled
        Pending                           : Disabled
    GPU Power Readings
        Current Power Limit               : 165.00 W
        Max Power Limit                   : 200.00 W
    Module Power Readings
        Current Power Limit               : 900.00 W
    Clocks
        Graphics                          : 1400 MHz
        SM                                : 1395 MHz
    Max Clocks
        SM                                : 1440 MHz
    Processes
        GPU instance ID                   : N/A
        Process ID                        : 5150
            Type                          : C
            Name                          : VLLM::Worker_TP0
            Used GPU Memory               : 9070 MiB
"""
NOBODY = LOG[: LOG.index("    Processes")] + "    Processes                             : None\n"


def test_every_key(facts: Facts) -> None:
    found = facts(LOG)
    assert found["gpu.names"] == ["NVIDIA A30"]
    assert found["gpu.uuids"] == ["GPU-12ab34cd-0000-1111-2222-333344445555"]
    assert (found["gpu.driver"], found["gpu.cuda"]) == ("550.40.07", "12.4")
    assert (found["gpu.memory_total_mib"], found["gpu.memory_used_mib"], found["gpu.memory_reserved_mib"]) == (
        [24576],
        [9100],
        [300],
    )
    assert (found["gpu.mig"], found["gpu.ecc"], found["gpu.persistence"]) == (["Enabled"], ["Enabled"], ["Enabled"])
    assert found["gpu.power_limit_w"] == [165.0]
    assert found["gpu.clocks_mhz"] == [1395.0]
    assert found["gpu.throttle_reasons"] == [["sw_power_cap"]]
    assert found["gpu.pcie"] == ["gen4 x16"]
    assert [(tenant["pid"], tenant["mib"]) for tenant in found["gpu.tenants"]] == [(5150, 9070)]


def test_lost_indentation_changes_nothing(facts: Facts) -> None:
    assert facts(re.sub(r"(?m)^ +", "", LOG)) == facts(LOG)
    assert facts(re.sub(r"(?m)(\S) +:", r"\1 :", LOG)) == facts(LOG)


def test_none_in_words(facts: Facts) -> None:
    found = facts(NOBODY.replace("9100 MiB", "20 MiB"))
    assert found["gpu.tenants"] == []


def test_none_in_words_beside_used_memory(facts: Facts) -> None:
    assert "gpu.tenants" not in facts(NOBODY)


def test_no_process_section(facts: Facts) -> None:
    found = facts(LOG[: LOG.index("    Processes")])
    assert "gpu.tenants" not in found
    assert found["gpu.memory_used_mib"] == [9100]


def test_a_process_cut_at_the_end(facts: Facts) -> None:
    assert "gpu.tenants" not in facts(LOG[: LOG.index("            Used GPU Memory")])


def test_fewer_gpus_than_attached_prove_no_count(facts: Facts) -> None:
    found = facts(LOG.replace("Attached GPUs                             : 1", "Attached GPUs                             : 4"))
    assert "gpu.count" not in found
    assert found["gpu.names"] == ["NVIDIA A30"]


def test_idle_cards_give_no_clock_and_no_link(facts: Facts) -> None:
    found = facts(LOG.replace(": 97 %", ": 4 %"))
    assert not {"gpu.clocks_mhz", "gpu.pcie"} & set(found)


def test_driver_610_moves_versions_and_power(facts: Facts) -> None:
    text = LOG.replace(": 550.40.07", ": 610.10.02 [Deprecated; use KMD Version]\nKMD Version      : 610.10.02")
    text = text.replace(": 12.4", ": 13.4 [Deprecated]\nCUDA UMD Version : 13.4")
    text = text.replace(
        "        Current Power Limit               : 165",
        "        GPU Ceiling Power Limit\n            Current Power Limit : 165",
    )
    found = facts(text)
    assert (found["gpu.driver"], found["gpu.cuda"], found["gpu.power_limit_w"]) == ("610.10.02", "13.4", [165.0])


def test_old_names_of_power_and_reasons(facts: Facts) -> None:
    text = LOG.replace("GPU Power Readings", "Power Readings").replace(
        "Current Power Limit               : 165", "Power Limit : 165"
    )
    found = facts(text.replace("Clocks Event Reasons", "Clocks Throttle Reasons"))
    assert found["gpu.power_limit_w"] == [165.0]
    assert found["gpu.throttle_reasons"] == [["sw_power_cap"]]


def test_wddm_and_wsl(facts: Facts) -> None:
    wddm = LOG.replace("        Current                           : N/A\n    GPU UUID", "        Current   : WDDM\n    GPU UUID")
    windows = wddm.replace("Persistence Mode                      : Enabled", "Persistence Mode : N/A")
    windows = windows.replace(": 9070 MiB", ": Not available in WDDM driver model")
    found = facts(windows)
    assert (found["gpu.persistence"], found["gpu.tenants"][0]["mib"]) == (["N/A"], None)
    assert "gpu.tenants" not in facts(wddm)
    assert "WSL" in facts(wddm)["clue.snapshot_visibility"]


def test_a_vgpu_guest_is_not_alone(facts: Facts) -> None:
    text = NOBODY.replace(": 9100 MiB", ": 20 MiB").replace(
        "    PCI\n", "    GPU Virtualization Mode\n        Virtualization Mode : VGPU\n    PCI\n"
    )
    assert "gpu.tenants" not in facts(text)


def test_lines_and_the_first_of_two_logs(read: Read) -> None:
    reading = read(LOG + LOG.replace("9100 MiB", "1 MiB"))
    used = next(fact for fact in reading.facts if fact.field == "gpu.memory_used_mib")
    assert used.value == [9100]
    assert used.origins[0].line == 1 + LOG[: LOG.index("9100")].count("\n")
    assert any("2 logs" in note for note in reading.notes)
