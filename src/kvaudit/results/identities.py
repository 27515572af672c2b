"""Which figures of a run must agree: a table of formulas with tolerances, by the tools that print them.

Room: `results`, data only. `hard` rows are arithmetic of the tool that wrote the file: where one fails, the file was edited or
merged, or one of its figures does not mean what its name says. `soft` rows are statistics of a real run. Tolerances are
relative (`|left − right| ÷ max`); figures that the file prints rounded widen them by what the rounding can hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kvaudit.parsers.results.run import LATENCIES

Relation = Literal["=", "<="]
_ROUNDING = 1e-6
_VLLM, _SGLANG, _TRT = "vllm", "sglang", "trtllm"
_SCRAPED = ("inference-perf-prometheus",)
"""Rates over scrape intervals of the server's metrics beside means over its whole life: of no one window."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Two formulas that must agree.

    `serious` is the error from which on a soft row contradicts itself beyond what any real run shows; hard rows always do.
    `tools` are beginnings of tool names, none = all; `except_tools` likewise. `when` are formulas with a lower and an upper
    bound, all of which must be known and hold.
    """

    id: str
    left: str
    right: str
    relation: Relation = "="
    tolerance: float = _ROUNDING
    hard: bool = True
    serious: float | None = None
    tools: tuple[str, ...] = ()
    except_tools: tuple[str, ...] = ()
    wider: tuple[tuple[str, float], ...] = ()
    """Tolerances of tools whose figures are averages of another kind."""
    when: tuple[tuple[str, float, float], ...] = ()
    meaning: str = ""

    def speaks_of(self, tool: str) -> bool:
        """Whether the row is about runs of this tool."""
        return (not self.tools or tool.startswith(self.tools)) and not (self.except_tools and tool.startswith(self.except_tools))

    def tolerance_for(self, tool: str) -> float:
        """The relative error that a run of this tool may show."""
        return next((value for name, value in self.wider if tool.startswith(name)), self.tolerance)


_ANY = float("inf")
_AVERAGES = (("guidellm", 0.01), ("inference-perf", 0.01), ("llm-d", 0.01), ("llama-benchy", 0.02))
"""Tools that print the mean of a distribution of rates beside counts of the whole."""

_RATES = (
    Identity("I1", "request_throughput * duration", "completed", wider=_AVERAGES, meaning="requests in the time measured"),
    Identity("I2", "output_throughput * duration", "output_tokens", wider=_AVERAGES, meaning="output tokens in that time"),
    Identity(
        "I3",
        "total_throughput * duration",
        "input_tokens + output_tokens",
        wider=_AVERAGES,
        meaning="input and output tokens in that time",
    ),
    Identity("I4", "input_throughput * duration", "input_tokens", wider=_AVERAGES, meaning="prompt tokens in that time"),
    Identity("I3b", "total_tokens", "input_tokens + output_tokens", tolerance=0.0, meaning="the total is the sum of both"),
    Identity("I3c", "total_throughput * duration", "total_tokens", wider=_AVERAGES, meaning="all tokens in that time"),
    Identity("I17", "output_throughput * duration", "completed * mean_output_length", tools=(_TRT,), meaning="as I2"),
    Identity("I17b", "output_throughput_per_gpu * gpus", "output_throughput", meaning="what a GPU does, times the GPUs"),
    Identity("I17c", "total_throughput_per_gpu * gpus", "total_throughput", meaning="what a GPU does, times the GPUs"),
    Identity(
        "I17d",
        "total_throughput_per_gpu",
        "output_throughput_per_gpu + input_throughput_per_gpu",
        when=(("gpus", 1, _ANY),),
        meaning="input and output of a GPU",
    ),
    Identity(
        "I20",
        "request_throughput * mean_output_length",
        "output_throughput",
        tolerance=1e-4,
        tools=("llmperf",),
        meaning="answers per second times their length",
    ),
    Identity(
        "I20b",
        "request_throughput * mean_output_length",
        "output_throughput",
        tolerance=0.05,
        hard=False,
        serious=0.2,
        except_tools=("llmperf", *_SCRAPED),
        meaning="answers per second times their length",
    ),
)

_COUNTS = (
    Identity("I5", "completed + failed", "requests", "<=", 0.0, meaning="no more requests than planned"),
    Identity("I5b", "requests", "completed + failed", "<=", 0.0, hard=False, tools=(_VLLM,), meaning="every request ended"),
    Identity("I6", "output_lengths.sum", "output_tokens", tolerance=0.0, meaning="the lengths listed sum up to the total"),
    Identity(
        "I6b",
        "input_lengths.sum",
        "input_tokens",
        tolerance=0.0,
        when=(("failed", 0, 0),),
        meaning="the lengths listed sum up to the total",
    ),
    Identity("I6c", "output_lengths.count", "requests", "<=", 0.0, tools=(_VLLM,), meaning="at most one length per request"),
    Identity("I6d", "mean_output_length * completed", "output_tokens", tolerance=1e-4, meaning="mean times count"),
    Identity(
        "I6e",
        "mean_input_length * completed",
        "input_tokens",
        tolerance=0.05,
        hard=False,
        meaning="mean times count; a chat template may be in one of them",
    ),
    Identity("I5c", "goodput", "request_throughput", "<=", meaning="requests within the service level are a part of all"),
    Identity("I5d", "accepted_tokens", "draft_tokens", "<=", 0.0, meaning="accepted tokens were drafted"),
    Identity("I5e", "1 + accepted_tokens / drafts", "accept_length", tools=(_VLLM,), meaning="tokens per speculative step"),
    Identity("I5f", "cached_tokens", "input_tokens", "<=", 0.05, hard=False, meaning="cached tokens are prompt tokens"),
)

_TIMES = (
    Identity("I7", "latency_gap.max", "0.00001", "<=", 0.0, meaning="first token and gaps sum up to the latency"),
    Identity(
        "I8",
        "concurrency * duration",
        "completed * e2e.mean / 1000",
        tools=(_SGLANG, _TRT),
        meaning="requests in flight (Little's law)",
    ),
    Identity(
        "I9",
        "completed * e2e.mean / 1000 / duration",
        "max_concurrency",
        "<=",
        0.005,
        meaning="no more requests in flight than the client allows (Little's law)",
    ),
    Identity(
        "I10",
        "ttft.mean + tpot.mean * (output_tokens / completed - 1)",
        "e2e.mean",
        tolerance=1e-4,
        tools=(_VLLM, _SGLANG, "aiperf"),
        when=(("output_lengths.max - output_lengths.min", 0, 0), ("output_lengths.min", 2, _ANY)),
        meaning="first token and the rest, where all answers are equally long",
    ),
    Identity("I13", "e2e.p99 / 1000", "duration", "<=", meaning="no request takes longer than the run"),
    Identity("I13b", "e2e.max / 1000", "duration", "<=", meaning="no request takes longer than the run"),
    Identity("I13c", "e2e.mean / 1000", "duration", "<=", meaning="no request takes longer than the run"),
    Identity(
        "I18",
        "output_speed * tpot.mean / 1000",
        "1.3",
        "<=",
        0.0,
        hard=False,
        serious=0.3,
        tools=(_TRT,),
        meaning="the mean speed of a request and the mean time per token tell of the same requests",
    ),
    Identity(
        "I21",
        "(e2e.mean - ttft.mean) / (mean_output_length - 1)",
        "tpot.mean",
        tolerance=0.15,
        hard=False,
        serious=0.4,
        tools=("inference-perf",),
        except_tools=_SCRAPED,
        meaning="time after the first token, by the tokens after the first",
    ),
)

_MEANS = (("min", "mean"), ("mean", "max"), ("min", "median"))
_ABOVE = ("p75", "p90", "p95", "p99", "p99.9", "max")
_PAIRS = (*_MEANS, *((low, high) for at, low in enumerate(_ABOVE) for high in _ABOVE[at + 1 :]))
_ORDERED = tuple(
    Identity("I12", f"{family}.{low}", f"{family}.{high}", "<=", 1e-9, meaning="statistics of one distribution, in order")
    for family in LATENCIES
    for low, high in (*_PAIRS, *((middle, high) for middle in ("median", "p50") for high in _ABOVE))
)
_MEDIANS = tuple(
    Identity("I12b", f"{family}.median", f"{family}.p50", tolerance=1e-9, tools=(_VLLM, _SGLANG), meaning="the median is p50")
    for family in LATENCIES
)

IDENTITIES: tuple[Identity, ...] = (*_RATES, *_COUNTS, *_TIMES, *_ORDERED, *_MEDIANS)
"""Every row, the arithmetic of the writer first."""
