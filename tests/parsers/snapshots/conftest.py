"""Sources from text, facts from sources, and a box table with invented cards."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.snapshots.catalogue import PARSERS
from kvaudit.redaction import Redactor
from kvaudit.sources.source import HEAD_BYTES, Source

MakeSource = Callable[..., Source]
Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]


@pytest.fixture
def make_source() -> MakeSource:
    def make(text: str | bytes, path: str = "snapshot.txt") -> Source:
        data = text.encode("utf-8") if isinstance(text, str) else text
        return Source(
            path=path,
            size=len(data),
            lines=data.count(b"\n"),
            sha256=hashlib.sha256(data).hexdigest(),
            head=data[:HEAD_BYTES].decode("utf-8", "replace"),
            hits=[],
            redactor=Redactor(),
            data=data,
        )

    return make


@pytest.fixture
def read(make_source: MakeSource) -> Read:
    def run(text: str) -> Reading:
        source = make_source(text)
        claims = [parser for parser in PARSERS if parser.recognises(source) >= 0.5]
        assert len(claims) == 1, [parser.name for parser in claims]
        return claims[0].read(source)

    return run


@pytest.fixture
def facts(read: Read) -> Facts:
    def run(text: str) -> dict[str, Any]:
        return {fact.field: fact.value for fact in read(text).facts}

    return run


HEAD = """Tue Mar  3 08:15:42 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI {tool:<22} Driver Version: {driver:<14} CUDA Version: {cuda:<9}|
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
"""
GPU = """|   {index}  {name:<28} {mode:<5} |   00000000:{bus}:00.0 Off | {ecc:>20} |
| N/A   41C    P0    {power:>19} | {memory:>22} | {use:>8}      {compute:>7} |
|                                         |                        | {mig:>20} |
+-----------------------------------------+------------------------+----------------------+
"""
PROCESSES = """
+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
"""
END = "+-----------------------------------------------------------------------------------------+\n"
NONE = "|  No running processes found                                                             |\n"

Box = Callable[..., str]


def _gpu(index: int, **given: str) -> str:
    cells = {
        "name": "NVIDIA L40S",
        "mode": "On",
        "bus": f"{0x41 + index:02X}",
        "ecc": "0",
        "power": "88W /  350W",
        "memory": "17MiB /  46068MiB",
        "use": "0%",
        "compute": "Default",
        "mig": "N/A",
    }
    return GPU.format(index=index, **{**cells, **given})


def _process(gpu: int, pid: int, kind: str, name: str, memory: str) -> str:
    return f"|  {gpu:>3}   N/A  N/A {pid:>15} {kind:>6}   {name:<36} {memory:>9} |\n"


@pytest.fixture
def box() -> Box:
    """A table: `gpus` are cells that differ from an idle L40S, `processes` are (gpu, pid, type, name, memory)."""

    def build(
        gpus: list[dict[str, str]] | None = None,
        processes: list[tuple[int, int, str, str, str]] | None = None,
        *,
        tail: str = NONE,
        tool: str = "580.65.06",
        driver: str = "580.65.06",
        cuda: str = "13.0",
    ) -> str:
        text = HEAD.format(tool=tool, driver=driver, cuda=cuda)
        text += "".join(_gpu(index, **cells) for index, cells in enumerate(gpus or [{}]))
        if processes is None and not tail:
            return text
        rows = "".join(_process(*row) for row in processes or [])
        return text + PROCESSES + (rows or tail) + END

    return build
