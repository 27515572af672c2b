"""Every parser of GPU snapshots, in the order in which they are asked.

Room: `parsers.snapshots`, its list; only the registry imports it, so that a part of this package can be had without the rest.
"""

from __future__ import annotations

from kvaudit.parsers.interface import Parser
from kvaudit.parsers.snapshots import nvidia_smi, other_tools

PARSERS: tuple[Parser, ...] = (
    nvidia_smi.NvidiaSmiTable(),
    nvidia_smi.NvidiaSmiCsv(),
    nvidia_smi.NvidiaSmiComputeApps(),
    nvidia_smi.NvidiaSmiQuery(),
    nvidia_smi.NvidiaSmiXml(),
    nvidia_smi.NvidiaSmiPmon(),
    nvidia_smi.NvidiaSmiDmon(),
    nvidia_smi.NvidiaSmiList(),
    nvidia_smi.NvidiaSmiTopology(),
    nvidia_smi.NvidiaSmiAccountedApps(),
    nvidia_smi.NvidiaSmiVersion(),
    other_tools.Gpustat(),
    other_tools.GpustatJson(),
    other_tools.RocmSmi(),
    other_tools.RocmSmiJson(),
    other_tools.AmdSmi(),
    other_tools.AmdSmiJson(),
    other_tools.AmdSmiCsv(),
    other_tools.Nvitop(),
    other_tools.NpuSmi(),
)
"""Every snapshot parser; exactly one recognises a snapshot."""
