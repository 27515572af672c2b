"""Names of metrics and which way is better."""

from __future__ import annotations

import pytest

from kvaudit.errors import UsageError
from kvaudit.parsers.results.run import LATENCIES, QUANTITIES, STATISTICS
from kvaudit.results.gate.metrics import DIRECTIONS, default_metric, direction_of, metric_name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("itl.p99", "itl.p99"),
        ("p99 ITL", "itl.p99"),
        ("p99_itl_ms", "itl.p99"),
        ("P99-TTFT", "ttft.p99"),
        ("p99.9_itl_ms", "itl.p99.9"),
        ("mean_e2el_ms", "e2e.mean"),
        ("avg TPOT", "tpot.mean"),
        ("median_e2e_latency_ms", "e2e.median"),
        ("throughput", "output_throughput"),
        ("total_token_throughput", "total_throughput"),
        ("Output-Throughput", "output_throughput"),
        ("request_goodput", "goodput"),
        ("accuracy", "score"),
    ],
)
def test_spellings_of_one_metric(written: str, name: str) -> None:
    assert metric_name(written) == name


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("output_thruput", "did you mean output_throughput"),
        ("itl", "itl.p99"),
        ("p42_itl", "itl.p99"),
        ("???", "metrics are request_throughput"),
        ("", "metrics are request_throughput"),
    ],
)
def test_an_unknown_metric_says_what_was_meant(written: str, hint: str) -> None:
    with pytest.raises(UsageError, match="unknown metric") as caught:
        metric_name(written)
    assert hint in str(caught.value)


def test_every_throughput_and_every_latency_has_a_direction() -> None:
    rates = {name for name, (unit, _) in QUANTITIES.items() if unit in ("tok/s", "req/s") and name != "request_rate"}
    assert {name for name in rates if DIRECTIONS.get(name) == "higher"} == rates
    latencies = {f"{family}.{statistic}" for family in LATENCIES for statistic in STATISTICS}
    assert {name for name in latencies if direction_of(name) == "lower"} == latencies


def test_a_setting_is_no_metric_unless_the_caller_gives_the_direction() -> None:
    with pytest.raises(UsageError, match="max_concurrency is not a metric"):
        direction_of("max_concurrency")
    assert direction_of("chunks.sum", "lower") == "lower"
    with pytest.raises(UsageError, match="direction is"):
        direction_of("itl.p99", "sideways")  # type: ignore[arg-type]


def test_the_tail_of_the_gaps_is_the_metric_where_prefill_and_decode_are_apart() -> None:
    assert default_metric(disaggregated=True) == "itl.p99"
    assert default_metric(disaggregated=False) == "output_throughput"
