"""One start under construction: its markers, its pools, its facts.

Room: what a single start knows of itself. Which record belongs to which start is `splitter`'s business, what became of the
start is `outcome`'s, what follows from the whole is `settle`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Start
from kvaudit.parsers.tables import Match
from kvaudit.parsers.tensorrt_llm import settle
from kvaudit.parsers.tensorrt_llm.llm_args import Dump
from kvaudit.parsers.tensorrt_llm.messages import Record
from kvaudit.parsers.tensorrt_llm.outcome import Life
from kvaudit.parsers.tensorrt_llm.pools import Pools

_WEIGHTS = {
    "banner": 2,
    "bench-version": 1,
    "backend": 2,
    "torch-config": 1,
    "prequantized": 2,
    "bench-path": 2,
    "bench-model": 1,
    "attention-features": 2,
    "kv-dtype-asked": 3,
    "reuse": 3,
    "page-size": 1,
    "overlap-off": 3,
    "graphs-captured": 1,
}
"""Rows that are better sources of their field than the default of 0. Dumps weigh 2 in `settle`."""

_HOW = {
    "torch-sizes": "only the PyTorch backend prints this line",
    "torch-features": "only the PyTorch backend prints this line",
    "torch-config": "only the PyTorch backend prints this line",
    "native-model": "only the TensorRT backend prints this line",
    "native-engine": "only the TensorRT backend prints this line",
    "native-session": "only the TensorRT backend prints this line",
    "engine-file": "only the TensorRT backend prints this line",
}


@dataclass(slots=True)
class StartBuilder:
    """A start while the log is read."""

    collector: Collector
    first_line: int
    last_line: int = 0
    life: Life = field(default_factory=Life)
    pools: Pools = field(default_factory=Pools)
    dumps: list[tuple[Dump, Record]] = field(default_factory=list)
    reached: dict[str, Record] = field(default_factory=dict)
    launched: bool = False
    banners: int = 0
    workers: int = 0
    ranks: set[int] = field(default_factory=set)
    triton: bool = False
    tagged: bool = False
    hub: tuple[Match, Record] | None = None
    largest_graph: tuple[int, Record] | None = None
    first_own: Record | None = None
    noted: set[str] = field(default_factory=set)

    def join(self, record: Record) -> None:
        """Count a record as this start's."""
        self.last_line = max(self.last_line, record.number)
        if record.rank is not None:
            self.ranks.add(record.rank)
            self.tagged = self.tagged or record.writer == "python"
        if record.writer == "triton":
            self.triton = True
        if record.writer in ("python", "native", "banner"):
            self.first_own = self.first_own or record

    @property
    def has_content(self) -> bool:
        """Whether the model was loaded or more: what follows a new launch is another start."""
        return bool({"weights", "capacity"} & self.reached.keys()) or self.life.ready is not None or self.life.over

    def mark(self, milestone: str, record: Record) -> None:
        """How far the start got."""
        self.reached.setdefault(milestone, record)

    def read_facts(self, record: Record, matches: list[Match]) -> None:
        """Take the values of matched rows in."""
        for match in matches:
            name = match.row.name
            if name in ("weights", "native-engine"):
                self.mark("weights", record)
            if name == "hub-snapshot":
                self.hub = self.hub or (match, record)
                continue
            for field_name, value in match.values.items():
                origin = self.collector.origin(record, match.start, name)
                self.collector.add(
                    field_name,
                    value,
                    match.row.stage,
                    [origin],
                    scope=record.scope,
                    how=_HOW.get(name),
                    pick=match.row.pick,
                    weight=_WEIGHTS.get(name, 0),
                )

    def read_pool(self, record: Record, match: Match) -> None:
        """Take a line about a pool in."""
        self.pools.read(record, match)
        if match.row.name == "model-ready":
            self.mark("weights", record)
        elif match.row.name in ("allocated", "peak", "total-tokens", "primary-blocks", "quota"):
            self.mark("capacity", record)

    def graph(self, record: Record, batch: int) -> None:
        """A batch size for which a graph was captured."""
        if self.largest_graph is None or batch > self.largest_graph[0]:
            self.largest_graph = (batch, record)

    def finish(self, last_line: int) -> Start:
        """The start with all its facts, its outcome and its cause."""
        outcome = self.life.outcome()
        settle.settle(self, outcome)
        redactor = self.collector.source.redactor
        return Start(
            first_line=self.first_line,
            last_line=max(self.last_line, last_line),
            outcome=outcome.text,
            cause=redactor.mask(outcome.cause) if outcome.cause else None,
            ready=outcome.ready,
            facts=self.collector.facts(),
        )
