"""Client, server and log about the same requests: what each counted, and whether the counts agree.

Room: `results`. The server's counters hold warm-ups and the ready check besides the run, so they may be larger by those; a window
with fewer requests than the client completed does not enclose the run, and then says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from kvaudit.parsers.facts import WINDOW_CLUE, Origin
from kvaudit.parsers.metrics.shapes import Window
from kvaudit.parsers.results.run import Run
from kvaudit.record.model import Record
from kvaudit.results.checking import relative_error
from kvaudit.results.formula import value_of

_TOLERANCE = 0.01
_EXTRA_REQUESTS = 0.05
_READY_CHECKS = 4
_LONG_ENOUGH_SECONDS = 60
_FAR_MORE = 2.0
_HIT_POINTS = 0.05
_PAIRS = (("prompt_tokens", "input_tokens"), ("generation_tokens", "output_tokens"))


@dataclass(frozen=True, slots=True)
class Apart:
    """Two counts of the same thing that do not agree. `origins` are the server's lines."""

    text: str
    names: tuple[str, ...]
    serious: bool
    error: float
    origins: tuple[Origin, ...] = ()
    fields: tuple[str, ...] = ()


def window_of(record: Record) -> Window | None:
    """The window of the server's counters, None where there is none, or where its counters give no difference."""
    for one in record.clues.get(WINDOW_CLUE, []):
        try:
            window = one.value if isinstance(one.value, Window) else Window.model_validate(one.value)
        except (ValidationError, RecursionError):
            continue
        if window.whole and window.refused is None:
            return window
    return None


def encloses(window: Window, runs: Sequence[Run]) -> bool:
    """Whether the window holds these runs and little else, by the requests that the server finished in it."""
    completed = [run.number("completed") for run in runs]
    finished = window.deltas.get("requests")
    if not runs or finished is None or any(one is None for one in completed):
        return False
    wanted = sum(one for one in completed if one is not None)
    return wanted > 0 and wanted <= finished <= wanted * (1 + _EXTRA_REQUESTS) + _READY_CHECKS


def server_tokens(window: Window | None, runs: Sequence[Run], quantity: str) -> float | None:
    """What the server counted for these runs, warm-ups taken out by their share of the requests; None where it cannot be told."""
    if window is None or quantity not in window.deltas or not encloses(window, runs):
        return None
    completed = sum(run.number("completed") or 0.0 for run in runs)
    return window.deltas[quantity] * completed / window.deltas["requests"]


def against_server(runs: Sequence[Run], window: Window | None) -> list[Apart]:
    """Prompt and output tokens of all runs of an arm against the server's counters in their window."""
    if window is None or not encloses(window, runs):
        return []
    found = [*(_pair(runs, window, quantity, name) for quantity, name in _PAIRS), _hits(runs, window)]
    return [one for one in found if one is not None]


def _hits(runs: Sequence[Run], window: Window) -> Apart | None:
    """The share of prompts from the cache, as the client was told and as the server counted in tokens."""
    hits, queries = window.deltas.get("prefix_hits"), window.deltas.get("prefix_queries")
    cached, prompts = ([run.number(name) for run in runs] for name in ("cached_tokens", "input_tokens"))
    if window.prefix_unit != "tokens" or hits is None or not queries or None in cached or None in prompts:
        return None
    told = sum(one or 0.0 for one in cached) / (sum(one or 0.0 for one in prompts) or 1.0)
    counted = hits / queries
    if abs(told - counted) <= _HIT_POINTS:
        return None
    text = f"the client was told of {told:.1%} cached prompt tokens, the server counted {counted:.1%} prefix hits"
    origins = tuple(window.origins.get("prefix_hits", [])[:2])
    return Apart(text, ("cached_tokens", "input_tokens"), False, relative_error(told, counted), origins)


def _pair(runs: Sequence[Run], window: Window, quantity: str, name: str) -> Apart | None:
    counted, told = server_tokens(window, runs, quantity), [run.number(name) for run in runs]
    if counted is None or any(one is None for one in told):
        return None
    client = sum(one for one in told if one is not None)
    extra = 1 - sum(run.number("completed") or 0.0 for run in runs) / window.deltas["requests"]
    error = relative_error(counted, client)
    if error <= _TOLERANCE + extra:
        return None
    what = "prompt" if quantity == "prompt_tokens" else "output"
    text = f"the client reports {client:,.0f} {what} tokens, the server counted {counted:,.0f} for the same requests"
    return Apart(text, (name, "completed"), True, error, tuple(window.origins.get(quantity, [])[:4]))


def against_log(run: Run, record: Record) -> Apart | None:
    """The client's requests in flight against those that the server's log ever showed, running and waiting."""
    flying, seconds = value_of("completed * e2e.mean / 1000 / duration", run), run.number("duration")
    running, waiting = (record.value(f"runtime.{name}") for name in ("max_running", "max_waiting"))
    if flying is None or seconds is None or seconds < _LONG_ENOUGH_SECONDS:
        return None
    if not isinstance(running, int | float) or not isinstance(waiting, int | float):
        return None
    seen = float(running) + float(waiting)
    if flying <= _FAR_MORE * seen + 1:
        return None
    text = f"{flying:.1f} requests were in flight by the client's latencies, the server's log never shows more than {seen:.0f}"
    names = ("completed", "e2e.mean", "duration")
    return Apart(text, names, False, relative_error(flying, seen), fields=("runtime.max_running", "runtime.max_waiting"))
