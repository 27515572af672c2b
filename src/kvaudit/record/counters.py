"""Rates and counts from metrics dumps: over a window where there are two dumps of one server, else since its start.

Room: `record`. A counter that fell, or a server that restarted between two dumps, gives no delta and says so.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import Fact, Origin
from kvaudit.record.table import FactTable

CLUE = "clue.metrics_counters"


def add_counters(table: FactTable) -> None:
    """Infer prefix hit rate and preemptions from the counters of the arm's metrics dumps."""
    dumps = [clue for clue in table.clues.get(CLUE, []) if isinstance(clue.value, dict)]
    if not dumps:
        return
    window, how = _window(dumps)
    if window is None:
        table.reasons.setdefault("runtime.prefix_hit_rate", how)
        return
    origins = [origin for dump in dumps for origin in dump.origins]
    _add(table, window, how, origins)


def _window(dumps: list[Fact]) -> tuple[dict[str, float] | None, str]:
    """The counters of the window that the dumps enclose, and what window that is."""
    ordered = sorted((dump.value for dump in dumps), key=lambda value: value.get("prefix_queries") or 0.0)
    first, last = ordered[0], ordered[-1]
    if len(ordered) == 1:
        return _numbers(last, {}), "since the server's start"
    if first.get("started") != last.get("started"):
        return None, "the server was started anew between the metrics dumps"
    window = _numbers(last, first)
    if any(value < 0 for value in window.values()):
        return None, "a counter fell between the metrics dumps"
    return window, "between the two metrics dumps"


def _numbers(last: dict[str, Any], first: dict[str, Any]) -> dict[str, float]:
    names = ("preemptions", "prefix_queries", "prefix_hits")
    return {name: last[name] - (first.get(name) or 0.0) for name in names if isinstance(last.get(name), int | float)}


def _add(table: FactTable, window: dict[str, float], how: str, origins: list[Origin]) -> None:
    queries, hits = window.get("prefix_queries", 0.0), window.get("prefix_hits")
    if queries > 0 and hits is not None and table.value("kv_cache.prefix_caching") is not False:
        figures = f"{hits:,.0f} hits ÷ {queries:,.0f} queries, counted in tokens {how}"
        table.infer("runtime.prefix_hit_rate", round(hits / queries, 4), figures, origins)
    if "preemptions" in window and not table.fields.get("runtime.preemptions"):
        table.infer("runtime.preemptions", int(window["preemptions"]), f"counter {how}", origins)
