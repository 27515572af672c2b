"""GPU snapshots of nvidia-smi and its relatives: box table, CSV, `-q`, XML, monitors, AMD and others.

Room: `parsers`. One module per form; `document`, `values`, `capture`, `visibility` and `desktop` are shared. A capture says
what a tool printed at one moment; whose processes they are is decided further right, with the engine log.
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
