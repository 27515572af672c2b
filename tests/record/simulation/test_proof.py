from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvaudit.record.simulation.capacity import needed_bytes, simulate
from kvaudit.record.simulation.proof import fits_capacity, fits_need
from kvaudit.record.simulation.releases import candidates
from kvaudit.record.simulation.setup import GIB, NVFP4, Setup, UnpredictableError
from kvaudit.record.simulation.unit import bits_ratio, unit_bytes_per_token
from tests.record.simulation.models import LATENT, PLAIN, RECURRENT, WINDOWED, setup

WIDTHS = (2.0, 1.0, NVFP4)
MODELS = st.sampled_from([PLAIN, WINDOWED, RECURRENT, LATENT])
VERSIONS = st.sampled_from(["0.12.0", "0.20.0", "0.20.1", "0.25.1", "0.28.0"])


def start(model: dict[str, Any], version: str = "0.25.1", max_model_len: int = 4096, **facts: Any) -> Setup:
    """A start that is known in full: the engine line said auto, scheduling is synchronous, old releases printed their block."""
    known = {"announced_width": 2.0, "asynchronous": False, "state_block": 80 if version == "0.12.0" else None}
    return setup(model, version, max_model_len, **(known | facts))


def printed(one: Setup, width: float, gib: float) -> int:
    return simulate(one, width, candidates(one.version)[0], gib).tokens


# 3 GiB / 16,384 bytes (8 bits: 4 layers x 16 x 256) = 196,608 blocks / 256 x 4,096 = 3,145,728 tokens.
def test_exactly_the_width_that_ran_passes_and_the_arithmetic_can_be_read() -> None:
    outcome = fits_capacity(start(PLAIN), WIDTHS, 3.0, 3_145_728)
    assert outcome.width == 1.0
    assert outcome.fits[0].how == (
        "3.0 GiB ÷ 16,384 bytes a block (4 full layers, 16 tokens) = 196,608 blocks ÷ 256 blocks a request × 4,096 tokens"
        " = 3,145,728 tokens"
    )


def test_groups_are_counted_in_the_arithmetic() -> None:
    outcome = fits_capacity(start(WINDOWED, "0.13.0"), WIDTHS, 1.0, 233_008)
    assert "24,576 bytes a block (3 full + 2 × 3 sliding layers, 16 tokens)" in outcome.fits[0].how
    assert "÷ 3 × 16 tokens = 233,008 tokens" in outcome.fits[0].how


# One block more is 16 tokens more; one token more is no whole number of blocks. 0.02 GiB of blocks is beyond the rounding.
@pytest.mark.parametrize(("tokens", "passes"), [(3_145_728, True), (3_145_744, True), (3_145_729, False), (3_170_304, False)])
def test_only_whole_blocks_within_the_rounding_of_the_memory_pass(tokens: int, passes: bool) -> None:
    assert bool(fits_capacity(start(PLAIN), WIDTHS, 3.0, tokens).fits) == passes


def test_nothing_that_passes_says_so() -> None:
    outcome = fits_capacity(start(PLAIN), WIDTHS, 3.0, 3_145_729)
    assert outcome.width is None
    assert outcome.why == "no element width gives the printed figures, so some fact is not as the log says"


def test_two_widths_that_pass_prove_nothing() -> None:
    # one block of 32,768 or two of 16,384 bytes: 0.00 GiB may be either, and both hold 16 tokens a block
    outcome = fits_capacity(start(PLAIN, "0.13.0"), WIDTHS, 0.0, 16)
    assert {fit.width for fit in outcome.fits} == {2.0, 1.0, NVFP4}
    assert (outcome.width, outcome.why) == (None, "more than one element width fits")


def test_a_missing_fact_is_the_reason() -> None:
    outcome = fits_capacity(start(WINDOWED, batched_tokens=None), WIDTHS, 1.0, 338_928)
    assert (outcome.width, "max_num_batched_tokens" in outcome.why) == (None, True)


def test_a_build_without_a_version_may_print_either_meaning() -> None:
    for version, tokens in (("0.13.0", 233_008), ("0.25.1", 338_928)):
        assert printed(start(WINDOWED, version), 2.0, 1.0) == tokens
        unversioned = start(WINDOWED, "0.1.dev1+gabcdef123")
        assert unversioned.version is None
        assert fits_capacity(unversioned, WIDTHS, 1.0, tokens).width == 2.0


def test_a_forgotten_draft_layer_does_not_turn_into_another_width() -> None:
    drafting = start(RECURRENT, draft_layers=1, speculative_tokens=2)
    without = start(RECURRENT, speculative_tokens=2)
    tokens = printed(drafting, 2.0, 4.0)
    assert fits_capacity(drafting, WIDTHS, 4.0, tokens).width == 2.0
    assert fits_capacity(without, WIDTHS, 4.0, tokens).fits == ()


