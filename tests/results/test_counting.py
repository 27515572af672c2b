"""Tokens per stream event, and totals that are events."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.results.run import Run
from kvaudit.results.chunks import peak_below_mean, per_chunk
from kvaudit.results.corrections import TOTAL_FROM_INPUT, TOTAL_FROM_SERVER, corrected_runs, corrections
from kvaudit.results.counting import Server, counted_by_events, distrusted
from tests.results.runs_for_tests import run_of

STREAM: dict[str, Any] = {"completed": 100, "output_tokens": 25_700, "ttft__mean": 100.0, "e2e__mean": 2148.0}
"""100 answers of 257 tokens, 2,048 ms after the first token: 8 ms a token, and 20 ms an event of 2.5 tokens."""


@pytest.mark.parametrize(
    ("more", "tokens", "explained"),
    [
        ({"itl__mean": 8.0}, 1.0, None),
        ({"itl__mean": 20.0}, 2.5, None),
        ({"itl__mean": 20.0, "accept_length": 2.55}, 2.5, "the acceptance length 2.55"),
        ({"itl__mean": 20.0, "accept_length": 3.1}, 2.5, None),
        ({"itl__mean": 64.0, "stream_interval": 8}, 8.0, "stream_interval 8"),
        (
            {"itl__mean": 160.0, "stream_interval": 8, "accept_length": 2.5},
            20.0,
            "the acceptance length 2.50 and stream_interval 8",
        ),
    ],
)
def test_tokens_per_event_from_means(more: dict[str, Any], tokens: float, explained: str | None) -> None:
    found = per_chunk(run_of(**STREAM, **more))
    assert found is not None
    assert found.tokens == pytest.approx(tokens)
    assert found.explained_by == explained
    assert "speculat" not in found.told


def test_listed_events_count_exactly() -> None:
    found = per_chunk(run_of(output_tokens=1000, chunks__sum=400, itl__mean=8.0))
    assert found is not None
    assert found.tokens == 2.5


@pytest.mark.parametrize("more", [{"endpoint": "sglang"}, {"endpoint": "sglang-oai", "accept_length": 2.5}])
def test_a_client_that_spreads_gaps_over_tokens_shows_nothing(more: dict[str, Any]) -> None:
    assert per_chunk(run_of("sglang-bench-serving", **STREAM, itl__mean=8.0, **more)) is None


def test_a_client_whose_gaps_are_by_tokens_shows_nothing() -> None:
    run = run_of("aiperf", **STREAM, itl__mean=8.0, accept_length=2.5)
    assert per_chunk(run) is None
    assert counted_by_events(run) is None


@pytest.mark.parametrize(("seconds", "peak", "below"), [(60.0, 700.0, True), (60.0, 990.0, False), (5.0, 700.0, False)])
def test_a_peak_below_the_mean(seconds: float, peak: float, below: bool) -> None:
    assert peak_below_mean(run_of(duration=seconds, output_throughput=1000.0, peak_output_throughput=peak)) is below


STORY: dict[str, Any] = {
    "completed": 349,
    "duration": 256.0,
    "input_length": 4096,
    "output_length": 512,
    "ignore_eos": True,
    "input_tokens": 1_429_504,
    "output_tokens": 92_672,
    "output_throughput": 362.0,
    "total_throughput": 5946.0,
}
"""349 × 512 ÷ 256 s = 698 tok/s really, 92,672 events ÷ 256 s = 362 counted; 349 × 4096 ÷ 256 s = 5,584 tok/s of prompts."""


def _story(**more: Any) -> Run:
    return run_of("custom", **{**STORY, **more})


def test_698_really_362_counted() -> None:
    run = _story(accept_length=1.93)
    claim = counted_by_events(run)
    assert claim is not None
    assert claim.proven
    assert claim.tokens == 178_688
    assert claim.factor == pytest.approx(698 / 362)
    (found,) = corrections([run]) or []
    assert found.formula == TOTAL_FROM_INPUT
    assert found.output == pytest.approx(698.0)
    assert found.total == pytest.approx(5584 + 698)
    assert found.total == pytest.approx(5584 * (4096 + 512) / 4096)
    (right,) = corrected_runs([run], [found])
    assert right.number("output_tokens") == 178_688
    assert right.number("total_throughput") == pytest.approx(6282.0)


def test_rates_alone_are_enough() -> None:
    names = ("completed", "duration", "input_tokens", "output_tokens")
    rates = {name: value for name, value in STORY.items() if name not in names}
    run = run_of("custom", **rates, input_throughput=5584.0, accept_length=1.93)
    claim = counted_by_events(run)
    assert claim is not None
    assert claim.proven
    (found,) = corrections([run]) or []
    assert found.total == pytest.approx(6282.0)


def test_speculation_of_the_server_is_enough_where_no_length_is_known() -> None:
    claim = counted_by_events(_story(), Server(speculation="eagle3"))
    assert claim is not None
    assert claim.proven


@pytest.mark.parametrize("server", [Server(), Server(speculation="none"), Server(speculation="eagle3", accept_length=3.4)])
def test_fewer_tokens_than_pinned_are_no_events_by_themselves(server: Server) -> None:
    assert counted_by_events(_story(), server) is None


def test_the_client_that_reports_the_requested_length_proves_nothing() -> None:
    run = run_of("sglang-bench-serving", **{**STORY, "accept_length": 1.93}, counted="requested")
    assert counted_by_events(run) is None


def test_the_length_asked_for_is_a_suspicion_and_the_streams_events_a_proof() -> None:
    """Nobody says ignore_eos: 92,672 × 1.93 fit 349 × 512, and the gaps by events are gaps by these tokens."""
    asked = {name: value for name, value in STORY.items() if name != "ignore_eos"}
    claim = counted_by_events(run_of("custom", **asked, accept_length=1.93))
    assert claim is not None
    assert not claim.proven
    gaps: dict[str, Any] = {"ttft__mean": 600.0, "e2e__mean": 600.0 + 264.536, "itl__mean": 1.0}  # 92,672 ÷ 349 − 1 gaps of 1 ms
    run = run_of(**asked, accept_length=1.93, **gaps)
    claim = counted_by_events(run)
    assert claim is not None
    assert claim.proven
    (found,) = corrections([run]) or []
    assert found.total == pytest.approx(6282.0)


def test_answers_that_ended_early_are_not_accused() -> None:
    """The same total by honest counting: an event of 1.93 tokens every 1.93 ms."""
    asked = {name: value for name, value in STORY.items() if name != "ignore_eos"}
    gaps: dict[str, Any] = {"ttft__mean": 600.0, "e2e__mean": 600.0 + 264.536, "itl__mean": 1.93}
    assert counted_by_events(run_of(**asked, accept_length=1.93, **gaps)) is None


def test_the_servers_counter_shows_it() -> None:
    run = run_of("custom", completed=349, duration=256.0, output_tokens=92_672, input_tokens=1_429_504)
    server = Server(accept_length=1.93, generated_tokens=178_688.0)
    claim = counted_by_events(run, server)
    assert claim is not None
    assert claim.proven
    (found,) = corrections([run], lambda _: 178_688.0) or []
    assert (found.formula, found.output, found.total) == (TOTAL_FROM_SERVER, 698.0, 698.0 + 5584.0)


def test_one_token_per_event_while_a_step_gives_several() -> None:
    events = {**STREAM, "output_tokens": 10_340, "itl__mean": 20.0}  # (10,340 − 100) × 20 ms ÷ (100 × 2,048 ms) = 1.0
    assert counted_by_events(run_of(**events, accept_length=2.5)) is not None
    assert counted_by_events(run_of(**events, accept_length=1.05)) is None
    assert counted_by_events(run_of(**STREAM, itl__mean=20.0, accept_length=2.5)) is None


def test_listed_events_that_are_the_tokens() -> None:
    claim = counted_by_events(run_of("custom", completed=10, output_tokens=1000, chunks__sum=1010, accept_length=2.4))
    assert claim is not None
    assert claim.proven


@pytest.mark.parametrize(("more", "proven"), [({}, False), ({"accept_length": 2.4}, True), ({"stream_interval": 4}, True)])
def test_a_format_that_counts_events(more: dict[str, Any], proven: bool) -> None:
    claim = counted_by_events(run_of("guidellm", output_tokens=5000, counted="chunks", **more))
    assert claim is not None
    assert claim.proven is proven


def test_exactly_one_token_per_iteration_under_speculation() -> None:
    assert counted_by_events(run_of("guidellm", output_tokens=5000, tokens_per_iteration=1.0)) is None
    claim = counted_by_events(run_of("guidellm", output_tokens=5000, tokens_per_iteration=1.0), Server(speculation="mtp"))
    assert claim is not None
    assert claim.proven


def test_no_formula_for_one_run_is_none_for_all() -> None:
    assert corrections([_story(), run_of(completed=10, duration=4.0)]) is None


def test_figures_beside_the_total_are_named() -> None:
    claim = distrusted(run_of(**STREAM, itl__mean=20.0, accept_length=2.5, peak_output_throughput=900.0))
    assert claim is not None
    assert claim.text == (
        "2.50 tokens per stream event, explained by the acceptance length 2.50; "
        "max_output_tokens_per_s and *_itl_ms count events, not tokens"
    )
    assert distrusted(run_of(**STREAM, itl__mean=8.0, peak_output_throughput=900.0)) is None
