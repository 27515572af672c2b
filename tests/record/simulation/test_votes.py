from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.pair_proofs import kv_dtype_difference
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.derived import infer_everything
from kvaudit.record.kv_dtype.arithmetic import add_bytes_per_token
from kvaudit.record.kv_dtype.arithmetic import width_votes as plain_votes
from kvaudit.record.kv_dtype.ladder import Rank, Vote
from kvaudit.record.model import FieldState, Record
from kvaudit.record.simulation.gather import setup_of
from kvaudit.record.simulation.proof import fits_capacity
from kvaudit.record.simulation.setup import UnpredictableError
from kvaudit.record.simulation.votes import width_votes
from kvaudit.record.table import FactTable
from tests.record.simulation.models import LATENT, PLAIN, RECURRENT, WINDOWED, shape

LOG = Origin(file="server.log", line=7, excerpt="said here")
CONFIG = Origin(file="config.json", line=1, pointer="/text_config")
ELEMENT = "kv_cache.bytes_per_element"

# What the log of a start says; None takes a fact away.
SAID: dict[str, Any] = {
    "engine.name": "vllm",
    "engine.version": "0.25.1",
    "model.path": "acme/lark-9",
    "model.dtype": "bfloat16",
    "model.max_len": 4096,
    "parallel.tensor": 1,
    "parallel.pipeline": 1,
    "speculative.method": "none",
    "kv_cache.prefix_caching": False,
    "scheduler.max_num_batched_tokens": 2048,
    "clue.kv_dtype_engine_line": "auto",
}


def facts(model: dict[str, Any] | None, **said: Any) -> list[Fact]:
    known = SAID | {name.replace("__", "."): value for name, value in said.items()}
    found = [fact(name, value, "resolved", [LOG]) for name, value in known.items() if value is not None]
    return found + ([fact("clue.checkpoint_config", shape(model), "stated", [CONFIG])] if model else [])


def table(model: dict[str, Any] | None, gib: Any = None, tokens: Any = None, **said: Any) -> FactTable:
    held = FactTable(facts(model, kv_cache__memory_gib=gib, kv_cache__tokens=tokens, **said))
    add_bytes_per_token(held)
    return held


def only(votes: list[Vote]) -> Vote:
    assert len(votes) == 1
    return votes[0]


# 43,690 blocks of 24,576 bytes / 528 x 4,096 = 338,928 (see test_capacity); with 8 bits 87,381 blocks: 677,864.
@pytest.mark.parametrize(("tokens", "value"), [(338_928, "bfloat16"), (677_864, "fp8")])
def test_the_simulation_votes_on_windowed_layers(tokens: int, value: str) -> None:
    held = table(WINDOWED, 1.0, tokens)
    vote = only(width_votes(held))
    assert (vote.rank, vote.value) == (Rank.ARITHMETIC, value)
    assert f"528 blocks a request × 4,096 tokens = {tokens:,} tokens, as printed" in vote.how
    assert {origin.file for origin in vote.origins} == {"server.log", "config.json"}


def test_bytes_per_element_hold_for_no_layout_of_several_kinds() -> None:
    held = table(WINDOWED, 1.0, 338_928)
    width_votes(held)
    state = held.state(ELEMENT)
    assert state.state == "unknown"
    assert (
        state.because
        == "layer_types: 3 full_attention, 6 sliding_attention: no one number of bytes per element holds for every layer"
    )


# 4 GiB / (3 layers x 80 x 256 = 61,440 bytes) = 69,905 blocks / (52 + 2 x 3 blocks) x 4,096 = 4,936,739 tokens: the draft
# module adds one full layer, two drafted tokens two blocks of states to each of two groups.
def test_draft_layers_of_the_checkpoint_and_drafted_tokens_count() -> None:
    model = RECURRENT | {"mtp_num_hidden_layers": 1}
    said = {"speculative__method": "mtp", "speculative__tokens": 2, "kv_cache__block_size": 80}
    assert only(width_votes(table(model, 4.0, 4_936_739, **said))).value == "bfloat16"
    assert width_votes(table(model, 4.0, 4_936_739, kv_cache__block_size=80)) == []