# One request of 4,096 tokens takes 528 x 24,576 bytes = 0.01208 GiB with 16 bits; scaled by a longer context it can be told.
# 262,144 tokens: 16,384 + 2 x 136 blocks x 24,576 = 409,337,856 bytes = 0.38 GiB; with 8 bits 0.19.
@pytest.mark.parametrize(("gib", "width"), [(0.38, 2.0), (0.19, 1.0), (0.3, None)])
def test_the_need_of_a_failed_start(gib: float, width: float | None) -> None:
    assert fits_need(start(WINDOWED, max_model_len=262_144), WIDTHS, gib).width == width


@given(model=MODELS, version=VERSIONS, width=st.sampled_from([2.0, 1.0]), gib=st.integers(200, 9000))
def test_a_printed_capacity_proves_the_width_that_ran_and_no_other(
    model: dict[str, Any], version: str, width: float, gib: int
) -> None:
    one, memory = start(model, version, 8192), gib / 100
    # the true memory lies anywhere within the rounding of the print
    tokens = printed(one, width, memory + 0.0049)
    assert fits_capacity(one, WIDTHS, memory, tokens).width == width


@given(model=MODELS, version=VERSIONS, gib=st.integers(100, 9000), more=st.integers(0, 500))
def test_more_memory_never_holds_fewer_tokens(model: dict[str, Any], version: str, gib: int, more: int) -> None:
    one = start(model, version)
    assert printed(one, 2.0, gib / 100) <= printed(one, 2.0, (gib + more) / 100)


@given(model=MODELS, version=VERSIONS, gib=st.integers(100, 9000))
def test_narrower_elements_never_hold_fewer_tokens(model: dict[str, Any], version: str, gib: int) -> None:
    one = start(model, version)
    assert printed(one, 2.0, gib / 100) <= printed(one, 1.0, gib / 100)


@given(heads=st.sampled_from([1, 2, 4, 8]), tensor=st.sampled_from([1, 2, 4, 8]), gib=st.integers(1, 50))
def test_more_ranks_than_heads_repeat_them(heads: int, tensor: int, gib: int) -> None:
    on_ranks = start(PLAIN, tensor=tensor, model_changes={"num_key_value_heads": heads})
    of_one_rank = start(PLAIN, model_changes={"num_key_value_heads": max(1, heads // tensor)})
    assert printed(on_ranks, 2.0, gib) == printed(of_one_rank, 2.0, gib)


@given(model=MODELS, length=st.integers(1000, 20_000))
def test_what_a_failed_start_needs_is_what_a_good_one_gives_a_request(model: dict[str, Any], length: int) -> None:
    one = start(model, max_model_len=length)
    release = candidates(one.version)[0]
    gib = needed_bytes(one, 2.0, release) / GIB
    assert simulate(one, 2.0, release, gib + 1e-9).tokens == length


def test_bytes_per_token_of_plain_attention() -> None:
    # 4 layers x 512 bytes; a context that is no multiple of the block rounds up
    assert unit_bytes_per_token(start(PLAIN), 2.0) == 2048
    assert unit_bytes_per_token(start(PLAIN, "0.13.0", 1000), 2.0) == 2048
    assert unit_bytes_per_token(start(PLAIN, max_model_len=1000), 2.0) == 63 * 32_768 / 1000


# 16 bits: blocks of 80, 40,960 bytes a block, 52 + 3 blocks a request. 8 bits: 17,920 / (16 x 128) = 8.75, blocks of 144 tokens,
# 2 x 144 x 128 = 36,864 bytes a block, ceil(4,096 / 144) = 29 + 3 blocks.
@pytest.mark.parametrize("block", [None, 80, 144])
def test_recurrent_states_do_not_shrink_with_the_elements(block: int | None) -> None:
    one = start(RECURRENT, state_block=block)
    assert unit_bytes_per_token(one, 2.0) == 55 * 40_960 / 4096
    assert unit_bytes_per_token(one, 1.0) == 32 * 36_864 / 4096
    assert bits_ratio(one, 2.0, one, 1.0) == pytest.approx(55 * 40_960 / (32 * 36_864))


def test_a_printed_block_that_no_width_explains_is_not_replaced() -> None:
    with pytest.raises(UnpredictableError, match="attention block"):
        unit_bytes_per_token(start(RECURRENT, state_block=96), 1.0)


def test_a_build_that_may_count_in_two_ways_has_no_unit() -> None:
    with pytest.raises(UnpredictableError, match="version"):
        unit_bytes_per_token(start(WINDOWED, "0.20.1.dev3+gabcdef1"), 2.0)
    assert unit_bytes_per_token(start(PLAIN, "0.20.1.dev3+gabcdef1"), 2.0) == 2048
