"""Which pool line is the target's: a drafter and a sliding window print lines of their own, per rank.

Room: pool lines of one start in, KV memory and tokens out. A target's lines stand before the first `Memory pool end` of their
rank; what follows is a drafter's. Of a model with sliding windows both pools count as memory, and the full pool as capacity.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Origin
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.tables import Match

_NOT_KEYS_AND_VALUES = ("index", "draft", "state")


@dataclass(slots=True)
class _Pool:
    """One pool: K and V together in GiB. `reserved`: an upper bound of address space, not memory."""

    gib: float
    tokens: int | None
    dtype: str | None
    reserved: bool
    origin: Origin


@dataclass(slots=True)
class _Rank:
    pools: list[_Pool] = field(default_factory=list)
    ended: bool = False
    windowed: bool = False
    window: Origin | None = None
    total: _Pool | None = None
    resized: _Pool | None = None


@dataclass(slots=True)
class Pools:
    """The pools of one start, by rank."""

    ranks: dict[str | None, _Rank] = field(default_factory=dict)
    named: list[tuple[str, Origin]] = field(default_factory=list)

    def read(self, record: Record, match: Match, origin: Origin) -> None:
        """Take one pool line in."""
        rank = self.ranks.setdefault(record.scope, _Rank())
        groups, name = match.groups, match.row.name
        if name == "pool-end":
            rank.ended = rank.ended or bool(rank.pools)
        elif name == "window-pool":
            rank.windowed, rank.window = True, rank.window or origin
        elif name == "state-pool":
            rank.window = rank.window or origin
        elif name == "window-total" and rank.total is None:
            rank.window = rank.window or origin
            rank.total = _Pool(float(groups["gib"]), int(groups["full"]), None, groups["kind"] != "mem usage", origin)
        elif name == "post-capture" and rank.resized is None:
            rank.resized = _Pool(float(groups["gib"]), int(groups["tokens"]), groups["dtype"], False, origin)
        elif name == "pool" and not rank.ended:
            self._pool(rank, groups, origin)

    def _pool(self, rank: _Rank, groups: dict[str, str], origin: Origin) -> None:
        label, tokens = groups.get("label", "").lower(), int(groups["tokens"]) if "tokens" in groups else None
        if label.startswith("swa"):
            rank.window = rank.window or origin
        drafts = not rank.windowed and not label and any(pool.tokens == tokens for pool in rank.pools)
        if drafts or rank.total or any(word in label for word in _NOT_KEYS_AND_VALUES):
            return
        gib = float(groups["both"]) if "both" in groups else float(groups["keys"]) + float(groups["values"])
        rank.pools.append(_Pool(gib, tokens, groups.get("dtype"), groups["kind"] != "is allocated", origin))

    def name_dtype(self, dtype: str, origin: Origin) -> None:
        """`Using KV cache dtype: ...`: the first line of a start is the target's."""
        if not self.named:
            self.named.append((dtype, origin))

    def emit(self, collector: Collector) -> None:
        """Add memory per rank, the element type, and the capacity where no capacity line was printed."""
        capacity_known = bool(collector.ranked("kv_cache.tokens"))
        for scope, rank in self.ranks.items():
            if memory := _memory(rank):
                gib, origins, how = memory
                collector.add("kv_cache.memory_gib", gib, "observed", origins, scope=scope, how=how)
            if not capacity_known and (full := _full(rank)):
                how = "the pool's own size; no capacity line was printed"
                collector.add("kv_cache.tokens", full.tokens, "observed", [full.origin], scope=scope, how=how)
        if windows := [rank.window for rank in self.ranks.values() if rank.window]:
            collector.append("clue.windowed_pool", "windows or recurrent state", windows[:8])
        for dtype, origins in self._dtypes().items():
            collector.append("clue.kv_dtype_worker", dtype, origins, "the worker names the element type of its pool")

    def _dtypes(self) -> dict[str, list[Origin]]:
        found: dict[str, list[Origin]] = {}
        for dtype, origin in self.named:
            found.setdefault(dtype, []).append(origin)
        for rank in self.ranks.values():
            for pool in (*rank.pools, *([rank.resized] if rank.resized else [])):
                if pool.dtype:
                    found.setdefault(pool.dtype, []).append(pool.origin)
        return {dtype: origins[:8] for dtype, origins in found.items()}


def _memory(rank: _Rank) -> tuple[float, list[Origin], str | None] | None:
    """GiB of K and V on one rank, with origins and formula; None where only address space was reserved."""
    for whole in (rank.resized, rank.total):
        if whole is not None:
            return None if whole.reserved else (whole.gib, [whole.origin], None)
    if not rank.pools or any(pool.reserved for pool in rank.pools):
        return None
    parts = len(rank.pools)
    how = "K and V of one pool" if parts == 1 else f"K and V of the {parts} pools of the target model"
    return round(sum(pool.gib for pool in rank.pools), 6), [pool.origin for pool in rank.pools], how


def _full(rank: _Rank) -> _Pool | None:
    """The pool whose tokens are the capacity: of a model with sliding windows the larger one."""
    whole = rank.resized or rank.total
    if whole is not None:
        return None if whole.reserved else whole
    if any(pool.reserved for pool in rank.pools):
        return None
    return max((pool for pool in rank.pools if pool.tokens), key=lambda pool: pool.tokens or 0, default=None)