MISSING: list[tuple[dict[str, Any] | None, dict[str, Any], str]] = [
    (None, {}, "no config.json of the model that ran"),
    (WINDOWED, {"scheduler__max_num_batched_tokens": None}, "max_num_batched_tokens, which windowed layers depend on"),
    (WINDOWED, {"speculative__method": None}, "whether a drafter shares the pool is not known"),
    (WINDOWED, {"speculative__method": "eagle3", "speculative__tokens": 3}, "the layers of the eagle3 drafter"),
    (WINDOWED, {"speculative__method": "mtp", "speculative__tokens": 3}, "does not state the layers of its draft module"),
    (WINDOWED, {"parallel__tensor": None}, "the tensor-parallel size is not known"),
    (WINDOWED, {"parallel__pipeline": 2}, "the memory of each pipeline stage is not known"),
    (WINDOWED, {"model__max_len": None}, "the context limit is not known"),
    (WINDOWED, {"model__dtype": None}, "the model's dtype is not known"),
    (WINDOWED, {"engine__core": "v0"}, "the V0 engine"),
    (WINDOWED, {"engine__version": "0.8.5"}, "before 0.9.1"),
    (WINDOWED, {"kv_transfer__connector": "LMCacheConnectorV1"}, "hybrid manager"),
    (WINDOWED, {"run__args": {"num_gpu_blocks_override": 512}}, "num_gpu_blocks_override is set"),
    (WINDOWED, {"run__args": {"prefill_context_parallel_size": 2}}, "prefill context"),
    (WINDOWED, {"model__architecture": "OtherForCausalLM"}, "another architecture"),
    (RECURRENT, {"kv_cache__prefix_caching": None}, "whether prefix caching is on"),
    (LATENT | {"index_head_dim": 64}, {}, "an indexer keeps a cache of its own"),
    (LATENT | {"model_type": "acme_latent"}, {}, "kv_lora_rank is set"),
]


@pytest.mark.parametrize(("model", "said", "reason"), MISSING)
def test_a_missing_fact_is_no_vote_and_is_named(model: dict[str, Any] | None, said: dict[str, Any], reason: str) -> None:
    model = model and model | {"architectures": ["LarkForCausalLM"]}
    held = table(model, 1.0, 338_928, **said)
    if model and "model__architecture" in said:
        config = shape(model) | {"architecture": "LarkForCausalLM"}
        held.clues["clue.checkpoint_config"] = [fact("clue.checkpoint_config", config, "stated", [CONFIG])]
    assert width_votes(held) == []
    assert reason in str(held.state(ELEMENT).because)


def test_figures_that_no_width_gives_are_no_vote() -> None:
    held = table(WINDOWED, 1.0, 400_000)
    assert width_votes(held) == []
    assert "some fact is not as the log says" in str(held.state(ELEMENT).because)


# 3 GiB / (2,048 bytes a token x 16) = 98,304 blocks = 1,572,864 tokens at 16 bits, twice as many at 8.
@pytest.mark.parametrize(("tokens", "value"), [(1_572_864, "bfloat16"), (3_145_728, "fp8")])
@pytest.mark.parametrize("version", ["0.9.1", "0.17.1", "0.20.0", "0.25.1", "0.33.0"])
def test_plain_models_agree_with_the_simple_division(version: str, tokens: int, value: str) -> None:
    held = table(PLAIN, 3.0, tokens, engine__version=version)
    assert width_votes(held) == plain_votes(held)
    assert only(width_votes(held)).value == value
    assert fits_capacity(setup_of(held), (2.0, 1.0), 3.0, tokens).width == held.value(ELEMENT)


