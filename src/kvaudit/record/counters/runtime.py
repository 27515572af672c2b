"""What a window says of the run: prefix hit rate, preemptions, acceptance of drafted tokens.

Room: `record`. A share is given only where the window holds both its parts. That nothing was looked up proves nothing about
prefix caching: vLLM looks nothing up for prompts whose logprobs are asked for, nor for pooling.
"""

from __future__ import annotations

from dataclasses import replace

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.metrics.shapes import Window
from kvaudit.record.counters.identity import Dump
from kvaudit.record.table import FactTable

_HIT_RATE = "runtime.prefix_hit_rate"
_PREEMPTIONS = "runtime.preemptions"
_ACCEPTANCE = "runtime.spec_acceptance"
_OF_REQUESTS = ("requests", "prompt_tokens", "generation_tokens")


def add_runtime(table: FactTable, window: Window, dumps: list[Dump]) -> None:
    """Infer the run's figures from the arm's window, or say why there are none."""
    if window.refused is not None:
        for name in (_HIT_RATE, _PREEMPTIONS, _ACCEPTANCE):
            table.reasons.setdefault(name, window.refused)
        return
    how = _how(window)
    if _served_nothing(window):
        for name in (_HIT_RATE, _PREEMPTIONS, _ACCEPTANCE):
            table.reasons.setdefault(name, f"nothing was served {how}")
        return
    _add_hit_rate(table, window, how, dumps)
    if "preemptions" in window.deltas and not table.fields.get(_PREEMPTIONS):
        table.infer(_PREEMPTIONS, int(window.deltas["preemptions"]), f"counter {how}", _origins(window, "preemptions"))
    drafted, accepted = window.deltas.get("draft_tokens", 0.0), window.deltas.get("accepted_tokens")
    if drafted > 0 and accepted is not None and accepted <= drafted and not _is_inferred(table, _ACCEPTANCE):
        figures = f"{accepted:,.0f} accepted ÷ {drafted:,.0f} drafted tokens {how}"
        table.infer(_ACCEPTANCE, round(accepted / drafted, 4), figures, _origins(window, "accepted_tokens", "draft_tokens"))


def _how(window: Window) -> str:
    if window.since == "start":
        return "since the server's start"
    if len(window.files) == 1:
        return "between the first and the last moment of the file"
    return "between the two metrics dumps" if window.dumps == 2 else f"from the first to the last of {window.dumps} metrics dumps"


def _served_nothing(window: Window) -> bool:
    """Requests or tokens are counted, and nothing that a request would have raised has risen."""
    held = [window.deltas[name] for name in (*_OF_REQUESTS, "prefix_queries", "draft_tokens") if name in window.deltas]
    return any(name in window.deltas for name in _OF_REQUESTS) and not any(held)


def _add_hit_rate(table: FactTable, window: Window, how: str, dumps: list[Dump]) -> None:
    queries, hits = window.deltas.get("prefix_queries"), window.deltas.get("prefix_hits")
    if queries is None or hits is None:
        why = window.missing.get("prefix_queries") or window.missing.get("prefix_hits")
        if why:
            table.reasons.setdefault(_HIT_RATE, f"no prefix hit rate {how}: {why}")
        _add_gauge(table, window, dumps)
    elif queries > 0 and hits <= queries:
        if table.value("kv_cache.prefix_caching") is not False and not _is_inferred(table, _HIT_RATE):
            unit = f", counted in {window.prefix_unit}" if window.prefix_unit else ""
            figures = f"{hits:,.0f} hits ÷ {queries:,.0f} queries{unit} {how}"
            table.infer(_HIT_RATE, round(hits / queries, 4), figures, _origins(window, "prefix_queries", "prefix_hits"))
            _prefer_window(table, window, _HIT_RATE)
    elif queries == 0 and window.deltas.get("prompt_tokens", 0.0) > 0:
        tokens = window.deltas["prompt_tokens"]
        because = f"{tokens:,.0f} prompt tokens and no prefix query {how}: caching was off, or the requests went past it"
        table.reasons.setdefault(_HIT_RATE, because)


def _prefer_window(table: FactTable, window: Window, name: str) -> None:
    """Two dumps enclose what was measured; the log's last line is of another stretch of the server's life."""
    state = table.state(name)
    inferred = [index for index, one in enumerate(state.facts) if one.stage == "inferred"]
    if window.since != "dump" or not inferred or state.stage != "observed":
        return
    won = state.facts[inferred[0]]
    because = "the counters of the measured window count, not the last line of the log"
    chosen = {"state": "known", "value": won.value, "stage": won.stage, "because": because, "won": inferred[:1]}
    table.settled[name] = replace(state, **chosen)


def _add_gauge(table: FactTable, window: Window, dumps: list[Dump]) -> None:
    """The engine V0 of vLLM counts no queries: its gauge is the rate of its whole life, so of one dump and of no window."""
    rates = [dump.counters.hit_rate_gauge for dump in dumps]
    rate = rates[0] if len(rates) == 1 else None
    if window.since == "dump" and any(one is not None for one in rates):
        table.reasons.setdefault(
            _HIT_RATE, "vLLM V0 prints its prefix hit rate as a gauge of the server's whole life, not of a window"
        )
    elif (
        rate is not None and 0 <= rate <= 1 and window.deltas.get("prompt_tokens", 0.0) > 0 and not _is_inferred(table, _HIT_RATE)
    ):
        origins = [origin for origin in dumps[0].origins if "hit_rate" in origin.excerpt] or dumps[0].origins[:1]
        table.infer(_HIT_RATE, round(rate, 4), "gauge of vLLM V0, over the server's whole life", origins)


def _is_inferred(table: FactTable, name: str) -> bool:
    """Something else inferred it already, a log's lines or this very dump in a saved record: two would only dispute."""
    return any(one.stage == "inferred" for one in table.fields.get(name, []))


def _origins(window: Window, *names: str) -> list[Origin]:
    return [origin for name in names for origin in window.origins.get(name, [])]
