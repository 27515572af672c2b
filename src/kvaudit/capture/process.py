"""What /proc says of the server's process without asking it anything: command line, environment, limits, cgroup, family.

Room: `capture`. Files of /proc are read, nothing is run or attached to. Of the environment only variables that engines, CUDA and
their libraries read are kept, masked; of the others only how many there are.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from kvaudit.patterns import LatePattern
from kvaudit.redaction import Redactor

_PREFIXES = (
    *("VLLM_", "SGLANG_", "SGL_", "LMCACHE_", "LLAMA_", "GGML_", "OLLAMA_", "TRTLLM_", "TLLM_", "TRT_", "FLASHINFER_", "FLASH_"),
    *("CUDA_", "NVIDIA_", "NCCL_", "HIP_", "ROCR_", "HSA_", "ROCM_", "AITER_", "ZE_", "ONEAPI_", "PYTORCH_", "TORCH", "TRITON_"),
    *("HF_", "TRANSFORMERS_", "TOKENIZERS_", "SAFETENSORS_", "OMP_", "MKL_", "OPENBLAS_", "KMP_", "NUMBA_", "RAY_", "MOONCAKE_"),
    *("NIXL_", "UCX_", "LD_PRELOAD", "PYTHONHASHSEED", "CUBLAS", "GLOO_", "MALLOC_", "UV_PROJECT", "VIRTUAL_ENV", "CONDA_PREFIX"),
)
_LIMITS = ("Max locked memory", "Max open files", "Max processes", "Max address space")
_MOST_PROCESSES = 256
_MOST_BYTES = 1 << 20
_LISTENING = "0A"
_SOCKET = LatePattern(r"^socket:\[(\d+)\]$")
PROC = Path("/proc")


def read(path: Path) -> bytes:
    """The start of a file of /proc, empty where it may not be read or the process is gone."""
    try:
        with path.open("rb") as stream:
            return stream.read(_MOST_BYTES)
    except OSError:
        return b""


def words_of(pid: int) -> list[str]:
    """The command line of a process, empty where it may not be read."""
    data = read(PROC / str(pid) / "cmdline").rstrip(b"\0")
    return [word.decode("utf-8", "replace") for word in data.split(b"\0")] if data else []


def environment_of(pid: int) -> tuple[dict[str, str], int]:
    """The variables that matter, by name, and how many others there are."""
    kept, others = {}, 0
    for entry in read(PROC / str(pid) / "environ").split(b"\0"):
        name, equals, value = entry.decode("utf-8", "replace").partition("=")
        if equals and name.startswith(_PREFIXES):
            kept[name] = value
        elif equals:
            others += 1
    return dict(sorted(kept.items())), others


def describe(pid: int, redactor: Redactor) -> dict[str, Any]:
    """The process for the manifest, secrets masked."""
    variables, others = environment_of(pid)
    status = _pairs(read(PROC / str(pid) / "status"), ":")
    return {
        "pid": pid,
        "command": redactor.document(words_of(pid)),
        "program": redactor.mask(_link(pid, "exe")),
        "folder": redactor.mask(_link(pid, "cwd")),
        "started": started(pid),
        "cgroup": read(PROC / str(pid) / "cgroup").decode("utf-8", "replace").split(),
        "limits": _limits(pid),
        "cpus": status.get("Cpus_allowed_list"),
        "environment": redactor.document(variables),
        "other_variables": others,
        "processes": family(pid),
    }


def launch_script(pid: int, redactor: Redactor) -> bytes:
    """The launch as a script, which is a form of evidence of its own; empty where the command line may not be read."""
    words = words_of(pid)
    if not words:
        return b""
    variables, _ = environment_of(pid)
    masked = redactor.document(variables)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in masked.items()]
    command = shlex.join(redactor.document(words))
    return "\n".join(["#!/bin/sh", *lines, f"exec {command}", ""]).encode("utf-8", "replace")


def name_of(pid: int) -> str:
    """The short name of a process."""
    return read(PROC / str(pid) / "comm").decode("utf-8", "replace").strip()


def sees_this_machine(pid: int) -> bool:
    """Whether a process lives in the same mounts as this one, so that its paths mean the same files."""
    own, its = (_link(who, "ns/mnt") for who in ("self", pid))
    return bool(its) and own == its


def family(pid: int) -> list[dict[str, Any]]:
    """The process and all that descend from it, parents first, at most 256."""
    children: dict[int, list[int]] = {}
    for other in all_pids():
        children.setdefault(_parent(other), []).append(other)
    found: list[dict[str, Any]] = []
    waiting = [pid]
    while waiting and len(found) < _MOST_PROCESSES:
        one = waiting.pop(0)
        found.append({"pid": one, "parent": _parent(one), "name": name_of(one)})
        waiting += sorted(children.get(one, []))
    return found


def all_pids() -> list[int]:
    """The ids of all processes that /proc shows."""
    try:
        return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    except OSError:
        return []


def listener(port: int) -> int | None:
    """The oldest process that listens on a TCP port of this machine, None where that may not be seen."""
    sockets = {row[9] for name in ("tcp", "tcp6") for row in _rows(PROC / "net" / name) if _listens(row, port)}
    if not sockets:
        return None
    holders = [pid for pid in sorted(all_pids()) if sockets & _sockets(pid)]
    return next((pid for pid in holders if _parent(pid) not in holders), None)


def _rows(path: Path) -> list[list[str]]:
    return [row for line in read(path).decode("ascii", "replace").split("\n")[1:] if len(row := line.split()) > 9]


def _listens(row: list[str], port: int) -> bool:
    return row[3] == _LISTENING and row[1].rpartition(":")[2] == f"{port:04X}"


def _sockets(pid: int) -> set[str]:
    try:
        links = [_link(pid, f"fd/{entry.name}") for entry in (PROC / str(pid) / "fd").iterdir()]
    except OSError:
        return set()
    return {match.group(1) for link in links if (match := _SOCKET.search(link))}


def _link(pid: int | str, name: str) -> str:
    try:
        return str((PROC / str(pid) / name).readlink())
    except OSError:
        return ""


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if len(fields) > 1 and fields[1].isdigit() else 0


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name, which may hold blanks: state, parent and so on."""
    return read(PROC / str(pid) / "stat").decode("utf-8", "replace").rpartition(")")[2].split()


def started(pid: int) -> float | None:
    """When the process started, as seconds since 1970; None for one that ended, or that its parent has yet to notice."""
    fields, boot = _stat(pid), _pairs(read(PROC / "stat"), " ").get("btime", "")
    if len(fields) < 20 or fields[0] in "ZX" or not boot.isdigit() or not fields[19].isdigit():
        return None
    return round(int(boot) + int(fields[19]) / os.sysconf("SC_CLK_TCK"), 2)


def _limits(pid: int) -> dict[str, str]:
    text = read(PROC / str(pid) / "limits").decode("utf-8", "replace")
    rows = {name: line[len(name) :].split() for line in text.split("\n") for name in _LIMITS if line.startswith(name)}
    return {name: row[0] for name, row in rows.items() if row}


def _pairs(data: bytes, mark: str) -> dict[str, str]:
    parts = (line.partition(mark) for line in data.decode("utf-8", "replace").split("\n"))
    return {name.strip(): value.strip() for name, found, value in parts if found}
