"""The engine's own warnings as notices: a code for rules, the engine's words for people.

Room: matched notice rows in, notices out. Codes stand in the row table.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.tables import Match

_LONGEST = 300
_ONCE = frozenset(
    {
        "requests-preempted",
        "backend-fallback",
        "moe-default-config",
        "default-kernel-config",
        "gpu-memory-unbalanced",
        "prefix-caching-forced-off",
    }
)
"""Codes whose texts differ only in numbers or ranks: the first line speaks for all."""


def read(collector: Collector, record: Record, match: Match, seen: set[str]) -> None:
    """Take one notice in; `seen` holds the codes already noted for this start."""
    code = match.row.name
    if code in seen and code in _ONCE:
        return
    seen.add(code)
    text = collector.source.redactor.mask(record.message.strip())[:_LONGEST]
    collector.note(code, text, [collector.origin(record, match.start, code)])
