"""gpustat, rocm-smi, amd-smi, nvitop, npu-smi."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]

GPUSTAT = """box7          Tue Mar  3 08:15:42 2026  580.65.06
[0] NVIDIA A30       | 61°C,  93 % |  9100 / 24576 MB | ann:python/611(9000M)
[1] NVIDIA A30       | 31°C,   0 % |    12 / 24576 MB |
"""


def test_gpustat_with_process_ids(facts: Facts) -> None:
    found = facts(GPUSTAT)
    assert (found["gpu.count"], found["gpu.driver"]) == (2, "580.65.06")
    assert found["gpu.memory_used_mib"] == [9100, 12]
    assert [(tenant["gpu"], tenant["pid"], tenant["name"], tenant["mib"]) for tenant in found["gpu.tenants"]] == [
        (0, 611, "python", 9000)
    ]


def test_gpustat_without_process_ids(facts: Facts) -> None:
    found = facts("\x1b[1m" + GPUSTAT.replace("ann:python/611(9000M)", "ann(9000M)") + "\x1b[m")
    assert "gpu.tenants" not in found
    assert found["gpu.memory_total_mib"] == [24576, 24576]


def test_gpustat_that_prints_no_process(facts: Facts) -> None:
    silent = GPUSTAT.replace("ann:python/611(9000M)", "")
    assert "gpu.tenants" not in facts(silent)
    assert facts(silent.replace("9100", "   4"))["gpu.tenants"] == []


def _gpustat_json(**gpu: Any) -> str:
    cells = {"index": 0, "uuid": "GPU-1", "name": "NVIDIA A30", "memory.used": 900, "memory.total": 24576}
    return json.dumps({"query_time": "2026-03-03T08:00:00", "gpus": [{**cells, **gpu}]}, indent=2)


def test_gpustat_json(read: Read) -> None:
    reading = read(_gpustat_json(processes=[{"command": "python", "gpu_memory_usage": 880, "pid": 31}]))
    by_field = {fact.field: fact for fact in reading.facts}
    assert by_field["gpu.uuids"].value == ["GPU-1"]
    assert [(tenant["pid"], tenant["mib"]) for tenant in by_field["gpu.tenants"].value] == [(31, 880)]
    assert by_field["gpu.memory_used_mib"].origins[0].pointer == "/gpus/0/memory.used"
    assert by_field["gpu.memory_used_mib"].origins[0].line == 8


def test_gpustat_json_without_a_list(facts: Facts) -> None:
    assert "gpu.tenants" not in facts(_gpustat_json(processes=None))


def test_gpustat_json_with_wrong_types(facts: Facts) -> None:
    text = _gpustat_json(**{"memory.used": "lots", "name": 7, "index": True}, processes=[{"pid": "x"}, 3, None])
    found = facts(text)
    assert not {"gpu.memory_used_mib", "gpu.names", "gpu.tenants"} & set(found)
    assert found["gpu.memory_total_mib"] == [24576]


CARD = {
    "Device Name": "Instinct Test",
    "VRAM Total Memory (B)": str(64 << 30),
    "VRAM Total Used Memory (B)": str(3 << 20),
    "Max Graphics Package Power (W)": "300.0",
    "Card Series": "0x738c",
}


def test_rocm_json(facts: Facts) -> None:
    found = facts(json.dumps({"card0": CARD, "card1": CARD, "system": {"Driver version": "6.8.5"}}))
    assert found["gpu.count"] == 2
    assert found["gpu.memory_total_mib"] == [65536, 65536]
    assert found["gpu.memory_used_mib"] == [3, 3]
    assert (found["gpu.driver"], found["gpu.names"][0], found["gpu.power_limit_w"][1]) == ("6.8.5", "Instinct Test", 300.0)
    assert "gpu.tenants" not in found


def test_rocm_processes_name_no_gpu(facts: Facts) -> None:
    system = {"PID77": f"a, b, 2, {900 << 20}, 0, 0", "PID78": "idle, 0, 0, 0, 0", "PID79": "odd"}
    found = facts(json.dumps({"card0": CARD, "system": system}))
    assert [(tenant["gpu"], tenant["pid"], tenant["name"], tenant["mib"]) for tenant in found["gpu.tenants"]] == [
        (None, 77, "a, b", 900)
    ]


def test_rocm_text(facts: Facts) -> None:
    text = "======== ROCm System Management Interface ========\n"
    text += "GPU[0]\t\t: Card series: \t\tInstinct Test\nGPU[0]\t\t: VRAM Total Memory (B): 1048576000\n"
    text += "GPU[0]\t\t: VRAM Total Used Memory (B): 104857600\nDriver version: 6.7.0\n"
    found = facts(text)
    assert (found["gpu.names"], found["gpu.memory_total_mib"], found["gpu.memory_used_mib"]) == (["Instinct Test"], [1000], [100])


def test_rocm_concise_table(facts: Facts) -> None:
    text = "GPU  Temp   AvgPwr  SCLK    MCLK     Fan   Perf  PwrCap  VRAM%  GPU%\n"
    for row in ("0    35.0c  40.0W", "1    36.0c  41.0W"):
        text += f"{row}   300Mhz  1200Mhz  0%    auto  290.0W    0%   0%\n"
    found = facts(text)
    assert (found["gpu.count"], found["gpu.power_limit_w"]) == (2, [290.0, 290.0])


ROCM_6 = """\
Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
0       2     0x74a1,   31234  39.0C       130.0W    NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  0%     0%
1       1     0x150e,   8773   43.0C       30.0W     N/A, N/A, 0         N/A     1000Mhz 0%   auto  N/A     19%    3%"""
ROCM_5 = """GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
0    33.0c           38.0W   800Mhz  1600Mhz 0%   auto  750.0W    0%   0%
1    33.0c           38.0W   800Mhz  1600Mhz 0%   auto  N/A       0%   0%"""


@pytest.mark.parametrize("table", [ROCM_6, ROCM_5], ids=["ROCm 6", "ROCm 5"])
def test_a_whole_concise_print_of_rocm_smi(table: str, facts: Facts) -> None:
    rule = "=" * 100
    banner = [f"{'=' * 42} ROCm System Management Interface {'=' * 42}", f"{'=' * 52} Concise Info {'=' * 52}"]
    head, _, rows = table.partition("\n")
    text = "\n".join(["", "", *banner, head, rule, rows, rule, f"{'=' * 48} End of ROCm SMI Log {'=' * 48}", ""])
    found = facts(text)
    assert (found["gpu.count"], "gpu.power_limit_w" in found) == (2, False)
    assert facts(text.replace("auto  N/A ", "auto  750.0W"))["gpu.power_limit_w"] == [750.0, 750.0]


AMD = """+------------------------------------------------------------------------------+
| AMD-SMI 26.1.0+abc           amdgpu version: 6.14.1   ROCm version: 7.1.0    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:05:00.0    AMD Instinct Test   | 0 %      38 C   0            246/1400 W|
|   0       0       1        SPX/NPS1 | 0 %        N/A           283/294896 MB |
|-------------------------------------+----------------------------------------|
| Processes:                                                                   |
|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
|==============================================================================|
|    0       7001  my server              2.0 MB    1.5 GB     1.6 GB  N/A     |
+------------------------------------------------------------------------------+
"""


def test_amd_table(facts: Facts) -> None:
    found = facts(AMD)
    assert (found["gpu.driver"], found["gpu.names"], found["gpu.power_limit_w"]) == ("6.14.1", ["AMD Instinct Test"], [1400.0])
    assert (found["gpu.memory_used_mib"], found["gpu.memory_total_mib"]) == ([283], [294896])
    assert [(tenant["pid"], tenant["name"], tenant["mib"]) for tenant in found["gpu.tenants"]] == [(7001, "my server", 1536)]


def test_amd_table_without_processes(facts: Facts) -> None:
    row = next(line for line in AMD.split("\n") if "7001" in line)
    assert facts(AMD.replace(row, "|  No running processes found  |"))["gpu.tenants"] == []


def test_amd_json(facts: Facts) -> None:
    info = {"name": "srv", "pid": 9, "memory_usage": {"vram_mem": {"value": 2147483648, "unit": "B"}}}
    hidden = {"name": "N/A", "pid": 10, "memory_usage": {"vram_mem": {"value": 0, "unit": "B"}}}
    found = facts(json.dumps([{"gpu": 0, "process_list": [{"process_info": info}, {"process_info": hidden}]}]))
    assert [(tenant["pid"], tenant["name"], tenant["mib"]) for tenant in found["gpu.tenants"]] == [
        (9, "srv", 2048),
        (10, None, None),
    ]
    metric = [{"gpu": 0, "mem_usage": {"total_vram": {"value": 196592, "unit": "MB"}, "used_vram": {"value": 300, "unit": "MB"}}}]
    assert facts(json.dumps(metric))["gpu.memory_used_mib"] == [300]


@pytest.mark.parametrize("amount", ["Infinity", "-Infinity", "NaN", "1e400", "9" * 400, "-1"])
def test_an_amount_of_memory_that_nobody_has_is_none(facts: Facts, amount: str) -> None:
    held = '{"vram_mem": {"value": AMOUNT, "unit": "B"}}'.replace("AMOUNT", amount)
    found = facts(
        '[{"gpu": 0, "process_list": [{"process_info": {"name": "srv", "pid": 9, "memory_usage": HELD}}]}]'.replace("HELD", held)
    )
    assert [one["mib"] for one in found["gpu.tenants"]] == [None]


def test_amd_static_and_metric_as_text(facts: Facts) -> None:
    static = """GPU: {0}
    ASIC:
        MARKET_NAME: AMD Instinct Test
        DEVICE_ID: 0x74a1
    DRIVER:
        NAME: amdgpu
        VERSION: 6.10.5
    VRAM:
        TYPE: HBM3
        SIZE: 196592 MB
