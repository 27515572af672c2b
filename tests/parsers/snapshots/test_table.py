"""The box table: layouts of drivers 375 to 610, MIG, WDDM, lost cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]
Box = Callable[..., str]

ENGINE = (0, 40211, "C", "VLLM::EngineCore", "41000MiB")
BUSY = {"memory": "41020MiB /  46068MiB", "use": "93%"}


def test_reads_every_cell_of_two_gpus(facts: Facts, box: Box) -> None:
    second = {"name": "NVIDIA RTX 5000 Ada", "mode": "Off", "ecc": "Off", "power": "21W /  250W", "compute": "E. Process"}
    found = facts(box([BUSY, {**second, "memory": "9MiB /  32760MiB", "mig": "Disabled"}], [ENGINE]))
    assert found["gpu.count"] == 2
    assert found["gpu.driver"] == "580.65.06"
    assert found["gpu.cuda"] == "13.0"
    assert found["gpu.names"] == ["NVIDIA L40S", "NVIDIA RTX 5000 Ada"]
    assert found["gpu.memory_used_mib"] == [41020, 9]
    assert found["gpu.memory_total_mib"] == [46068, 32760]
    assert found["gpu.power_limit_w"] == [350.0, 250.0]
    assert found["gpu.persistence"] == ["Enabled", "Disabled"]
    assert found["gpu.ecc"] == ["Enabled", "Disabled"]
    assert found["gpu.mig"] == ["N/A", "Disabled"]
    assert found["gpu.compute_mode"] == ["Default", "Exclusive_Process"]
    assert found["clue.snapshot_time"] == "Tue Mar  3 08:15:42 2026"


def test_a_tenant_holds_what_the_row_prints(facts: Facts, box: Box) -> None:
    found = facts(box([BUSY], [(0, 913, "G", "/usr/lib/xorg/Xorg", "12MiB"), ENGINE]))
    desktop, engine = found["gpu.tenants"]
    assert desktop["class"] == "desktop"
    assert {key: engine[key] for key in ("gpu", "pid", "name", "type", "mib", "class")} == {
        "gpu": 0,
        "pid": 40211,
        "name": "VLLM::EngineCore",
        "type": "C",
        "mib": 41000,
        "class": "unknown",
    }


def test_origins_name_the_row_of_each_gpu(read: Read, box: Box) -> None:
    text = box([{}, {}], [])
    lines = text.split("\n")
    used = next(fact for fact in read(text).facts if fact.field == "gpu.memory_used_mib")
    assert [origin.line for origin in used.origins] == [number for number, line in enumerate(lines, 1) if "46068MiB" in line]
    assert all("17MiB" in origin.excerpt and origin.reader == "nvidia-smi:table" for origin in used.origins)


def test_memory_that_nobody_explains_is_computed(facts: Facts, box: Box) -> None:
    # 41020 used - 40400 listed - 35 of the driver
    found = facts(box([BUSY], [(0, 7, "C", "python", "40400MiB")]))
    assert found["gpu.unattributed_mib"] == [41020 - 40400 - 35]
    assert found["gpu.tenants"][0]["pid"] == 7
    assert found["clue.snapshot_visibility"].startswith("partial: GPU 0: 620 MiB")


def test_no_process_block_leaves_tenants_unknown(facts: Facts, box: Box) -> None:
    found = facts(box(tail=""))
    assert "gpu.tenants" not in found
    assert found["gpu.count"] == 1
    assert found["clue.snapshot_visibility"] == "partial: no process table"


def test_a_table_cut_inside_a_gpu_proves_no_count(facts: Facts, box: Box) -> None:
    text = box([{}, {}], tail="")
    cut = "\n".join(text.rstrip("\n").split("\n")[:-3])
    found = facts(cut)
    assert "gpu.count" not in found
    assert found["gpu.names"] == ["NVIDIA L40S", "NVIDIA L40S"]
    assert "gpu.memory_used_mib" not in found


def test_process_rows_cut_before_the_end_leave_tenants_unknown(facts: Facts, box: Box) -> None:
    text = box([BUSY], [ENGINE])
    found = facts(text[: text.rindex("+---")])
    assert "gpu.tenants" not in found
    assert "cut" in found["clue.snapshot_visibility"]


def test_several_captures_the_first_is_read(read: Read, box: Box) -> None:
    reading = read(box([BUSY], [ENGINE]) + "\n" + box([{"memory": "3MiB /  46068MiB"}]) + box())
    assert [fact.value for fact in reading.facts if fact.field == "gpu.memory_used_mib"] == [[41020]]
    assert any("3 captures" in note and "2 further" in note for note in reading.notes)


def test_further_captures_are_clues_with_their_place(read: Read, box: Box) -> None:
    reading = read(box([{"memory": "3MiB /  46068MiB"}]) + "\n" + box([BUSY], [ENGINE]))
    (later,) = [fact for fact in reading.facts if fact.field == "clue.snapshot_capture"]
    assert later.value["place"] == 1
    assert later.value["gpu.memory_used_mib"] == [41020]
    assert [one["pid"] for one in later.value["gpu.tenants"]] == [40211]
    assert later.origins[0].line


def test_driver_610_names_kmd_and_umd(facts: Facts, box: Box) -> None:
    text = (
        box()
        .replace("Driver Version: 580.65.06", "KMD Version: 610.20.01")
        .replace("CUDA Version: 13.0", "CUDA UMD Version: 13.4")
    )
    found = facts(text.replace("NVIDIA-SMI 580.65.06", "NVIDIA-SMI 610.20.01"))
    assert (found["gpu.driver"], found["gpu.cuda"]) == ("610.20.01", "13.4")


OLD = """Mon Jan  8 10:00:00 2018
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 384.90                 Driver Version: 384.90                    |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla P40           Off  | 0000:3B:00.0     Off |                    0 |
| N/A   33C    P0    50W / 250W |    412MiB / 22912MiB |      3%   Prohibited |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0      8123    C     python3                                      395MiB |
+-----------------------------------------------------------------------------+
"""


def test_old_layout_without_mig_and_cuda(facts: Facts) -> None:
    found = facts(OLD)
    assert found["gpu.driver"] == "384.90"
    assert found["gpu.names"] == ["Tesla P40"]
    assert found["gpu.compute_mode"] == ["Prohibited"]
    assert found["gpu.tenants"][0]["mib"] == 395
    assert "gpu.mig" not in found
    assert "gpu.cuda" not in found


def test_old_driver_that_lists_no_processes(facts: Facts) -> None:
    row = next(line for line in OLD.split("\n") if "8123" in line)
    found = facts(OLD.replace(row, "|    0                  Not Supported                                         |"))
    assert "gpu.tenants" not in found


MIG = """
+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|                  |                                  |        ECC|                       |
|==================+==================================+===========+=======================|
|  0    1   0   0  |            6022MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |
|                  |               0MiB / 24739MiB    |           |                       |
+------------------+----------------------------------+-----------+-----------------------+
"""


def test_mig_devices_are_no_gpus(facts: Facts, box: Box) -> None:
    cells = {"name": "NVIDIA H100 NVL", "ecc": "On", "memory": "6050MiB /  95830MiB", "use": "N/A", "mig": "Enabled"}
    text = box([cells], [(0, 611, "C", "trtllm-serve", "6000MiB")]).replace("\n\n", "\n" + MIG + "\n", 1)
    found = facts(text.replace("N/A  N/A             611", "  1    0             611"))
    assert found["gpu.count"] == 1
    assert found["gpu.mig"] == ["Enabled"]
    assert found["gpu.ecc"] == ["Enabled"]
    assert found["gpu.memory_used_mib"] == [6050]
    assert found["gpu.tenants"][0]["pid"] == 611
    assert "gpu.unattributed_mib" not in found


def test_wddm_lists_processes_without_memory(facts: Facts, box: Box) -> None:
    rows = [(0, 1320, "C+G", r"C:\Windows\explorer.exe", "N/A"), (0, 88, "C", r"...tools\llama server\llama-server.exe", "N/A")]
    found = facts(box([{"mode": "WDDM", "memory": "5000MiB /  46068MiB"}], rows).replace("Persistence-M", "Driver-Model "))
    assert [tenant["mib"] for tenant in found["gpu.tenants"]] == [None, None]
    assert [tenant["class"] for tenant in found["gpu.tenants"]] == ["desktop", "unknown"]
    assert "gpu.persistence" not in found
    assert "gpu.unattributed_mib" not in found
    assert found["clue.snapshot_visibility"].startswith("partial: WDDM")


def test_a_lost_gpu_leaves_its_values_out_of_every_list(read: Read, box: Box) -> None:
    lost = {"name": "ERR!", "mode": "ERR!", "ecc": "ERR!", "power": "ERR! / ERR!", "memory": "ERR!", "use": "ERR!", "mig": "ERR!"}
    reading = read(box([{}, lost], []))
    found = {fact.field: fact.value for fact in reading.facts}
    assert found["gpu.count"] == 2
    assert not {"gpu.names", "gpu.memory_used_mib", "gpu.power_limit_w", "gpu.tenants"} & set(found)
    assert any("gpu.names is printed for 1 of 2 GPUs" in note for note in reading.notes)


def test_unified_memory_prints_none_and_still_lists_processes(facts: Facts, box: Box) -> None:
    cells = {"name": "NVIDIA GB10", "ecc": "N/A", "power": "12W /  N/A", "memory": "Not Supported"}
    found = facts(box([cells], [(0, 50, "C", "sglang::scheduler", "81000MiB")]))
    assert found["gpu.tenants"][0]["mib"] == 81000
    assert not {"gpu.memory_used_mib", "gpu.memory_total_mib", "gpu.power_limit_w"} & set(found)


def test_a_hidden_name_and_a_cut_amount_stay_unknown(facts: Facts, box: Box) -> None:
    found = facts(
        box([{"memory": "9MiB /  46068MiB"}], [(0, 5, "C", "[Not Found]", "4MiB"), (0, 6, "M+C", r"c\worker", "13042...")])
    )
    first, second = found["gpu.tenants"]
    assert (first["name"], first["mib"]) == (None, 4)
    assert (second["type"], second["mib"]) == ("M+C", None)


def test_a_table_inside_json_keeps_line_and_pointer(read: Read, box: Box) -> None:
    import json

    text = json.dumps({"host": {"nvidia_smi": box([BUSY], [ENGINE])}}, indent=1)
    used = next(fact for fact in read(text).facts if fact.field == "gpu.memory_used_mib")
    assert used.value == [41020]
    assert (used.origins[0].line, used.origins[0].pointer) == (3, "/host/nvidia_smi")
    assert used.origins[0].excerpt.startswith("| N/A   41C")


def test_sections_of_one_capture_complete_the_table(facts: Facts, box: Box) -> None:
    listed = "GPU 0: NVIDIA RTX 6000 Ada Generation (UUID: GPU-0b5c1d9e-1111-2222-3333-444455556666)\n"
    log = """==============NVSMI LOG==============
