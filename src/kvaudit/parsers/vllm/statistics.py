"""The periodic statistics lines (every 10 s by default): hit rate, usage, queue, preemptions, acceptance of one start.

Room: running maxima, sums and last values; one fact each, with the line it came from. V0 and V1 wordings to 0.33.0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.vllm.messages import Record
from kvaudit.patterns import LatePattern

HINTS: tuple[bytes, ...] = (
    b"Avg prompt throughput",
    b"Prefix cache hit rate: GPU",
    b"SpecDecoding metrics: ",
    b"Speculative metrics: ",
)
_WORDS = tuple(hint.decode() for hint in HINTS)
_SERVING = LatePattern(r"Avg prompt throughput: [\d.]+ tokens/s")
_QUANTITIES = {
    "runtime.kv_usage_peak": LatePattern(
        r"(?:^|[\s,])(?:GPU|CPU|XPU|TPU|NPU|GPU \+ host) KV cache usage: (?P<value>\d{1,9}(?:\.\d{1,6})?)%"
    ),
    "runtime.max_running": LatePattern(r"Running: (?P<value>\d{1,9}) reqs"),
    "runtime.max_waiting": LatePattern(r"(?:Waiting|Pending): (?P<value>\d{1,9}) reqs"),
    "runtime.prefix_hit_rate": LatePattern(r"Prefix cache hit rate: (?:GPU: )?(?P<value>\d{1,9}(?:\.\d{1,6})?)%"),
    "runtime.preemptions": LatePattern(r"Preemptions: (?P<value>\d{1,9})\b"),
}
_NOW = LatePattern(
    r"^Engine \d{1,6}: Avg prompt throughput: [\d.]+ tokens/s, Avg generation throughput: [\d.]+ tokens/s, "
    r"Running: (\d{1,9}) reqs, Waiting: (\d{1,9}) reqs, GPU KV cache usage: (\d{1,9}(?:\.\d{1,6})?)%, "
    r"Prefix cache hit rate: (\d{1,9}(?:\.\d{1,6})?)%$"
)
"""The whole line of today: one match, where the patterns above would take eight. Logs hold it by the million."""

_PERCENT = ("runtime.kv_usage_peak", "runtime.prefix_hit_rate")
_DRAFTED = LatePattern(r"Accepted: (?P<accepted>\d{1,15}) tokens, Drafted: (?P<drafted>\d{1,15}) tokens")
_DRAFTED_V0 = LatePattern(r"Number of accepted tokens: (?P<accepted>\d{1,15}), .*?Number of draft tokens: (?P<drafted>\d{1,15})")


def is_statistics(record: Record) -> bool:
    """Whether the record is one of the periodic lines."""
    return any(words in record.message for words in _WORDS)


@dataclass(slots=True)
class Statistics:
    """Running values of one start, each with the record it came from."""

    values: dict[str, tuple[float, Record]] = field(default_factory=dict)
    lines: int = 0
    serving_lines: int = 0
    accepted: int = 0
    drafted: int = 0
    drafting: Record | None = None

    def read(self, record: Record) -> bool:
        """Take one statistics line in; whether it proves that requests are served."""
        self.lines += 1
        if match := _NOW.search(record.message):
            self.serving_lines += 1
            running, waiting, usage, rate = map(float, match.groups())
            self._take("runtime.kv_usage_peak", usage, record)
            self._take("runtime.max_running", running, record)
            self._take("runtime.max_waiting", waiting, record)
            self._take("runtime.prefix_hit_rate", rate, record)
            return True
        self.serving_lines += bool(_SERVING.search(record.message))
        for name, pattern in _QUANTITIES.items():
            if match := pattern.search(record.message):
                self._take(name, float(match.group("value")), record)
        if match := _DRAFTED.search(record.message):
            self.accepted += int(match.group("accepted"))
            self.drafted += int(match.group("drafted"))
            self.drafting = record
        elif match := _DRAFTED_V0.search(record.message):
            self.accepted, self.drafted = int(match.group("accepted")), int(match.group("drafted"))
            self.drafting = record
        return self.serving_lines > 0

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
            collector.add(name, recorded, "observed", [collector.origin(record, 0, "statistics")])
        if self.drafting is not None and self.drafted > 0:
            how = "accepted ÷ drafted tokens over the statistics lines"
            origin = collector.origin(self.drafting, 0, "statistics")
            share = round(self.accepted / self.drafted, 6)
            collector.add("runtime.spec_acceptance", share, "observed", [origin], how=how)
