"""Batch lines of every era: hit rate, usage, queue, acceptance, retractions, roles of disaggregated servers."""

from __future__ import annotations

import pytest

from tests.parsers.engine_logs import facts_of, values
from tests.parsers.sglang.logs import READY, arguments, capacity, only_start, served, stamped


def prefill(new: int, cached: int, usage: str = "token usage: 0.10") -> str:
    return stamped(
        f"Prefill batch, #new-seq: 1, #new-token: {new}, #cached-token: {cached}, {usage}, #running-req: 2, #queue-req: 5"
    )


def decode(rest: str = "token usage: 0.25", running: int = 7) -> str:
    return stamped(f"Decode batch, #running-req: {running}, #token: 99, {rest}, gen throughput (token/s): 9.00, #queue-req: 1")


def test_the_hit_rate_is_cached_over_all_prompt_tokens() -> None:
    start = only_start(*served(), prefill(900, 100), prefill(100, 900))
    (fact,) = facts_of(start, "runtime.prefix_hit_rate")
    assert (fact.value, fact.stage) == (0.5, "observed")
    assert fact.how == "1,000 cached ÷ 2,000 prompt tokens of all 2 prefill lines"


def test_an_arm_without_a_prefix_cache_has_no_hit_rate() -> None:
    assert values(only_start(*served(disable_radix_cache=True), prefill(900, 100)), "runtime.prefix_hit_rate") == []


@pytest.mark.parametrize(("lines", "stage"), [(3_900, "observed"), (4_100, "inferred")])
def test_a_sampled_log_gives_an_estimate(lines: int, stage: str) -> None:
    (fact,) = facts_of(only_start(*served(), *(prefill(50, 50) for _ in range(lines))), "runtime.prefix_hit_rate")
    assert (fact.value, fact.stage) == (0.5, stage)


@pytest.mark.parametrize(
    ("line", "peak"),
    [
        ("Decode batch. #running-req: 3, #token: 900, token usage: 0.31, gen throughput (token/s): 90.00, #queue-req: 0", 0.31),
        (
            "Decode batch, #running-req: 3, #full token: 9, full token usage: 0.42, #swa token: 9, swa token usage: 0.95, x: 1",
            0.42,
        ),
        ("Decode batch [120], #running-req: 3, #token: 900, token usage: 0.53, cuda graph: True, x: 1", 0.53),
        ("Prefill batch(mixed #running-req: 2). #new-seq: 1, #new-token: 9, #cached-token: 0, token usage: 0.64, x: 1", 0.64),
    ],
)
def test_usage_of_every_wording(line: str, peak: float) -> None:
    assert values(only_start(*served(), stamped(line)), "runtime.kv_usage_peak") == [peak]


def test_maxima_over_the_start() -> None:
    start = only_start(*served(), decode("token usage: 0.25", 7), decode("token usage: 0.75", 3), prefill(1, 1))
    assert values(start, "runtime.kv_usage_peak") == [0.75]
    assert values(start, "runtime.max_running") == [7]
    assert values(start, "runtime.max_waiting") == [5]


def test_acceptance_is_the_mean_of_the_decode_lines() -> None:
    rates = [decode(f"token usage: 0.1, accept len: 2.0, accept rate: {rate}") for rate in ("0.20", "0.40")]
    assert values(only_start(*served(), *rates), "runtime.spec_acceptance", "inferred") == [0.3]


def test_retracted_requests_add_up() -> None:
    lines = [
        stamped("KV cache pool is full. Retract requests. #retracted_reqs: 3, #new_token_ratio: 0.5000 -> 0.9000"),
        stamped("Decode out of memory happened. #retracted_reqs: 2, #new_token_ratio: 0.5000 -> 0.9000"),
    ]
    start = only_start(*served(), *lines, decode())
    assert values(start, "runtime.preemptions", "observed") == [5]
    assert [notice[0]["code"] for notice in values(start, "engine.notices")] == ["requests-preempted"]


def test_no_retraction_is_claimed_only_for_a_whole_log_under_load() -> None:
    assert values(only_start(*served(), decode()), "runtime.preemptions", "inferred") == [0]
    assert values(only_start(READY, decode()), "runtime.preemptions") == []
    assert values(only_start(*served()), "runtime.preemptions") == []


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (
            "Prefill batch. #new-seq: 1, #new-token: 9, #cached-token: 0, token usage: 0.0, #unbootstrapped-req: 0, x: 1",
            "prefill",
        ),
        ("Prefill batch, #new-seq: 1, #new-token: 9, #cached-token: 0, token usage: 0.0, #bootstrap-req: 0, x: 1", "prefill"),
        (
            "Decode batch, #running-req: 1, #token: 9, token usage: 0.0, pre-allocated usage: 0.01, #prealloc-req: 0, x: 1",
            "decode",
        ),
    ],
)
def test_request_counters_tell_the_role_where_the_arguments_are_missing(message: str, role: str) -> None:
    assert values(only_start(capacity(), stamped(message)), "kv_transfer.role") == [role]
    assert values(only_start(arguments(), stamped(message)), "kv_transfer.role") == ["none"]
