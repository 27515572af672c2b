"""Votes about the KV element type: every rank alone and against each other, variants, widths."""

from __future__ import annotations

from itertools import combinations

import pytest

from kvaudit.parsers.facts import Origin
from kvaudit.record.kv_dtype.ladder import Rank, Vote, bits, compatible, settle
from tests.record.builders import said

AUTO = said("kv_cache.dtype", "auto", "requested", line=20)


def _vote(rank: Rank, value: str, line: int = 30) -> Vote:
    return Vote(rank, value, f"{rank.name} says so", (Origin(file="server.log", line=line),))


@pytest.mark.parametrize("rank", list(Rank))
def test_every_rank_decides_alone(rank: Rank) -> None:
    state = settle([AUTO], [_vote(rank, "fp8_e4m3")], "nothing else")
    assert (state.state, state.value, state.because) == ("known", "fp8_e4m3", None)
    assert state.stage == ("resolved" if rank in (Rank.WORKER, Rank.DECLARED) else "inferred")
    assert [fact.value for fact in state.facts] == ["auto", "fp8_e4m3"]
    assert state.facts[state.won[0]].how == f"{rank.name} says so"
    assert state.facts[state.won[0]].origins[0].line == 30


@pytest.mark.parametrize(("strong", "weak"), list(combinations(Rank, 2)))
def test_the_better_rank_wins_and_the_other_is_kept(strong: Rank, weak: Rank) -> None:
    state = settle([], [_vote(weak, "bfloat16"), _vote(strong, "fp8_e4m3")], "")
    assert (state.state, state.value, state.won) == ("known", "fp8_e4m3", [0])
    assert [fact.value for fact in state.facts] == ["fp8_e4m3", "bfloat16"]


@pytest.mark.parametrize("rank", list(Rank))
def test_two_of_one_rank_that_disagree_are_a_conflict(rank: Rank) -> None:
    votes = [_vote(rank, "bfloat16"), _vote(rank, "fp8_e4m3"), _vote(Rank.CHECKPOINT, "bfloat16")]
    state = settle([AUTO], votes, "")
    assert (state.state, state.value, state.because) == ("conflict", None, "equally strong evidence says bfloat16 and fp8_e4m3")
    assert len(state.facts) == 4


def test_three_of_one_rank_conflict_whatever_their_order() -> None:
    for values in (("fp8", "fp8_e4m3", "fp8_e5m2"), ("fp8_e4m3", "fp8", "fp8_e5m2"), ("fp8_e5m2", "fp8_e4m3", "fp8")):
        state = settle([], [_vote(Rank.WORKER, value) for value in values], "")
        assert state.state == "conflict"


def test_several_that_agree_all_decide() -> None:
    state = settle([AUTO], [_vote(Rank.WORKER, "fp8_e4m3", 30), _vote(Rank.WORKER, "fp8_e4m3", 31)], "")
    assert (state.state, state.won) == ("known", [1, 2])


def test_without_votes_it_is_unknown_and_keeps_what_was_asked() -> None:
    state = settle([AUTO], [], "the evidence only says auto")
    assert (state.state, state.value, state.because) == ("unknown", None, "the evidence only says auto")
    assert [fact.value for fact in state.facts] == ["auto"]


def test_an_earlier_inference_is_not_shown_twice() -> None:
    old = said("kv_cache.dtype", "bfloat16", "inferred", how="an earlier pass")
    state = settle([AUTO, old], [_vote(Rank.CHECKPOINT, "bfloat16")], "")
    assert [fact.how for fact in state.facts] == [None, "CHECKPOINT says so"]


@pytest.mark.parametrize(
    ("values", "settled"),
    [
        (("fp8", "fp8_e4m3"), "fp8_e4m3"),
        (("fp8_e4m3", "fp8"), "fp8_e4m3"),
        (("fp8", "fp8_e5m2"), "fp8_e5m2"),
        (("fp8", "fp8"), "fp8"),
        (("fp8_ds_mla", "fp8"), "fp8_ds_mla"),
    ],
)
def test_a_bare_fp8_takes_the_variant_that_another_vote_names(values: tuple[str, str], settled: str) -> None:
    same_rank = settle([], [_vote(Rank.WORKER, value) for value in values], "")
    assert (same_rank.state, same_rank.value) == ("known", settled)


def test_a_bare_fp8_takes_the_variant_of_a_weaker_vote_but_not_one_of_two() -> None:
    arithmetic = _vote(Rank.ARITHMETIC, "fp8")
    assert settle([], [arithmetic, _vote(Rank.CHECKPOINT, "fp8_e4m3")], "").value == "fp8_e4m3"
    both = [arithmetic, _vote(Rank.DECLARED, "fp8_e5m2"), _vote(Rank.CHECKPOINT, "fp8_e4m3")]
    assert settle([], both, "").value == "fp8"


def test_a_weaker_vote_of_another_width_gives_no_variant() -> None:
    state = settle([], [_vote(Rank.ARITHMETIC, "fp8"), _vote(Rank.CHECKPOINT, "bfloat16")], "")
    assert (state.state, state.value) == ("known", "fp8")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("fp8", "fp8_e4m3", True),
        ("fp8", "fp8_e5m2", True),
        ("fp8", "fp8", True),
        ("fp8_e4m3", "fp8_e5m2", False),
        ("fp8", "bfloat16", False),
        ("bfloat16", "float16", False),
        ("fp8", "nvfp4", False),
    ],
)
def test_compatible(left: str, right: str, same: bool) -> None:
    assert compatible(left, right) is compatible(right, left) is same


@pytest.mark.parametrize(
    ("value", "width"),
    [
        ("bfloat16", 16),
        ("float16", 16),
        ("float32", 32),
        ("fp8", 8),
        ("fp8_e5m2", 8),
        ("fp8_ds_mla", 8),
        ("int8", 8),
        ("q8_0", 8),
        ("nvfp4", 4),
        ("q4_0", 4),
        ("iq4_nl", 4),
        ("BFLOAT16", 16),
        ("auto", None),
        ("k=q8_0,v=f16", None),
        ("turboquant_3", None),
        ("", None),
        (None, None),
    ],
)
def test_bits(value: str | None, width: float | None) -> None:
    assert bits(value) == width
