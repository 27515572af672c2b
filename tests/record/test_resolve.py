"""Which stage speaks, what delegating values and None mean, ranks and witnesses that disagree, spellings."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from kvaudit.fields import FIELDS, STAGES, Stage
from kvaudit.record.model import Record
from kvaudit.record.resolve import resolve, same_value
from tests.record.builders import said


def _result(name: str, *facts: Any) -> tuple[str, Any]:
    state = resolve(name, list(facts))
    return state.state, state.value


@pytest.mark.parametrize(("strong", "weak"), list(pairwise(STAGES)))
def test_the_stronger_stage_speaks_and_the_loser_stays(strong: Stage, weak: Stage) -> None:
    state = resolve("model.max_len", [said("model.max_len", 4096, weak), said("model.max_len", 8192, strong)])
    assert (state.state, state.value, state.stage, state.unit) == ("known", 8192, strong, "tokens")
    assert [fact.value for fact in state.facts] == [4096, 8192]
    assert state.won == [1]


@pytest.mark.parametrize("stage", STAGES)
def test_one_fact_of_any_stage_is_enough(stage: Stage) -> None:
    assert _result("model.path", said("model.path", "acme/atlas", stage)) == ("known", "acme/atlas")


def test_a_delegating_value_gives_way_to_a_weaker_stage() -> None:
    facts = [said("kv_cache.dtype", "auto", "observed"), said("kv_cache.dtype", "fp8", "requested")]
    assert _result("kv_cache.dtype", *facts) == ("known", "fp8")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kv_cache.dtype", "auto"),
        ("model.max_len", -1),
        ("scheduler.max_num_seqs", 0),
        ("scheduler.max_num_seqs", None),
        ("kv_cache.prefix_caching", None),
        ("run.seed", "None"),
        ("model.path", None),
    ],
)
def test_delegating_values_never_decide_however_many_agree(name: str, value: Any) -> None:
    facts = [said(name, value, stage, scope=scope) for stage in STAGES for scope in (None, "rank 0", "rank 1")]
    state = resolve(name, facts)
    assert (state.state, state.value) == ("unknown", None)
    assert str(value) in str(state.because)
    assert len(state.facts) == len(facts)


def test_none_of_a_revision_proves_that_it_is_unpinned_and_shows_where() -> None:
    state = resolve("model.revision", [said("model.revision", None, line=8)])
    assert (state.state, state.value) == ("absent", None)
    record = Record(fields={"model.revision": state})
    assert record.deciding("model.revision")[0].origins[0].line == 8


def test_a_revision_somebody_names_beats_a_none() -> None:
    facts = [said("model.revision", None), said("model.revision", "4f1d2c9", "requested")]
    assert _result("model.revision", *facts) == ("known", "4f1d2c9")


@pytest.mark.parametrize("name", ["model.quantization", "speculative.method"])
def test_a_bare_none_elsewhere_proves_nothing_and_the_word_none_does(name: str) -> None:
    assert _result(name, said(name, None)) == ("unknown", None)
    assert _result(name, said(name, "none")) == ("known", "none")


def test_nothing_said_is_unknown_and_names_what_settles_it() -> None:
    state = resolve("kv_cache.tokens", [])
    assert state.state == "unknown"
    assert (
        state.because
        == "no line of the evidence names it; a log that reaches the capacity line ('KV cache size: N tokens') would settle it"
    )
    assert resolve("kv_cache.tokens", [], "the log stops").because == "the log stops"


def test_two_values_of_one_stage_and_scope_conflict() -> None:
    state = resolve(
        "model.max_len", [said("model.max_len", 4096), said("model.max_len", 8192), said("model.max_len", 1, "requested")]
    )
    assert (state.state, state.value, state.won) == ("conflict", None, [0, 1])
    assert state.because == "4096, 8192 are both said"
    assert len(state.facts) == 3


def test_a_conflict_of_a_weaker_stage_is_beaten() -> None:
    facts = [said("model.max_len", 1, "stated"), said("model.max_len", 2, "stated"), said("model.max_len", 3)]
    assert _result("model.max_len", *facts) == ("known", 3)


@pytest.mark.parametrize(
    ("name", "values", "binding"),
    [
        ("kv_cache.tokens", (4000, 3990, 4010), 3990),
        ("kv_cache.memory_gib", (20.5, 20.1), 20.1),
        ("model.weights_gib", (13.1, 13.4), 13.4),
        ("graphs.memory_gib", (-0.1, 0.6), 0.6),
    ],
)
def test_of_several_ranks_the_binding_one_holds(name: str, values: tuple[float, ...], binding: float) -> None:
    facts = [said(name, value, "observed", scope=f"rank {rank}") for rank, value in enumerate(values)]
    state = resolve(name, facts)
    assert (state.state, state.value) == ("known", binding)
    assert state.facts[state.won[0]].value == binding
    assert sorted(state.won) == list(range(len(values)))


def test_ranks_of_a_field_without_a_binding_one_must_agree() -> None:
    same = [said("attention.backend", "FLASH_ATTN", scope=f"rank {rank}") for rank in (0, 1)]
    assert _result("attention.backend", *same) == ("known", "FLASH_ATTN")
    other = [*same, said("attention.backend", "FLASHINFER", scope="rank 2")]
    assert _result("attention.backend", *other) == ("conflict", None)


def test_one_rank_that_contradicts_itself_is_a_conflict_even_where_ranks_may_differ() -> None:
    facts = [said("kv_cache.tokens", value, "observed", scope="rank 0") for value in (4000, 5000)]
    assert _result("kv_cache.tokens", *facts) == ("conflict", None)


def test_notices_add_up() -> None:
    facts = [said("engine.notices", [{"code": "a"}], "observed"), said("engine.notices", [{"code": "b"}], "observed")]
    assert _result("engine.notices", *facts) == ("known", [{"code": "a"}, {"code": "b"}])


def test_spellings_become_the_recorded_one_before_they_are_compared() -> None:
    facts = [said("model.dtype", "torch.bfloat16"), said("model.dtype", "bf16")]
    state = resolve("model.dtype", facts)
    assert (state.state, state.value) == ("known", "bfloat16")
    assert {fact.value for fact in state.facts} == {"bfloat16"}


@pytest.mark.parametrize(
    ("name", "left", "right", "same"),
    [
        ("attention.backend", "FLASH_ATTN", "FlashAttn", True),
        ("attention.backend", "FLASH_ATTN", "FLASH_ATTN_VLLM_V1", False),
        ("moe.backend", "'TRITON'", "triton", True),
        ("model.quantization", "AWQ", "awq", True),
        ("model.quantization", "fp8_e4m3", "fp8e4m3", False),
        ("kv_cache.tokens", 268_624, 268_625, False),
        ("kv_cache.memory_gib", 40.99, 41.0, True),
        ("kv_cache.memory_gib", 40.99, 41.1, False),
        ("memory.utilization", 0.9, 0.9 + 1e-12, True),
        ("kv_cache.prefix_caching", True, True, True),
        ("kv_cache.prefix_caching", True, 1, False),
        ("gpu.names", ["NVIDIA H20"], ["nvidia h20"], True),
        ("gpu.names", ["NVIDIA H20"], ["NVIDIA H20", "NVIDIA H20"], False),
        ("run.args", {"a": 1}, {"a": 1}, True),
        ("run.args", {"a": 1}, {"a": 2}, False),
    ],
)
def test_same_statement(name: str, left: Any, right: Any, same: bool) -> None:
    assert same_value(FIELDS[name], left, right) is same
    assert same_value(FIELDS[name], right, left) is same
