"""The batch lines (`Prefill batch`, `Decode batch`): hit rate, usage, queue, acceptance of one start.

Room: running sums and maxima; one fact each, with the line it came from. Wordings of 0.3.0 to 0.5.23. The hit rate is Σ cached ÷
(Σ cached + Σ new) tokens of the prefill lines, because the printed rate of 0.3 is of another meaning and later none is printed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.sglang.messages import Record
from kvaudit.patterns import LatePattern

HINTS: tuple[bytes, ...] = (b"Prefill batch", b"Decode batch")

_BATCH = LatePattern(r"^(?P<kind>Prefill|Decode) batch ?(?:\[\d+\]|\(mixed #running-req: \d+\))?[.,] ")
_TOKENS = LatePattern(r"#new-token: (?P<new>\d{1,12}), #cached-token: (?P<cached>\d{1,12})")
_QUANTITIES = {
    "runtime.kv_usage_peak": LatePattern(r"(?:^|, )(?:full )?token usage: (?P<value>\d+\.\d+)"),
    "runtime.max_running": LatePattern(r"#running-req: (?P<value>\d{1,9})"),
    "runtime.max_waiting": LatePattern(r"#queue-req: (?P<value>\d{1,9})"),
}
_ACCEPTED = LatePattern(r"\baccept rate: (?P<value>\d+\.\d+)")
_GRAPH = LatePattern(r"\bcuda graph: (?P<value>True|False)")
_ROLES = (
    ("prefill", LatePattern(r"#(?:unbootstrapped|bootstrap|inflight|transferring)-req: ")),
    ("decode", LatePattern(r"\bpre-allocated usage: |#prealloc-req: .*#transfer-req: ")),
)


def is_statistics(record: Record) -> bool:
    """Whether the record is a batch line."""
    return bool(_BATCH.search(record.message))


@dataclass(slots=True)
class Statistics:
    """Running values of one start."""

    peaks: dict[str, tuple[float, Record]] = field(default_factory=dict)
    lines: int = 0
    prefills: int = 0
    decoded: Record | None = None
    new: int = 0
    cached: int = 0
    prefilled: Record | None = None
    rates: list[float] = field(default_factory=list)
    accepting: Record | None = None
    on_graph: bool = False
    off_graph: Record | None = None
    role: tuple[str, Record] | None = None

    def read(self, record: Record) -> None:
        """Take one batch line in."""
        match = _BATCH.search(record.message)
        if match is None:
            return
        self.lines += 1
        for name, pattern in _QUANTITIES.items():
            if found := pattern.search(record.message):
                self._peak(name, float(found.group("value")), record)
        if self.role is None:
            self.role = next(((role, record) for role, pattern in _ROLES if pattern.search(record.message)), None)
        if match.group("kind") == "Prefill":
            self._prefill(record)
        else:
            self._decode(record)

    def _peak(self, name: str, value: float, record: Record) -> None:
        known = self.peaks.get(name)
        if known is None or value > known[0]:
            self.peaks[name] = (value, record)

    def _prefill(self, record: Record) -> None:
        self.prefills += 1
        if tokens := _TOKENS.search(record.message):
            self.new += int(tokens.group("new"))
            self.cached += int(tokens.group("cached"))
            self.prefilled = record

    def _decode(self, record: Record) -> None:
        self.decoded = self.decoded or record
        if rate := _ACCEPTED.search(record.message):
            self.rates.append(float(rate.group("value")))
            self.accepting = record
        if graph := _GRAPH.search(record.message):
            self.on_graph = self.on_graph or graph.group("value") == "True"
            self.off_graph = self.off_graph or record

    def emit(self, collector: Collector, *, caching_off: bool, sampled: bool) -> None:
        """Add the facts. `caching_off`: a hit rate means nothing. `sampled`: lines were left out, so sums are estimates."""
        for name, (value, record) in self.peaks.items():
            recorded = value if name == "runtime.kv_usage_peak" else int(value)
            collector.add(name, recorded, "observed", [collector.origin(record, 0, "batch-line")])
        if self.prefilled is not None and self.new + self.cached > 0 and not caching_off:
            share = round(self.cached / (self.new + self.cached), 6)
            lines = f"a sample of {self.prefills}" if sampled else f"all {self.prefills}"
            how = f"{self.cached:,} cached ÷ {self.new + self.cached:,} prompt tokens of {lines} prefill lines"
            origin = collector.origin(self.prefilled, 0, "batch-line")
            collector.add("runtime.prefix_hit_rate", share, "inferred" if sampled else "observed", [origin], how=how)
        if self.accepting is not None:
            how = f"mean of {len(self.rates)} decode lines"
            origin = collector.origin(self.accepting, 0, "batch-line")
            collector.add("runtime.spec_acceptance", round(sum(self.rates) / len(self.rates), 6), "inferred", [origin], how=how)
        if self.role is not None and collector.value("kv_transfer.role") is None:
            role, record = self.role
            how = f"only a {role} server counts these requests"
            collector.add("kv_transfer.role", role, "observed", [collector.origin(record, 0, "batch-line")], how=how)
