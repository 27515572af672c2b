from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint.parameters import dense_parameters
from kvaudit.parsers.checkpoint.quantization import all_blocks
from kvaudit.parsers.checkpoint.shape import decoder_of

BASE: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "hidden_size": 100,
    "intermediate_size": 300,
    "vocab_size": 1000,
}


def counted(**changes: Any) -> int | None:
    return dense_parameters(decoder_of(BASE | changes))


def test_attention_mlp_embedding_and_output_are_counted() -> None:
    attention = 100 * 8 * 16 + 2 * 100 * 2 * 16 + 8 * 16 * 100
    assert counted() == 2 * (attention + 3 * 100 * 300) + 2 * 1000 * 100


def test_a_tied_output_matrix_is_counted_once() -> None:
    assert counted(tie_word_embeddings=True) == (counted() or 0) - 1000 * 100


@pytest.mark.parametrize("changes", [{"model_type": "mixtral"}, {"vocab_size": None}, {"num_key_value_heads": "x"}])
def test_other_families_and_missing_sizes_are_unknown(changes: dict[str, Any]) -> None:
    assert counted(**changes) is None


def test_the_parameters_of_a_decoder_inside_a_larger_model() -> None:
    assert dense_parameters(decoder_of({"model_type": "atlas", "text_config": BASE})) == counted()


def test_every_block_of_a_configuration_is_found_wherever_it_stands() -> None:
    root = {
        "quantization_config": {"quant_method": "fp8"},
        "text_config": {"quantization_config": {"quant_method": "modelopt"}},
        "drafter": {"model": {"compression_config": {"config_groups": {}, "format": "x"}}},
        "vision_config": {"quantization_config": {}},
    }
    found = [(block.path, block.method, block.nested) for block in all_blocks(root)]
    assert found == [
        (("quantization_config",), "fp8", False),
        (("text_config", "quantization_config"), "modelopt", True),
        (("drafter", "model", "compression_config"), "compressed-tensors", True),
    ]


@pytest.mark.parametrize(
    ("block", "source"),
    [
        ({"quant_method": "modelopt", "producer": {"name": "modelopt"}}, "quant_method"),
        ({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}, "quantization"),
        ({"producer": {"name": "modelopt"}, "quant_algo": "FP8"}, "producer"),
        ({"load_in_4bit": True}, "keys"),
    ],
)
def test_what_names_the_method_of_a_block(block: dict[str, Any], source: str) -> None:
    assert all_blocks({"quantization_config": block})[0].method_from == source
