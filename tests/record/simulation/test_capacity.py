from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.simulation.capacity import Prediction, blocks_per_request, layout_of, needed_bytes, simulate
from kvaudit.record.simulation.releases import candidates
from kvaudit.record.simulation.setup import NVFP4, Setup, UnpredictableError
from tests.record.simulation.models import FULL, LATENT, PLAIN, RECURRENT, SLIDING, WINDOWED, setup


def predicted(start: Setup, width: float = 2.0, gib: float = 1.0) -> Prediction:
    return simulate(start, width, candidates(start.version)[0], gib)


def groups(start: Setup, width: float = 2.0) -> list[tuple[str, int, int]]:
    layout = layout_of(start, width, candidates(start.version)[0])
    return [(group.spec.kind.value, group.layers, group.spec.block) for group in layout.groups]


def per_request(start: Setup, width: float = 2.0) -> int:
    release = candidates(start.version)[0]
    return blocks_per_request(layout_of(start, width, release), start, release)


# 512 bytes x 16 tokens x 4 layers = 32,768 bytes a block: 2^30 / 32,768 = 32,768 blocks.
# A request of 1,000 tokens takes ceil(1,000 / 16) = 63 blocks: 32,768 / 63 x 1,000 = 520,126.98 tokens since 0.20.1;
# before, 32,768 x 16 = 524,288.
@pytest.mark.parametrize(("version", "tokens"), [("0.20.0", 524_288), ("0.20.1", 520_126), ("0.33.0", 520_126)])
def test_a_plain_model_before_and_since_the_print_changed_its_meaning(version: str, tokens: int) -> None:
    found = predicted(setup(PLAIN, version, 1000))
    assert (found.blocks, found.blocks_per_request, found.tokens) == (32_768, 63, tokens)


# 8 bits: half the bytes, 65,536 blocks. 32 bits: 16,384. NVFP4: 9/16 of a byte an element, 9,216 bytes a block: 116,508.
@pytest.mark.parametrize(("width", "blocks"), [(1.0, 65_536), (4.0, 16_384), (NVFP4, 116_508)])
def test_blocks_follow_the_element_width(width: float, blocks: int) -> None:
    assert predicted(setup(PLAIN), width).blocks == blocks


# Two KV heads: one on each of two ranks, repeated on four and eight. A latent vector is on every rank.
@pytest.mark.parametrize(("model", "tensor", "block_bytes"), [(PLAIN, 2, 16_384), (PLAIN, 4, 16_384), (PLAIN, 8, 16_384)])
def test_kv_heads_are_divided_and_then_repeated(model: dict[str, Any], tensor: int, block_bytes: int) -> None:
    assert predicted(setup(model, tensor=tensor)).layout.bytes_per_block == block_bytes


def test_a_latent_vector_is_on_every_rank() -> None:
    # 256 bytes x 16 tokens x 3 layers
    assert predicted(setup(LATENT)).layout.bytes_per_block == predicted(setup(LATENT, tensor=8)).layout.bytes_per_block == 12_288


def test_kv_heads_that_do_not_divide_predict_nothing() -> None:
    with pytest.raises(UnpredictableError, match="6 KV heads do not divide over 4 ranks"):
        predicted(setup(PLAIN, tensor=4, model_changes={"num_key_value_heads": 6}))


def test_the_drafter_of_the_checkpoint_joins_the_full_layers() -> None:
    assert groups(setup(LATENT, draft_layers=1, speculative_tokens=2)) == [("full", 4, 16)]


# 3 full, 6 windowed: groups of 3. 512 bytes x 16 x 3 = 24,576 bytes a block: 43,690 blocks a GiB.
# A request of 4,096: full 256 blocks; a window of 99 + 2,048 tokens: ceil(2,147 / 16) + 1 = 136, twice: 528 in all.
# 43,690 / 528 x 4,096 = 338,928 tokens; before 0.20.1: 43,690 // 3 x 16 = 233,008.
@pytest.mark.parametrize(("version", "tokens"), [("0.13.0", 233_008), ("0.25.1", 338_928)])
def test_windowed_layers_share_the_pool_in_groups(version: str, tokens: int) -> None:
    start = setup(WINDOWED, version)
    assert groups(start) == [("full", 3, 16), ("sliding", 3, 16), ("sliding", 3, 16)]
    found = predicted(start)
    assert (found.blocks, found.blocks_per_request, found.tokens) == (43_690, 528, tokens)


