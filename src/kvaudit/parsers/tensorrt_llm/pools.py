"""The KV pools of one start, in the order they were allocated: which one serves, and what is known of it.

Room: the PyTorch backend first allocates a small pool for a dry run, frees it, prints its budget, and allocates the pool that
serves (`_torch/pyexecutor/_util.py`, `py_executor_creator.py`, 0.17 to 1.3); the TensorRT backend allocates once. The last pool
counts, and none where only the dry run's was seen. Ranks of older builds print without their number.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.converters import integer, number
from kvaudit.parsers.tables import Match
from kvaudit.parsers.tensorrt_llm.converters import gib_of_bytes
from kvaudit.parsers.tensorrt_llm.messages import Record

Seen = tuple[float, Record, int]
"""A number, the record it stands in, and where in its message."""

_MOST_POOLS = 4_096


@dataclass(slots=True)
class Pool:
    """One allocation. `shapes` holds primary blocks by attention window."""

    tokens: Seen | None = None
    gib: Seen | None = None
    size: Seen | None = None
    blocks: Seen | None = None
    secondary: Seen | None = None
    length: Seen | None = None
    shapes: dict[str, int] = field(default_factory=dict)
    clashes: bool = False

    @property
    def allocated(self) -> bool:
        """Whether its capacity was printed: what follows is about another pool, or another rank's."""
        return self.tokens is not None


@dataclass(slots=True)
class Pools:
    """The pools of one start, per printed rank, and the lines that belong to the round since the last budget."""

    by_rank: dict[str | None, list[Pool]] = field(default_factory=dict)
    loading: Record | None = None
    peak: Record | None = None
    cost: Seen | None = None
    shortened: list[Record] = field(default_factory=list)
    sizes: tuple[Match, Record] | None = None
    sizes_of_round: bool = False
    shortened_once: bool = False
    size: Seen | None = None
    witness: Record | None = None
    allocations: int = 0
    most_allocations: int = 0

    def read(self, record: Record, match: Match) -> None:
        """Take one line about a pool in."""
        name = match.row.name
        if name in ("adjusted-length", "reduced-length"):
            self.shortened.append(record)
            self.shortened_once = True
        elif name == "sizes":
            self.sizes, self.sizes_of_round = (match, record), True
        elif name == "model-ready":
            self.loading = self.loading or record
        elif name == "peak":
            self._budget(record, match)
        else:
            self._pool_line(record, match)

    def _budget(self, record: Record, match: Match) -> None:
        """The budget line: this rank's pools so far were the dry run's and are freed, what they shortened is undone.

        The bytes a token takes stand in it, except for layouts with a fixed share beside them.
        """
        self.peak = record
        if "fixed" not in match.groups:
            self.cost = _seen(match.groups["cost"], record, record.message.find("kv size "))
        self.by_rank = {
            rank: pools for rank, pools in self.by_rank.items() if record.rank is not None and rank not in (record.scope, None)
        }
        self.shortened.clear()
        self.sizes_of_round = False
        self.allocations = 0

    def _pool_line(self, record: Record, match: Match) -> None:
        name, groups, at = match.row.name, match.groups, match.start
        pools = self.by_rank.setdefault(record.scope, [])
        starts_anew = name in ("shape", "block-size", "primary-blocks", "quota") and pools and pools[-1].allocated
        if (not pools or starts_anew) and len(pools) < _MOST_POOLS:
            pools.append(Pool())
        pool = pools[-1]
        if name == "shape":
            _shape(pool, record, match)
        for key, attribute in (
            ("tokens", "tokens"),
            ("gib", "gib"),
            ("size", "size"),
            ("secondary", "secondary"),
            ("length", "length"),
        ):
            if (found := _seen(groups.get(key), record, at)) is not None:
                setattr(pool, attribute, found)
        self.size = pool.size or self.size
        if name == "allocated":
            self.witness = record
            self.allocations += 1
            self.most_allocations = max(self.most_allocations, self.allocations)
        if name == "primary-blocks":
            pool.blocks = _seen(groups.get("blocks"), record, at)
        if name == "allocated-bytes":
            memory = gib_of_bytes(groups["bytes"])
            pool.gib = (memory, record, at) if memory is not None else None

    @property
    def only_dry_run(self) -> bool:
        """Whether the pools seen may be the dry run's: the model was just loaded, no budget followed, one capacity was seen."""
        if self.peak is not None or self.loading is None:
            return False
        return all(len({pool.tokens[0] for pool in pools if pool.tokens}) <= 1 for pools in self.by_rank.values())

    @property
    def finished(self) -> bool:
        """Whether a pool was allocated behind the budget."""
        return self.peak is not None and any(self.by_rank.values())

    def serving(self) -> dict[str | None, Pool]:
        """The pool that serves, per printed rank."""
        return {rank: self._last(pools) for rank, pools in self.by_rank.items() if pools}

    def _last(self, pools: list[Pool]) -> Pool:
        """The last pool, with what its neighbours of the same capacity say: unnumbered ranks print one after the other.

        Behind the budget the first pool is the model's and a second one of another size a draft model's.
        """
        chosen = pools[0] if self.peak is not None else pools[-1]
        for other in reversed(pools):
            if other is not chosen and (other.tokens is None or chosen.tokens is None or other.tokens[0] == chosen.tokens[0]):
                _fill(chosen, other)
        return chosen


def _shape(pool: Pool, record: Record, match: Match) -> None:
    blocks = integer(match.groups.get("blocks", ""))
    if blocks is None:
        return
    window = match.groups.get("window", "")
    pool.clashes = pool.clashes or pool.shapes.get(window, blocks) != blocks
    pool.shapes[window] = blocks
    pool.blocks = (sum(pool.shapes.values()), record, match.start)


def _seen(text: str | None, record: Record, at: int) -> Seen | None:
    value = number(text) if text else None
    return None if value is None else (value, record, at)


def _fill(pool: Pool, other: Pool) -> None:
    for name in ("tokens", "gib", "size", "blocks", "secondary", "length"):
        if getattr(pool, name) is None:
            setattr(pool, name, getattr(other, name))
    pool.clashes = pool.clashes or other.clashes
