"""Whose processes a GPU snapshot shows: the run's own, a stranger's, the desktop's, or unknown.

Room: `record`. Joins the process table with the log's process ids and titles. Every process says which rung decided.
"""

from __future__ import annotations

from typing import Any

from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable

FIELD = "gpu.tenants"
_ENGINE_TITLES = {
    "vllm": ("VLLM::", "vllm"),
    "sglang": ("sglang::",),
    "llama_cpp": ("llama-server", "llama-cli", "llama-bench"),
    "ollama": ("ollama", "llama-server"),
}
_ONE_PROCESS = frozenset({"llama_cpp", "ollama"})
"""Engines whose logs print no process ids and whose model is served by one process: a second one is a stranger or a leftover."""

_CONTAINER_PIDS_BELOW = 1000


def classify_tenants(table: FactTable) -> None:
    """Give every process of the snapshot its class, where a log is at hand to join it with."""
    state = table.state(FIELD)
    if state.state != "known" or not isinstance(state.value, list):
        return
    pids = _pids(table)
    titles = _ENGINE_TITLES.get(str(table.value("engine.name")), ())
    if not pids and not titles:
        return
    tenants = [_classified(dict(tenant), pids, titles) for tenant in state.value]
    if table.value("engine.name") in _ONE_PROCESS:
        tenants = _at_most_one(tenants)
    table.settled[FIELD] = FieldState(**{**state.__dict__, "value": tenants})


def _pids(table: FactTable) -> set[int]:
    held = table.clue("clue.process_ids")
    groups = held.values() if isinstance(held, dict) else []
    return {pid for group in groups for pid in group if isinstance(pid, int)}


def _classified(tenant: dict[str, Any], pids: set[int], titles: tuple[str, ...]) -> dict[str, Any]:
    name, pid = str(tenant.get("name") or ""), tenant.get("pid")
    if pid in pids:
        return {**tenant, "class": "own", "reason": f"the log names process {pid}"}
    if tenant.get("class") == "desktop":
        return tenant
    foreign_namespace = not pids or min(pids) == 1 or (max(pids) < _CONTAINER_PIDS_BELOW and int(pid or 0) >= 10_000)
    if titles and (name.startswith(titles) or _program(name).startswith(titles)):
        if foreign_namespace:
            return {**tenant, "class": "own", "reason": "its title is the engine's; the log's process ids are of a container"}
        return {**tenant, "class": "foreign", "reason": f"titled like the engine, but the log names other processes than {pid}"}
    if foreign_namespace:
        return {**tenant, "class": "unknown", "reason": "the log's process ids are of a container or absent"}
    return {**tenant, "class": "foreign", "reason": f"the log does not name process {pid}"}


def _program(name: str) -> str:
    """The last part of a path, which a process table may have cut at its front."""
    return name.replace("\\", "/").rpartition("/")[2]


def _at_most_one(tenants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Several processes titled like an engine of one process: which of them is the run's own stays open."""
    if len({tenant.get("pid") for tenant in tenants if tenant.get("class") == "own"}) <= 1:
        return tenants
    reason = "several processes are titled like the engine, whose log prints no process ids"
    return [{**tenant, "class": "unknown", "reason": reason} if tenant.get("class") == "own" else tenant for tenant in tenants]
