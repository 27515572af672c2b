"""Every parser of captured answers, in the order in which they are asked.

Room: `parsers.endpoints`, its list; only the registry imports it, so that a part of this package can be had without the rest.
"""

from __future__ import annotations

from kvaudit.parsers.endpoints.header_copy import HeaderCopy
from kvaudit.parsers.endpoints.llama_props import LlamaProps
from kvaudit.parsers.endpoints.llama_slots import LlamaSlots
from kvaudit.parsers.endpoints.manifest import CaptureManifest
from kvaudit.parsers.endpoints.models import ModelList
from kvaudit.parsers.endpoints.nvml_snapshot import NvmlSnapshot
from kvaudit.parsers.endpoints.sglang_info import SglangModelInfo, SglangServerInfo
from kvaudit.parsers.endpoints.version import VersionAnswer
from kvaudit.parsers.endpoints.vllm_info import VllmServerInfo
from kvaudit.parsers.interface import Parser

PARSERS: tuple[Parser, ...] = (
    ModelList(),
    VersionAnswer(),
    VllmServerInfo(),
    SglangServerInfo(),
    SglangModelInfo(),
    LlamaProps(),
    LlamaSlots(),
    CaptureManifest(),
    HeaderCopy(),
    NvmlSnapshot(),
)
"""Every parser of a captured answer; at most one recognises a document."""
