"""The KV caches of one context: their sizes summed, their cells, types and placement.

Room: one context. A model with sliding windows prints a full cache and a windowed one, a hybrid one prints recurrent state beside
them (not counted), DeepSeek-style models an indexer; the tokens and types are those of the full cache, the memory is that of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.llama_cpp.converters import MIB_PER_GIB
from kvaudit.parsers.llama_cpp.devices import on_host
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.tables import Match

_SIDE_PARTS = frozenset({"SWA", "indexer"})
_NOT_ALLOCATED_ABOVE = 0.5
"""A dry run prints the sizes it would need and buffers of 0.00 MiB; a real cache of this size (MiB) has buffers."""


@dataclass(frozen=True, slots=True)
class Said:
    """A value with the line it stands on and the offset of the match."""

    value: float
    record: Record
    at: int


@dataclass(frozen=True, slots=True)
class Cache:
    """One cache: `cells` per stream, `streams`, ggml's names of the element types, size in MiB."""

    mib: float
    record: Record
    at: int
    cells: int | None = None
    streams: int = 1
    layers: int | None = None
    key: str | None = None
    value: str | None = None
    part: str = ""

    @property
    def tokens(self) -> int | None:
        """Tokens this cache holds."""
        return None if self.cells is None else self.cells * self.streams


@dataclass(slots=True)
class Caches:
    """What the lines of one context say about its caches."""

    sizes: list[Cache] = field(default_factory=list)
    buffers: list[tuple[str, Said]] = field(default_factory=list)
    part: str = ""
    announced: int | None = None

    def read(self, record: Record, match: Match) -> None:
        """Take one matched line in."""
        groups, name = match.groups, match.row.name
        if name == "kv-part":
            self.part, self.announced = groups["part"], int(groups["cells"])
        elif name == "kv-cells":
            self.announced = int(groups["cells"])
        elif name in ("kv-buffer", "kvarn-buffer"):
            self.buffers.append((groups["device"], Said(float(groups["mib"]), record, match.start)))
        elif name in ("kv-size", "kv-self-size", "kv-self-size-untyped", "kvarn"):
            self._size(record, match)

    def _size(self, record: Record, match: Match) -> None:
        groups = match.groups
        if groups.get("layers") == "0":
            return
        cells = int(groups["cells"]) if "cells" in groups else self.announced
        kind = groups.get("type")
        cache = Cache(
            mib=float(groups["mib"]),
            record=record,
            at=match.start,
            cells=cells,
            streams=int(groups.get("streams") or 1),
            layers=int(groups["layers"]) if "layers" in groups else None,
            key=groups.get("k", kind),
            value=groups.get("v", kind),
            part=self.part,
        )
        self.sizes.append(cache)
        self.part, self.announced = "", None

    @property
    def full(self) -> Cache | None:
        """The cache whose cells are the capacity: the one without a window, of several the largest."""
        plain = [cache for cache in self.sizes if cache.part not in _SIDE_PARTS] or self.sizes
        return max(plain, key=lambda cache: cache.tokens or 0) if plain else None

    @property
    def gib(self) -> float | None:
        """Memory of all caches over all devices, from the size lines, else from the buffers."""
        if self.sizes:
            return sum(cache.mib for cache in self.sizes) / MIB_PER_GIB
        return sum(said.value for _, said in self.buffers) / MIB_PER_GIB if self.buffers else None

    @property
    def not_allocated(self) -> bool:
        """Whether this is a dry run: sizes without buffers behind them."""
        wanted = sum(cache.mib for cache in self.sizes)
        return bool(self.buffers) and wanted > _NOT_ALLOCATED_ABOVE and all(said.value == 0 for _, said in self.buffers)

    @property
    def placement(self) -> str | None:
        """`gpu`, `cpu` or `mixed`, by the names of the buffers that hold anything."""
        held = [(device, said) for device, said in self.buffers if said.value > 0] or self.buffers
        sides = {on_host(device) for device, _ in held}
        return {(True,): "cpu", (False,): "gpu", (False, True): "mixed"}.get(tuple(sorted(sides)))