# 2,048 bytes a token make 1,572,864 tokens of 3 GiB; printed are two per cent more, which the division still takes for 16 bits.
def test_a_simulation_that_fits_nothing_leaves_the_simple_division_alone() -> None:
    held = table(PLAIN, 3.0, 1_572_864 * 102 // 100)
    assert only(width_votes(held)).value == "bfloat16"


def test_where_the_simulation_says_nothing_the_simple_division_still_does() -> None:
    held = table(PLAIN, 3.0, 1_572_864, engine__version="0.8.5")
    assert "÷ 1,024 elements" in only(width_votes(held)).how


# 262,144 tokens need 16,384 + 2 x 136 blocks x 24,576 bytes = 0.38 GiB with 16 bits (see test_proof).
def test_a_failed_start_votes_too() -> None:
    said: dict[str, Any] = {"model__max_len": 262_144, "clue.kv_needed_gib": 0.38, "clue.kv_needed_tokens": 262_144}
    vote = only(width_votes(table(WINDOWED, **said)))
    assert vote.value == "bfloat16"
    assert "one request of 262,144 tokens" in vote.how
    assert width_votes(table(WINDOWED, **(said | {"clue.kv_needed_tokens": 131_072}))) == []


def test_a_windowed_model_whose_auto_is_eight_bits_is_known_by_its_capacity() -> None:
    held = table(WINDOWED, 1.0, 677_864, engine__platform="cuda", model__quantization="compressed-tensors")
    infer_everything(held)
    assert (held.state("kv_cache.dtype").value, held.state("kv_cache.dtype").stage) == ("fp8", "inferred")


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ({"kv_cache__block_size": 32}, "block_size", 32),
        ({}, "block_size", 16),
        ({"engine__platform": "cpu"}, "block_size", 128),
        ({"parallel__context": 2}, "decode_context", 2),
        ({"clue.kv_dtype_engine_line": "auto"}, "announced_width", 2.0),
        ({"clue.kv_dtype_engine_line": "fp8"}, "announced_width", 1.0),
        ({"clue.kv_dtype_engine_line": None}, "announced_width", None),
        ({"model__dtype": "float32"}, "model_width", 4.0),
        ({"scheduler__async_scheduling": True}, "asynchronous", True),
        ({"run__args": {"disable_hybrid_kv_cache_manager": True}}, "hybrid_manager", False),
        ({"run__args": {"mamba_cache_mode": "all"}}, "state_mode", "all"),
        ({"run__args": {"mamba_cache_mode": "novel"}}, "state_mode", None),
        ({"speculative__method": "ngram", "speculative__tokens": 4}, "speculative_tokens", 4),
    ],
)
def test_what_the_setup_takes_from_the_facts(said: dict[str, Any], field: str, value: Any) -> None:
    assert getattr(setup_of(table(WINDOWED, **said)), field) == value


def test_the_block_of_a_hybrid_model_is_the_printed_one() -> None:
    setup = setup_of(table(RECURRENT, kv_cache__block_size=96))
    assert (setup.state_block, setup.block_size) == (96, 16)


def test_a_draft_length_that_is_not_printed_is_not_assumed() -> None:
    with pytest.raises(UnpredictableError, match="number of drafted tokens"):
        setup_of(table(LATENT, speculative__method="mtp"))


def record(model: dict[str, Any], per_token: float, **said: Any) -> Record:
    """An arm whose KV element type nobody proves."""
    known: dict[str, Any] = {"kv_cache.bytes_per_token": per_token, "model.revision": "c0ffee"}
    known |= SAID | {name.replace("__", "."): value for name, value in said.items()}
    states = {name: FieldState(state="known", value=value) for name, value in known.items() if not name.startswith("clue.")}
    return Record(
        fields=states, clues={"clue.checkpoint_config": [fact("clue.checkpoint_config", shape(model), "stated", [CONFIG])]}
    )


# 16 bits: 55 blocks x 40,960 bytes / 4,096 tokens; 8 bits: 32 x 36,864 / 4,096 (see test_proof): 1.91 apart, not 2.
@pytest.mark.parametrize(
    ("left", "right", "proof"),
    [
        (55 * 40_960 / 4096, 32 * 36_864 / 4096, "different"),
        (32 * 36_864 / 4096, 55 * 40_960 / 4096, "different"),
        (55 * 40_960 / 4096, 55 * 40_960 / 4096, "equal"),
        (55 * 40_960 / 4096, 55 * 20_480 / 4096, None),
    ],
)
def test_a_pair_of_hybrids_is_different_by_the_ratio_of_the_simulation_only(left: float, right: float, proof: str | None) -> None:
    difference = kv_dtype_difference(record(RECURRENT, left), record(RECURRENT, right))
    assert (difference.proof if difference else None) == proof


def test_a_pair_without_the_facts_of_the_simulation_is_not_proven_different() -> None:
    arms = (record(WINDOWED, bytes_, scheduler__max_num_batched_tokens=None) for bytes_ in (3168.0, 1584.0))
    assert kv_dtype_difference(*arms) is None


def test_other_engines_keep_the_simple_division() -> None:
    held = table(PLAIN, 3.0, 1_572_864, engine__name="sglang")
    assert "÷ 1,024 elements" in only(width_votes(held)).how
    windowed = table(WINDOWED, 1.0, 338_928, engine__name="sglang")
    before = windowed.reasons[ELEMENT]
    assert (width_votes(windowed), windowed.reasons[ELEMENT]) == ([], before)
