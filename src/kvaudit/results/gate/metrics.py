"""What a metric is called and which way is better: a table over the quantities of a run.

Room: `results`. Names and directions only; no figure is read here.
"""

from __future__ import annotations

from kvaudit.errors import UsageError, did_you_mean
from kvaudit.parsers.results.run import LATENCIES, QUANTITIES, STATISTICS
from kvaudit.results.gate.model import Direction

THROUGHPUT = "output_throughput"
"""The default metric, and the quantity of the performance floor where the metric is a latency."""
DISAGGREGATED = "itl.p99"
"""The default metric where prefill and decode run on different servers: the transfer shows in the tail of the gaps."""

DIRECTIONS: dict[str, Direction] = {
    "request_throughput": "higher",
    "input_throughput": "higher",
    "output_throughput": "higher",
    "total_throughput": "higher",
    "peak_output_throughput": "higher",
    "input_throughput_per_gpu": "higher",
    "output_throughput_per_gpu": "higher",
    "total_throughput_per_gpu": "higher",
    "goodput": "higher",
    "output_speed": "higher",
    "accept_length": "higher",
    "score": "higher",
    "duration": "lower",
    "failed": "lower",
    **{f"{family}.{statistic}": "lower" for family in LATENCIES for statistic in STATISTICS},
}
"""Every quantity that can be a metric. A latency is better when lower, its standard deviation too; whatever has no row is a
setting or a count, of which neither side is better."""

_ALIASES = {
    "throughput": THROUGHPUT,
    "output_token_throughput": THROUGHPUT,
    "input_token_throughput": "input_throughput",
    "total_token_throughput": "total_throughput",
    "output_tput_per_gpu": "output_throughput_per_gpu",
    "input_tput_per_gpu": "input_throughput_per_gpu",
    "tput_per_gpu": "total_throughput_per_gpu",
    "request_goodput": "goodput",
    "accuracy": "score",
}
_FAMILIES = {**{name: name for name in LATENCIES}, "e2el": "e2e", "intertoken": "itl"}
_STATISTICS = {**{name: name for name in STATISTICS}, "avg": "mean", "average": "mean", "p999": "p99.9"}


def default_metric(*, disaggregated: bool) -> str:
    """The metric where none is named."""
    return DISAGGREGATED if disaggregated else THROUGHPUT


def metric_name(written: str) -> str:
    """The quantity that a spelling means: `p99 ITL`, `p99_itl_ms` and `itl.p99` are one. UsageError where it means none."""
    plain = "_".join(written.lower().replace("-", " ").replace("_", " ").split())
    if plain in DIRECTIONS or plain in QUANTITIES:
        return plain
    if plain in _ALIASES:
        return _ALIASES[plain]
    family, _, statistic = plain.partition(".")
    words = [family, *statistic.split("_")] if family in _FAMILIES else plain.split("_")
    words = [word for word in words if word not in ("ms", "latency")]
    families = [_FAMILIES[word] for word in words if word in _FAMILIES]
    statistics = [_STATISTICS[word] for word in words if word in _STATISTICS]
    if len(words) == 2 and len(families) == len(statistics) == 1:
        return f"{families[0]}.{statistics[0]}"
    raise UsageError(f"unknown metric {written!r}{_near(plain, families)}")


def _near(plain: str, families: list[str]) -> str:
    if families:
        return f"; a latency needs its statistic: {', '.join(f'{families[0]}.{one}' for one in ('mean', 'p50', 'p99'))}"
    return (
        did_you_mean(plain, [*DIRECTIONS, *_ALIASES]) or f"; metrics are {', '.join(one for one in DIRECTIONS if '.' not in one)}"
    )


def direction_of(metric: str, given: Direction | None = None) -> Direction:
    """Which way is better, by the table unless the caller says; UsageError for a quantity that is no metric."""
    if given is not None:
        if given not in ("higher", "lower"):
            raise UsageError(f"direction is 'higher' or 'lower', not {given!r}")
        return given
    if metric not in DIRECTIONS:
        raise UsageError(
            f"{metric} is not a metric: neither a higher nor a lower value is better{did_you_mean(metric, DIRECTIONS)}"
        )
    return DIRECTIONS[metric]
