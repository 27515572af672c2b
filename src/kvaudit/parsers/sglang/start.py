"""One start under construction: its milestones and its facts.

Room: what a single start knows of itself. Which record belongs to which start is `splitter`'s business, what became of the
start is `outcome`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Origin, Start
from kvaudit.parsers.sglang import settle
from kvaudit.parsers.sglang.arguments import Arguments
from kvaudit.parsers.sglang.graphs import Graphs
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.sglang.outcome import Life
from kvaudit.parsers.sglang.pools import Pools
from kvaudit.parsers.sglang.statistics import Statistics
from kvaudit.parsers.tables import Match

_MILESTONES = {"weights-end": "weights", "pool": "capacity", "capacity": "capacity"}
_POOL_ROWS = frozenset({"pool", "pool-end", "window-pool", "window-total", "state-pool", "post-capture"})
_GRAPH_ROWS = frozenset({"graph-begin", "graph-end"})
_AFTER_ARGUMENTS = frozenset({"radix-off", "overlap-off"})
"""Rows that a worker prints after the arguments line: they know better than the arguments."""


@dataclass(slots=True)
class StartBuilder:
    """A start while the log is read."""

    collector: Collector
    first_line: int
    last_line: int = 0
    reached: dict[str, Record] = field(default_factory=dict)
    banner: str | None = None
    arguments: Arguments | None = None
    arguments_text: str = ""
    launch_path: str | None = None
    weighed: set[str | None] = field(default_factory=set)
    begun: dict[str | None, float] = field(default_factory=dict)
    device: tuple[int, Origin] | None = None
    dtype_fallback: Record | None = None
    retracted: int = 0
    retraction: Record | None = None
    statistics: Statistics = field(default_factory=Statistics)
    pools: Pools = field(default_factory=Pools)
    graphs: Graphs = field(default_factory=Graphs)
    life: Life = field(default_factory=Life)
    noted: set[str] = field(default_factory=set)

    @property
    def has_engine_content(self) -> bool:
        """Whether more than banner and arguments was seen: an opener begins another start."""
        return bool(self.begun) or bool(self.reached.keys() - {"arguments"}) or self.statistics.lines > 0 or self.life.over

    def join(self, record: Record) -> None:
        """Count a record as this start's."""
        self.last_line = max(self.last_line, record.number)

    def mark(self, milestone: str, record: Record) -> None:
        """How far the start got."""
        self.reached.setdefault(milestone, record)

    def read_facts(self, record: Record, matches: list[Match]) -> None:
        """Take the values of matched rows in."""
        for match in matches:
            self._read(record, match)

    def _read(self, record: Record, match: Match) -> None:
        row = match.row
        if row.name == "weights-end" and not self._is_target(record, match):
            return
        if row.name == "local-snapshot" and not settle.is_served_model(self, match.groups["model"]):
            return
        if milestone := _MILESTONES.get(row.name):
            self.mark(milestone, record)
        origin = self.collector.origin(record, match.start, row.name)
        self._sort(record, match, origin)
        weight = 2 if row.name in _AFTER_ARGUMENTS and self.arguments is not None else 0
        for name, value in match.values.items():
            self.collector.add(name, value, row.stage, [origin], scope=record.scope, pick=row.pick, weight=weight)

    def _sort(self, record: Record, match: Match, origin: Origin) -> None:
        """Hand lines of which several make one fact to those who know how."""
        row, collector = match.row, self.collector
        if row.name in _POOL_ROWS:
            self.pools.read(record, match, origin)
        elif row.name in _GRAPH_ROWS:
            self.graphs.read(record, match, origin, collector)
        elif row.name == "kv-dtype":
            self.pools.name_dtype(match.groups["dtype"], origin)
        elif row.name == "kv-dtype-fallback":
            self.dtype_fallback = self.dtype_fallback or record
        elif row.name == "free-at-start" and record.scope not in self.begun:
            self.begun[record.scope] = float(match.groups["free"])
            free = self.begun[record.scope]
            collector.add("memory.free_at_start_gib", free, "observed", [origin], scope=record.scope)
        elif row.name == "device-memory":
            self.device = self.device or (int(match.groups["mib"]), origin)
        elif row.name == "capacity":
            settle.capacity(collector, match, origin)

    def _is_target(self, record: Record, match: Match) -> bool:
        """The first load of a rank is the target's; drafters load after it."""
        if record.scope in self.weighed:
            return False
        self.weighed.add(record.scope)
        origin = self.collector.origin(record, match.start, match.row.name)
        self._weights(record, match, origin)
        elapsed = record.message.startswith("Load weight end. elapsed=")
        if elapsed and "dtype" not in match.groups and "quantization" not in match.groups:
            how = "since 0.5.10 the line names the method of quantized weights"
            self.collector.add("model.quantization", "none", "resolved", [origin], how=how)
        return True

    def _weights(self, record: Record, match: Match, origin: Origin) -> None:
        """Weights on one rank: as printed, else free memory before minus after (to 0.4.2), which is what is printed later."""
        scope, how = record.scope, None
        gib = float(match.groups["gib"]) if "gib" in match.groups else None
        if gib is None and scope in self.begun:
            gib = round(self.begun[scope] - float(match.groups["free"]), 2)
            how = "free memory before and after loading"
        if gib is not None:
            self.collector.add("model.weights_gib", gib, "inferred" if how else "observed", [origin], scope=scope, how=how)

    def finish(self, last_line: int, sampled: bool) -> Start:
        """The start with all its facts, its outcome and its cause. `sampled`: batch lines were left out."""
        outcome = self.life.outcome()
        settle.settle(self, outcome, sampled)
        cause = self.collector.source.redactor.mask(outcome.cause) if outcome.cause else None
        return Start(
            first_line=self.first_line,
            last_line=max(self.last_line, last_line),
            outcome=outcome.text,
            cause=cause,
            ready=outcome.ready,
            facts=self.collector.facts(),
        )
