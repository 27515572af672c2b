"""`nvidia-smi -L`, `topo -m`, `--version`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Facts = Callable[[str], dict[str, Any]]

LIST = """GPU 0: NVIDIA A30 (UUID: GPU-aaaa1111-0000-0000-0000-000000000001)
  MIG 2g.12gb     Device  0: (UUID: MIG-bbbb2222-0000-0000-0000-000000000001)
  MIG 2g.12gb     Device  1: (UUID: MIG-bbbb2222-0000-0000-0000-000000000002)
GPU 1: NVIDIA A30 (UUID: GPU-aaaa1111-0000-0000-0000-000000000002)
  MIG 1g.6gb      Device  0: (UUID: MIG-bbbb2222-0000-0000-0000-000000000003)
"""


def test_mig_devices_belong_to_their_gpu(facts: Facts) -> None:
    found = facts(LIST)
    assert found["gpu.count"] == 2
    assert found["gpu.mig"] == ["Enabled", "Enabled"]
    assert [uuid[-1] for uuid in found["gpu.uuids"]] == ["1", "2"]


def test_no_mig_device_says_nothing_about_mig(facts: Facts) -> None:
    found = facts("\n".join(line for line in LIST.split("\n") if "MIG" not in line))
    assert found["gpu.names"] == ["NVIDIA A30", "NVIDIA A30"]
    assert "gpu.mig" not in found


TOPOLOGY = """\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\x1b[0m
GPU0\t X \tNV4\tPIX\t0-31\t0
GPU1\tNV4\t X \tSYS\t0-31\t0
NIC0\tPIX\tSYS\t X \t\t
"""


def test_topology_counts_gpus(facts: Facts) -> None:
    found = facts(TOPOLOGY)
    assert found["gpu.count"] == 2
    assert set(found) == {"gpu.count", "clue.snapshot_visibility"}


def test_a_cut_matrix_proves_no_count(facts: Facts) -> None:
    assert "gpu.count" not in facts("\n".join(TOPOLOGY.split("\n")[:2]))


def test_version_old_and_new(facts: Facts) -> None:
    old = "NVIDIA-SMI version  : 580.65.06\nNVML version        : 580.65\n"
    old += "DRIVER version      : 580.65.06\nCUDA Version        : 13.0\n"
    assert facts(old) == {"gpu.driver": "580.65.06", "gpu.cuda": "13.0"}
    new = 'NVIDIA-SMI version  : 610.10.01\nDRIVER version      : Deprecated, see "KMD version" instead\n'
    new += "CUDA version        : Deprecated\nKMD version         : 610.10.02\nCUDA UMD version    : 13.4\n"
    assert facts(new) == {"gpu.driver": "610.10.02", "gpu.cuda": "13.4"}
