"""What an arm's log says of its run, as far as a process table can be joined with it.

Room: `record.tenants`. Nothing is assumed: what no line names is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.record.table import FactTable

FIELD = "gpu.tenants"
_CONTAINER_PIDS_BELOW = 1000
_HOST_PIDS_FROM = 10_000
_CONTEXT_GIB = 0.6
"""What an engine holds beside weights and KV cache at least: its context."""


@dataclass(slots=True)
class Run:
    """The run of an arm: its engine, process ids by name, GPUs it uses, and its figures of memory in GiB per GPU."""

    engine: str
    pids: dict[str, list[int]] = field(default_factory=dict)
    processes: int | None = None
    total: float | None = None
    free_at_start: float | None = None
    utilization: float | None = None
    static_fraction: float | None = None
    weights: float | None = None
    kv_memory: float | None = None
    bytes_per_token: float | None = None
    devices: tuple[str, ...] = ()

    @property
    def all_pids(self) -> set[int]:
        """Every process id that the log prints."""
        return {pid for group in self.pids.values() for pid in group}

    @property
    def taken_at_start(self) -> float | None:
        """GiB that somebody held when the engine came up."""
        if self.total is None or self.free_at_start is None:
            return None
        return self.total - self.free_at_start

    @property
    def own_share(self) -> float | None:
        """GiB that a process of the run must hold: weights, KV cache, its context."""
        if self.weights is None or self.kv_memory is None or self.kv_memory < 0:
            return None
        return self.weights + self.kv_memory + _CONTEXT_GIB

    def is_of_a_container(self, host_pids: set[int]) -> bool:
        """Whether the log's process ids are of another namespace than the snapshot's, by themselves."""
        pids = self.all_pids
        if not pids:
            return False
        small = max(pids) < _CONTAINER_PIDS_BELOW and any(pid >= _HOST_PIDS_FROM for pid in host_pids)
        return 1 in pids or small


def sound(found: Any) -> list[dict[str, Any]]:
    """The processes of a list with plain values only, as copies: a saved record may hold anything."""
    listed = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [{key: None if isinstance(value, list | dict) else value for key, value in one.items()} for one in listed]


def run_of(table: FactTable) -> Run | None:
    """The run that the arm's log describes, None without an engine."""
    engine = table.value("engine.name")
    if not isinstance(engine, str):
        return None
    return Run(
        engine=engine,
        pids=_pids_of_all(table),
        processes=_processes(table),
        total=_number(table.value("memory.total_gib")),
        free_at_start=_number(table.value("memory.free_at_start_gib")),
        utilization=_number(table.value("memory.utilization")),
        static_fraction=_number(table.value("memory.static_fraction")),
        weights=_number(table.value("model.weights_gib")),
        kv_memory=_number(table.value("kv_cache.memory_gib")),
        bytes_per_token=_number(table.value("kv_cache.bytes_per_token")),
        devices=_devices(table),
    )


def _pids_of_all(table: FactTable) -> dict[str, list[int]]:
    """The ids that the log prints, and those of the server's family that a capture saw on its host."""
    groups: dict[str, list[int]] = {}
    for one in table.clues.get("clue.process_ids", []):
        for name, pids in _pids(one.value).items():
            groups.setdefault(name, []).extend(pids)
    return groups


def _pids(held: Any) -> dict[str, list[int]]:
    groups = held.items() if isinstance(held, dict) else []
    return {
        str(name): pids
        for name, group in groups
        if isinstance(group, list) and (pids := [pid for pid in group if type(pid) is int])
    }


def _processes(table: FactTable) -> int | None:
    """How many processes hold GPU memory: one for each GPU that the run uses."""
    gpus = _whole(table.value("parallel.gpus"))
    if gpus is not None:
        return gpus
    parts = [_whole(table.value(f"parallel.{name}")) for name in ("tensor", "pipeline", "data")]
    known = [part for part in parts if part is not None]
    return known[0] * known[1] * known[2] if len(known) == 3 else None


def _devices(table: FactTable) -> tuple[str, ...]:
    """GPUs that the run's launch makes visible, where exactly one launch says so."""
    held = [one.value.get("devices") for one in table.clues.get("clue.visible_devices", []) if isinstance(one.value, dict)]
    said = {tuple(map(str, devices)) for devices in held if isinstance(devices, list)}
    return said.pop() if len(said) == 1 else ()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
