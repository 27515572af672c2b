"""Tokens per stream event of a run, what explains them, and which figures of a tool count events instead of tokens.

Room: `results`. Several tokens in one event are no proof of speculative decoding: an interval of streaming, a reasoning parser or
a busy API server merges events too. So a figure is called explained only by a number that the evidence holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.parsers.results.run import Run
from kvaudit.results.checking import relative_error
from kvaudit.results.formula import value_of

AGGREGATES = "(output_tokens - completed) * itl.mean / (completed * (e2e.mean - ttft.mean))"
"""Gaps by tokens over gaps by events: both are the time after the first event, one divided by each count."""

NORMAL = 1.20
"""A stream of single tokens shows 0.97 to 1.20: an API server that lags behind merges some."""
DISTRUST = 1.05
"""From here on, counters that take an event for a token are off."""
_EXPLAINED = 0.05
GAPS_OF_EVENTS = ("vllm", "sglang", "inferencemax", "inferencex")
"""Beginnings of the names of clients whose `itl` is the mean gap between events, of all requests together."""
_SPREADS_GAPS = "sglang"
_SHORT_RUN_SECONDS = 10
_PEAK_SHORTFALL = 0.95

EVENT_COUNTED: dict[str, dict[str, str]] = {
    "vllm": {"peak_output_throughput": "max_output_tokens_per_s", "itl.mean": "*_itl_ms"},
    "sglang": {"peak_output_throughput": "max_output_tokens_per_s", "itl.mean": "*_itl_ms"},
    "inferencemax": {"itl.mean": "*_itl"},
    "aiperf": {"itl.mean": "inter_chunk_latency"},
    "llmperf": {"output_throughput": "request_output_throughput_token_per_s"},
}
"""By the beginning of a tool's name: figures that count events, and what the file calls them."""


@dataclass(frozen=True, slots=True)
class PerChunk:
    """Tokens per stream event: the figure, how it was found, and what in the evidence explains it (None: nothing)."""

    tokens: float
    how: str
    names: tuple[str, ...]
    explained_by: str | None = None

    @property
    def told(self) -> str:
        """The figure with its explanation, in one phrase."""
        if self.explained_by:
            return f"{self.tokens:.2f} tokens per stream event, explained by {self.explained_by}"
        if self.tokens <= NORMAL:
            return f"{self.tokens:.2f} tokens per stream event"
        return f"{self.tokens:.2f} tokens per stream event, which nothing in the evidence explains"


def per_chunk(run: Run, accept_length: float | None = None) -> PerChunk | None:
    """Tokens per stream event. `accept_length`: tokens per speculative step, where other evidence than the file gives it."""
    counted = _listed(run) or _iterations(run) or _of_aggregates(run)
    if counted is None:
        return None
    tokens, how, names = counted
    return PerChunk(tokens, how, names, _explanation(run, tokens, accept_length))


def _listed(run: Run) -> tuple[float, str, tuple[str, ...]] | None:
    tokens, events = run.number("output_tokens"), run.number("chunks.sum")
    if not tokens or not events or tokens <= 0 or events <= 0:
        return None
    return tokens / events, "output tokens ÷ stream events listed", ("output_tokens", "chunks.sum")


def _iterations(run: Run) -> tuple[float, str, tuple[str, ...]] | None:
    tokens = run.number("tokens_per_iteration")
    return (tokens, "as the tool counted", ("tokens_per_iteration",)) if tokens and tokens > 0 else None


def _of_aggregates(run: Run) -> tuple[float, str, tuple[str, ...]] | None:
    """From the means alone; SGLang's client spreads gaps over tokens where it knows of speculation, and on its own endpoint."""
    if run.tool.startswith(_SPREADS_GAPS) and _gaps_are_spread(run):
        return None
    tokens = value_of(AGGREGATES, run) if run.tool.startswith(GAPS_OF_EVENTS) else None
    if tokens is None or tokens <= 0:
        return None
    return tokens, "gaps by tokens ÷ gaps by events", ("output_tokens", "completed", "itl.mean", "e2e.mean", "ttft.mean")


def _gaps_are_spread(run: Run) -> bool:
    endpoint = run.values.get("endpoint")
    native = endpoint is not None and str(endpoint.value) in ("sglang", "sglang-native")
    return native or run.number("accept_length") is not None


def _explanation(run: Run, tokens: float, accept_length: float | None) -> str | None:
    if tokens <= DISTRUST:
        return None
    accepted = run.number("accept_length") or accept_length
    interval = run.number("stream_interval")
    if accepted and relative_error(tokens, accepted) <= _EXPLAINED:
        return f"the acceptance length {accepted:.2f}"
    if interval and interval > 1 and relative_error(tokens, interval) <= 2 * _EXPLAINED:
        return f"stream_interval {interval:.0f}"
    if accepted and interval and relative_error(tokens, accepted * interval) <= 2 * _EXPLAINED:
        return f"the acceptance length {accepted:.2f} and stream_interval {interval:.0f}"
    return None


def event_counted(run: Run) -> dict[str, str]:
    """The figures of this run that count events, by quantity, with the file's own name."""
    named = next((names for tool, names in EVENT_COUNTED.items() if run.tool.startswith(tool)), {})
    return {name: printed for name, printed in named.items() if name in run.values}


def peak_below_mean(run: Run) -> bool:
    """A peak of tokens per second below the mean of the run: the peak counts events (runs of ten seconds and more)."""
    peak, mean, seconds = (run.number(name) for name in ("peak_output_throughput", "output_throughput", "duration"))
    if not peak or not mean or seconds is None or seconds < _SHORT_RUN_SECONDS:
        return False
    return peak < _PEAK_SHORTFALL * mean
