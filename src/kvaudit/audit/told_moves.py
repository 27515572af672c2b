"""The sentence `{moves}` of pair rules: which defaults moved between the two releases, in which release, by which flag.

Room: `audit`. Every move stands in the engine's table; only those that a difference of the pair shows are said.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import PairContext
from kvaudit.audit.predicates.pair import moved
from kvaudit.record.engine_defaults import Move


def moves_told(pair: PairContext) -> str:
    """Every default that moved and shows; empty where the table knows of none."""
    return "; ".join(map(_told, moved(pair)))


def _told(move: Move) -> str:
    was, now = (_values(values) for values in (move.was, move.now))
    return f"the default of {move.field} went from {was} to {now} in {move.since} ({move.flag}; {move.source})"


def _values(values: tuple[Any, ...]) -> str:
    words = [{True: "on", False: "off"}.get(one, str(one)) if isinstance(one, bool) else str(one) for one in values]
    return " or ".join(words) or "another value"