Attached GPUs                             : 1
GPU 00000000:41:00.0
    Product Name                          : NVIDIA RTX 6000 Ada Generation
    Clocks Event Reasons
        Idle                              : Active
        SW Power Cap                      : Not Active
        HW Slowdown                       : Not Active
        SW Thermal Slowdown               : Not Active
"""
    later = log.replace("Idle                              : Active", "Idle                              : Not Active")
    table = box([{"name": "NVIDIA RTX 6000 Ada Gene..."}])
    found = facts(f"# $ nvidia-smi -L\n{listed}\n{table}\n{log}\n{table}\n{later}")
    assert found["gpu.names"] == ["NVIDIA RTX 6000 Ada Generation"]
    assert found["gpu.uuids"] == ["GPU-0b5c1d9e-1111-2222-3333-444455556666"]
    assert found["gpu.throttle_reasons"] == [["gpu_idle"]]


def test_a_device_list_of_other_cards_adds_nothing(facts: Facts, box: Box) -> None:
    listed = "GPU 0: NVIDIA A40 (UUID: GPU-1)\nGPU 1: NVIDIA A40 (UUID: GPU-2)\n"
    found = facts(listed + box())
    assert found["gpu.names"] == ["NVIDIA L40S"]
    assert "gpu.uuids" not in found


def test_a_process_row_that_does_not_read_makes_the_list_unproven(read: Read, box: Box) -> None:
    text = box([BUSY], [ENGINE]).replace("    C   VLLM", "   ??   VLLM")
    reading = read(text)
    assert "gpu.tenants" not in {fact.field for fact in reading.facts}
    assert [line.line for line in reading.unparsed] == [1 + text[: text.index("VLLM")].count("\n")]


def test_a_gpu_row_that_does_not_read_makes_the_count_unproven(read: Read, box: Box) -> None:
    reading = read(box([{}, {}], []).replace("00000000:42:00.0", "somewhere       "))
    found = {fact.field: fact.value for fact in reading.facts}
    assert "gpu.count" not in found
    assert len(reading.unparsed) == 1
