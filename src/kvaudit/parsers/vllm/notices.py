"""The engine's own warnings as notices: a code for rules, the engine's words for people.

Room: matched notice rows in, notices out. Codes stand in the row table.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.tables import Match
from kvaudit.parsers.vllm.messages import Record

_LONGEST = 300
_ONCE = frozenset({"cold-compile", "compile-cache-loaded", "requests-preempted", "backend-fallback"})
"""Codes whose texts differ only in numbers: the first line speaks for all."""


def read(collector: Collector, record: Record, match: Match, seen: set[str]) -> None:
    """Take one notice in; `seen` holds the codes already noted for this start."""
    code = match.row.name
    if code in seen and code in _ONCE:
        return
    seen.add(code)
    text = collector.source.redactor.mask(record.message.strip())[:_LONGEST]
    collector.note(code, text, [collector.origin(record, match.start, code)])


def died_notice(cause: str) -> tuple[str, str]:
    """The notice of an engine that died while serving."""
    return "died-while-serving", cause[:_LONGEST]