# Since 0.26 a window holds two batches with asynchronous scheduling: min(99 + 4,096, 4,096) tokens = 256 + 1 blocks.
@pytest.mark.parametrize(("asynchronous", "blocks"), [(True, 256 + 2 * 257), (False, 528)])
def test_windows_hold_every_batch_in_flight(asynchronous: bool, blocks: int) -> None:
    assert per_request(setup(WINDOWED, "0.26.0", asynchronous=asynchronous)) == blocks


def test_scheduling_that_is_not_printed_is_not_assumed_where_it_matters() -> None:
    with pytest.raises(UnpredictableError, match="asynchronous"):
        predicted(setup(WINDOWED, "0.27.0"))
    # a batch as long as the context: 99 + 4,096 and 99 + 8,192 tokens are both cut to 4,096
    assert per_request(setup(WINDOWED, "0.27.0", batched_tokens=4096)) == 256 + 2 * 257


def test_a_missing_batch_size_matters_only_where_the_print_depends_on_it() -> None:
    assert predicted(setup(WINDOWED, "0.13.0", batched_tokens=None)).tokens == 233_008
    assert predicted(setup(WINDOWED, "0.13.0", batched_tokens=None)).blocks_per_request is None
    with pytest.raises(UnpredictableError, match="max_num_batched_tokens"):
        predicted(setup(WINDOWED, "0.25.1", batched_tokens=None))
    assert per_request(setup(WINDOWED, "0.25.1", max_model_len=64, batched_tokens=None)) == 4 + 2 * 5


def test_without_the_hybrid_manager_windowed_layers_are_full() -> None:
    assert groups(setup(WINDOWED, hybrid_manager=False)) == [("full", 9, 16)]


# 4 full and 5 windowed layers: 5 < 4 x 1.5 but not < 4 x 1.25. Two groups of 5 (one padded), or of 4.
@pytest.mark.parametrize(
    ("version", "sizes"),
    [("0.11.2", [4, 3, 2]), ("0.17.1", [4, 3, 2]), ("0.18.0", [4, 5])],
)
def test_close_counts_are_padded_instead_of_split(version: str, sizes: list[int]) -> None:
    kinds = [FULL, SLIDING] * 4 + [SLIDING]
    assert [layers for _, layers, _ in groups(setup(WINDOWED, version, model_changes={"layer_types": kinds}))] == sizes


def test_a_group_that_is_padded_takes_the_bytes_of_a_whole_one() -> None:
    kinds = [FULL, SLIDING] * 4 + [SLIDING]
    # 5 layers a group x 16 tokens x 512 bytes
    assert predicted(setup(WINDOWED, model_changes={"layer_types": kinds})).layout.bytes_per_block == 40_960


# Gemma 4: full layers of 1 x 512 (2,048 bytes a token), windowed of 4 x 256 (4,096): pages are made equal with full blocks of 32.
def test_smaller_pages_get_longer_blocks() -> None:
    model = WINDOWED | {
        "model_type": "gemma4_text",
        "num_key_value_heads": 4,
        "head_dim": 256,
        "global_head_dim": 512,
        "num_global_key_value_heads": 1,
        "attention_k_eq_v": True,
    }
    start = setup(model)
    assert groups(start) == [("full", 3, 32), ("sliding", 3, 16), ("sliding", 3, 16)]
    assert predicted(start).layout.bytes_per_block == 3 * 16 * 4096
    with pytest.raises(UnpredictableError, match="different size"):
        predicted(setup(model, "0.11.2"))


def test_layers_that_share_the_cache_of_earlier_ones_take_none() -> None:
    model = WINDOWED | {"model_type": "gemma4_text", "num_kv_shared_layers": 3}
    assert groups(setup(model)) == [("full", 2, 16), ("sliding", 2, 16), ("sliding", 2, 16)]


def test_one_window_for_every_layer_is_one_group() -> None:
    start = setup(PLAIN, model_changes={"model_type": "mistral", "sliding_window": 1000})
    assert groups(start) == [("sliding", 4, 16)]
    assert per_request(start) == 192  # ceil((999 + 2,048) / 16) + 1


# 17,920 bytes of state / (16 x 256) = 4.4: blocks of 80 tokens, pages of 20,480 bytes; 2 layers a group: 40,960 bytes a block.
# 26,214 blocks; a request takes ceil(4,096 / 80) = 52 blocks and one for each of three groups of states.
def test_recurrent_states_are_padded_to_the_page_of_the_attention_layers() -> None:
    found = predicted(setup(RECURRENT))
    assert groups(setup(RECURRENT)) == [("full", 2, 80), ("state", 2, 4096), ("state", 2, 4096), ("state", 2, 4096)]
    assert (found.layout.bytes_per_block, found.blocks, found.blocks_per_request) == (40_960, 26_214, 55)
    assert found.tokens == 26_214 * 4096 // 55