"""
    found = facts("\n".join(static.replace("{0}", str(index)) for index in range(2)))
    assert (found["gpu.names"], found["gpu.driver"]) == (["AMD Instinct Test"] * 2, "6.10.5")
    assert found["gpu.memory_total_mib"] == [196592, 196592]
    usage = "    USAGE:\n        GFX_ACTIVITY: 0 %\n    MEM_USAGE:\n        TOTAL_VRAM: 196592 MB\n        USED_VRAM: 283 MB\n"
    found = facts(f"GPU: 0\n{usage}\nGPU: 1\n{usage.replace('283', '301')}")
    assert (found["gpu.memory_used_mib"], found["gpu.memory_total_mib"]) == ([283, 301], [196592, 196592])


def test_amd_processes_as_text(facts: Facts) -> None:
    text = "GPU: 0\n"
    for name, pid, amount in (("VLLM::EngineCore", 4101, "2.0 GB"), ("trainer", 4102, "300.0 MB")):
        text += f"    PROCESS_INFO:\n        NAME: {name}\n        PID: {pid}\n"
        text += f"        MEMORY_USAGE:\n            VRAM_MEM: {amount}\n"
    found = facts(f"{text}\nGPU: 1\n    PROCESS_INFO: No running processes detected\n")
    shown = [(tenant["gpu"], tenant["pid"], tenant["name"], tenant["mib"]) for tenant in found["gpu.tenants"]]
    assert shown == [(0, 4101, "VLLM::EngineCore", 2048), (0, 4102, "trainer", 300)]


def test_amd_monitor_as_a_table(facts: Facts) -> None:
    head = "GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%  VRAM_USED  VRAM_TOTAL   PCIE_BW"
    rows = [
        f"  {index}  134 W   39 C   33 C   132 MHz    0 %    0 %     {used} MB   196592 MB      N/A"
        for index, used in enumerate((283, 90))
    ]
    found = facts("\n".join([head, *rows, ""]))
    assert (found["gpu.memory_used_mib"], found["gpu.memory_total_mib"]) == ([283, 90], [196592, 196592])


def test_amd_monitor_csv(read: Read) -> None:
    reading = read("gpu,power_usage,gfx,vram_used,vram_total\n0,100,5,300,196592\n1,100,5,310,196592\n0,100,5,900,196592\n")
    found = {fact.field: fact.value for fact in reading.facts}
    assert (found["gpu.count"], found["gpu.memory_used_mib"]) == (2, [300, 310])
    assert any("several samples" in note for note in reading.notes)


def test_identity_of_nvitop_and_npu(read: Read) -> None:
    nvitop = "╒═══════╕\n│ NVITOP 1.4.0       Driver Version: 570.30.01      CUDA Driver Version: 12.8 │\n╞═══════╡\n"
    found = {fact.field: fact.value for fact in read(nvitop).facts}
    assert found == {"gpu.driver": "570.30.01", "gpu.cuda": "12.8"}
    npu = "+-----+\n| npu-smi 24.1.0            Version: 24.1.0        |\n+-----+\n"
    npu += "| 0     910B3               | OK            | 93.1        38                0    / 0             |\n"
    reading = read(npu)
    found = {fact.field: fact.value for fact in reading.facts}
    assert (found["gpu.driver"], found["gpu.names"]) == ("24.1.0", ["910B3"])
    assert "gpu.tenants" not in found
    assert any("identity" in note for note in reading.notes)
