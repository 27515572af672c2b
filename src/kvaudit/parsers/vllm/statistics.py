"""The periodic statistics line (every 10 s by default): hit rate, usage, queue, preemptions of one start.

Room: running maxima, sums and last values; one fact each, with the line it came from. V0 and V1 wordings to 0.33.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import re2

from kvaudit.parsers.vllm.collector import Collector
from kvaudit.parsers.vllm.messages import Record

_LINE = re2.compile(r"Avg prompt throughput: [\d.]+ tokens/s|^Prefix cache hit rate: GPU: ")
_QUANTITIES = {
    "runtime.kv_usage_peak": re2.compile(r"(?:^|[\s,])(?:GPU|CPU|XPU|TPU|NPU|GPU \+ host) KV cache usage: (?P<value>[\d.]+)%"),
    "runtime.max_running": re2.compile(r"Running: (?P<value>\d+) reqs"),
    "runtime.max_waiting": re2.compile(r"(?:Waiting|Pending): (?P<value>\d+) reqs"),
    "runtime.prefix_hit_rate": re2.compile(r"Prefix cache hit rate: (?:GPU: )?(?P<value>[\d.]+)%"),
    "runtime.preemptions": re2.compile(r"Preemptions: (?P<value>\d+)"),
}
_PERCENT = ("runtime.kv_usage_peak", "runtime.prefix_hit_rate")


@dataclass(slots=True)
class Statistics:
    """Running values of one start, each with the record it came from."""

    values: dict[str, tuple[float, Record]] = field(default_factory=dict)
    lines: int = 0

    def read(self, record: Record) -> bool:
        """Take one statistics line in; False if the record is none."""
        if not _LINE.search(record.message):
            return False
        self.lines += 1
        for name, pattern in _QUANTITIES.items():
            if match := pattern.search(record.message):
                self._take(name, float(match.group("value")), record)
        return True

    def _take(self, name: str, value: float, record: Record) -> None:
        known = self.values.get(name)
        if known is None or name == "runtime.prefix_hit_rate":
            self.values[name] = (value, record)
        elif name == "runtime.preemptions":
            self.values[name] = (known[0] + value, record)
        elif value > known[0]:
            self.values[name] = (value, record)

    def emit(self, collector: Collector, *, caching_off: bool, sampled: bool) -> None:
        """Add the facts. `caching_off`: a hit rate means nothing. `sampled`: lines were left out, so sums are unknown."""
        for name, (value, record) in self.values.items():
            if (name == "runtime.prefix_hit_rate" and caching_off) or (name == "runtime.preemptions" and sampled):
                continue
            recorded = round(value / 100, 6) if name in _PERCENT else int(value)
            origin = collector.origin(record, 0, "statistics")
            collector.add(name, recorded, "observed", [origin])
