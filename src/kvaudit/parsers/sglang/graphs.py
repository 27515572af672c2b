"""Captured graphs of one start: whether the decoder runs on graphs, and how much memory all captures took.

Room: capture lines and the `cuda graph: True` of decode lines in, facts out. Several captures of one rank (decode, prefill,
drafter) add up; a capture that began and never ended leaves the memory unknown, and so does one of another phase where the
decoder's own, which comes first, is cut off.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Origin
from kvaudit.parsers.sglang.converters import largest
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.tables import Match

_PREFILL = ("piecewise", "prefill")


@dataclass(slots=True)
class _Captures:
    begun: int = 0
    ended: list[tuple[float, Origin]] = field(default_factory=list)
    unmeasured: bool = False


@dataclass(slots=True)
class Graphs:
    """The captures of one start, by rank."""

    ranks: dict[str | None, _Captures] = field(default_factory=dict)
    decoding: Origin | None = None

    def read(self, record: Record, match: Match, origin: Origin, collector: Collector) -> None:
        """Take one begin or end line in."""
        captures = self.ranks.setdefault(record.scope, _Captures())
        groups = match.groups
        of_decoder = "draft" not in groups and groups.get("phase", "decode") not in _PREFILL
        if of_decoder:
            self.decoding = self.decoding or origin
            if "sizes" in groups:
                collector.add("graphs.capture_max", largest(groups["sizes"]), "observed", [origin])
        if match.row.name == "graph-begin":
            captures.begun += 1
        elif "gib" in groups:
            captures.ended.append((float(groups["gib"]), origin))
        else:
            captures.unmeasured = True

    def emit(self, collector: Collector) -> None:
        """Add what was captured."""
        if self.decoding is not None:
            collector.add("graphs.enforce_eager", False, "observed", [self.decoding], how="graphs of the decoder were captured")
        elif collector.value("graphs.enforce_eager") is not True:
            return
        for scope, captures in self.ranks.items():
            if not captures.ended or captures.unmeasured or len(captures.ended) < captures.begun:
                continue
            total = round(sum(gib for gib, _ in captures.ended), 6)
            count = len(captures.ended)
            how = None if count == 1 else f"sum of {count} captures"
            origins = [origin for _, origin in captures.ended]
            collector.add("graphs.memory_gib", total, "observed", origins, scope=scope, how=how)