@pytest.mark.parametrize(
    ("facts", "states"),
    [
        ({"prefix_caching": False}, 1),
        ({"prefix_caching": True}, 2),
        ({"prefix_caching": True, "speculative_tokens": 3}, 5),
        ({"prefix_caching": False, "speculative_tokens": 3}, 4),
    ],
)
def test_states_of_a_request(facts: dict[str, Any], states: int) -> None:
    assert per_request(setup(RECURRENT, state_block=80, **facts)) == 52 + 3 * states


def test_prefix_caching_that_is_not_printed_is_not_assumed() -> None:
    with pytest.raises(UnpredictableError, match="prefix caching"):
        predicted(setup(RECURRENT, state_block=80, prefix_caching=None))


def test_a_printed_attention_block_goes_before_the_derived_one() -> None:
    assert groups(setup(RECURRENT, state_block=96))[0] == ("full", 2, 96)


def test_before_0_20_the_block_follows_the_announced_dtype() -> None:
    # auto was announced, 8 bits are stored: the state's page stays 80 x 256 bytes, an attention page takes 160 tokens
    start = setup(RECURRENT, "0.19.1", state_block=80, announced_width=2.0)
    assert groups(start, 1.0)[0] == ("full", 2, 160)
    assert groups(setup(RECURRENT, "0.20.0", state_block=80), 1.0)[0] == ("full", 2, 80)
    with pytest.raises(UnpredictableError, match="engine line"):
        predicted(setup(RECURRENT, "0.19.1", state_block=80))


def test_context_ranks_share_a_request() -> None:
    # 4,096 tokens over 4 ranks: 64 blocks of 16; before 0.20.1 the print is multiplied instead
    assert per_request(setup(PLAIN, decode_context=2, prefill_context=2)) == 64
    assert per_request(setup(PLAIN, "0.28.0", decode_context=2, prefill_context=2)) == 128
    assert predicted(setup(PLAIN, "0.13.0", decode_context=4)).tokens == 4 * 32_768 * 16


def test_the_fullest_pipeline_stage_binds() -> None:
    # 4 layers over 3 stages: two on one of them
    assert predicted(setup(PLAIN, pipeline=3)).layout.bytes_per_block == 2 * 16 * 512
    with pytest.raises(UnpredictableError, match="stages"):
        predicted(setup(WINDOWED, pipeline=3))


# One request of 4,096 tokens: 256 blocks x 32,768 bytes; windowed: 528 blocks x 24,576 bytes since 0.19. To 0.13 the layers are
# added up: 3 x 256 + 6 x 136 blocks of 8,192 bytes.
@pytest.mark.parametrize(
    ("model", "version", "needed"),
    [
        (PLAIN, "0.10.2", 256 * 32_768),
        (PLAIN, "0.17.1", 256 * 32_768),
        (PLAIN, "0.25.1", 256 * 32_768),
        (WINDOWED, "0.25.1", 528 * 24_576),
        (WINDOWED, "0.13.0", (3 * 256 + 6 * 136) * 8192),
    ],
)
def test_the_memory_that_a_failed_start_names(model: dict[str, Any], version: str, needed: int) -> None:
    start = setup(model, version)
    assert needed_bytes(start, 2.0, candidates(start.version)[0]) == needed


def test_releases_that_name_the_need_of_one_group_only_prove_nothing() -> None:
    start = setup(WINDOWED, "0.17.1")
    with pytest.raises(UnpredictableError, match="first group"):
        needed_bytes(start, 2.0, candidates(start.version)[0])


@pytest.mark.parametrize(
    ("model", "changes", "reason"),
    [
        ({}, {}, "no model_type"),
        (LATENT, {"index_head_dim": 32}, "indexer"),
        (PLAIN, {"model_type": "some_new_type"}, "stands in no table"),
        (PLAIN, {"compress_ratios": [1, 4]}, "compress_ratios"),
        (WINDOWED, {"model_type": "llama4_text", "attention_chunk_size": 64, "layer_types": ["chunked_attention"] * 9}, "llama4"),
        (WINDOWED, {"model_type": "cohere2"}, "cohere2"),
        (
            RECURRENT,
            {"model_type": "lfm2", "layer_types": [FULL, "conv"] * 4, "full_attention_interval": None},
            "layers of lfm2",
        ),
        (RECURRENT, {"linear_num_key_heads": None}, "linear_num_key_heads"),
        (PLAIN, {"is_encoder_decoder": True}, "encoder"),
    ],
)
def test_what_cannot_be_predicted_says_why(model: dict[str, Any], changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnpredictableError) as caught:
        predicted(setup(model, model_changes=changes))
    assert reason in str(caught.value)
