from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.config import ConfigJson
from kvaudit.parsers.facts import Fact

CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "torch_dtype": "bfloat16",
    "hidden_size": 2048,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "quantization_config": {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}},
        "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False, "strategy": "tensor", "symmetric": True},
    },
}


def facts_of(source_of: Any, config: Any) -> dict[str, Fact]:
    found = ConfigJson().read(source_of(config)).facts
    assert len({fact.field for fact in found}) == len(found)
    return {fact.field: fact for fact in found}


def values(source_of: Any, config: Any) -> dict[str, Any]:
    return {name: fact.value for name, fact in facts_of(source_of, config).items() if not name.startswith("clue.")}


def test_everything_a_configuration_states_with_its_line_and_pointer(source_of: Any) -> None:
    source = source_of(CONFIG)
    found = facts_of(source_of, CONFIG)
    lines = (source.text() or "").split("\n")
    wanted = {
        "model.architecture": ("LlamaForCausalLM", ["/architectures"]),
        "model.dtype": ("bfloat16", ["/torch_dtype"]),
        "model.layers": (16, ["/num_hidden_layers"]),
        "model.kv_heads": (8, ["/num_key_value_heads"]),
        "model.head_dim": (64, ["/hidden_size", "/num_attention_heads"]),
        "model.quantization": ("compressed-tensors", ["/quantization_config/quant_method"]),
        "model.weight_format": ("fp8-channel", ["/quantization_config/config_groups"]),
        "kv_cache.scheme": ("fp8", ["/quantization_config/kv_cache_scheme"]),
    }
    for name, (value, pointers) in wanted.items():
        fact = found[name]
        assert (fact.stage, fact.value) == ("stated", value)
        assert [origin.pointer for origin in fact.origins] == pointers
        for origin, pointer in zip(fact.origins, pointers, strict=True):
            assert origin.line is not None
            key = pointer.rpartition("/")[2]
            assert f'"{key}"' in lines[origin.line - 1]
            assert origin.excerpt == lines[origin.line - 1].strip()
            assert (origin.file, origin.reader) == ("model/config.json", "checkpoint:config")
    assert found["model.head_dim"].how == "hidden_size // num_attention_heads"


def test_the_hash_is_that_of_the_file_and_the_clues_carry_what_inference_needs(source_of: Any) -> None:
    source, found = source_of(CONFIG), facts_of(source_of, CONFIG)
    assert found["model.hash"].value == source.sha256
    assert found["model.hash"].origins[0].line is None
    assert found["clue.checkpoint_path"].value == "model"
    assert found["clue.raw_configuration"].value == {"config.json": CONFIG}
    geometry = found["clue.checkpoint_config"].value
    assert (geometry["architecture"], geometry["attention"], geometry["head_dim"]) == ("LlamaForCausalLM", "plain", 64)
    assert found["clue.checkpoint_quantization"].value == {
        "file": "config.json",
        "method": "compressed-tensors",
        "method_from": "quant_method",
        "quant_algo": None,
        "producer": "",
        "producer_version": "",
        "has_block": True,
        "kv": "fp8",
        "kv_key": "kv_cache_scheme",
        "kv_raw": '{"dynamic": false, "num_bits": 8, "strategy": "tensor", "symmetric": true, "type": "float"}',
        "kv_dynamic": False,
        "kv_strategy": "tensor",
        "kv_symmetric": True,
        "kv_num_bits": 8,
        "kv_type": "float",
        "nested": False,
        "nested_in": None,
        "format": None,
        "quantized_layers": False,
    }


def test_a_large_configuration_is_read_without_its_raw_form(source_of: Any) -> None:
    found = facts_of(source_of, CONFIG | {"padding": "x" * (1 << 20)})
    assert found["model.layers"].value == 16
    assert "clue.raw_configuration" not in found


def test_no_block_states_none_for_this_file_and_says_so(source_of: Any) -> None:
    found = facts_of(source_of, {key: value for key, value in CONFIG.items() if key != "quantization_config"})
    assert found["model.quantization"].value == found["kv_cache.scheme"].value == "none"
    assert found["kv_cache.scheme"].how == "no quantization block in this file"
    assert (found["kv_cache.scheme"].origins[0].line, found["kv_cache.scheme"].origins[0].pointer) == (1, "")
    assert found["clue.checkpoint_quantization"].value["has_block"] is False
    assert not {"model.weight_format", "kv_cache.scheme_detail"} & set(found)


def test_the_decoder_of_a_multimodal_configuration_is_read(source_of: Any) -> None:
    text = {key: value for key, value in CONFIG.items() if key not in ("architectures", "quantization_config", "torch_dtype")}
    block = CONFIG["quantization_config"] | {"kv_cache_scheme": None}
    config = {
        "architectures": ["SomeVlForConditionalGeneration"],
        "model_type": "some_vl",
        "vision_config": {"num_hidden_layers": 27, "hidden_size": 1152},
        "text_config": text | {"dtype": "torch.float16", "quantization_config": block},
    }
    found = facts_of(source_of, config)
    assert found["model.layers"].origins[0].pointer == "/text_config/num_hidden_layers"
    assert found["model.dtype"].value == "float16"
    assert found["kv_cache.scheme"].value == "none"
    assert found["kv_cache.scheme"].origins[0].pointer == "/text_config/quantization_config/kv_cache_scheme"
    assert found["clue.checkpoint_quantization"].value["nested"] is True
    assert found["clue.checkpoint_quantization"].value["nested_in"] == "text_config"
    assert found["clue.checkpoint_config"].value["text_key"] == "text_config"


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"architectures": []}, "model.architecture", None),
        ({"architectures": None}, "model.architecture", None),
        ({"architectures": ["no name\u202e"]}, "model.architecture", None),
        ({"torch_dtype": None}, "model.dtype", None),
        ({"torch_dtype": "auto"}, "model.dtype", None),
        ({"torch_dtype": {"": "bfloat16"}}, "model.dtype", None),
        ({"dtype": "float16"}, "model.dtype", "float16"),
        ({"num_hidden_layers": "16"}, "model.layers", None),
        ({"num_hidden_layers": True}, "model.layers", None),
        ({"num_hidden_layers": -1}, "model.layers", None),
        ({"num_hidden_layers": 10**30}, "model.layers", None),
        ({"num_hidden_layers": None, "layers_block_type": ["mamba", "attention", "moe"]}, "model.layers", 3),
        ({"num_key_value_heads": None}, "model.kv_heads", 32),
        ({"num_key_value_heads": None, "model_type": "mistral"}, "model.kv_heads", None),
        ({"num_key_value_heads": "8"}, "model.kv_heads", None),
        ({"num_key_value_heads": None, "num_attention_groups": 4}, "model.kv_heads", 4),
        ({"head_dim": 128}, "model.head_dim", 128),
        ({"head_dim": 0}, "model.head_dim", 64),
        ({"model_type": "qwen3"}, "model.head_dim", None),
        ({"model_type": "never-heard-of"}, "model.head_dim", None),
        ({"hidden_size": 2049}, "model.head_dim", None),
        ({"kv_lora_rank": 512}, "model.head_dim", None),
        ({"kv_lora_rank": 512, "head_dim": 64}, "model.head_dim", 64),
        ({"quantization_config": {}}, "model.quantization", "none"),
        ({"quantization_config": "fp8"}, "model.quantization", "none"),
        ({"quantization_config": {"bits": 4}}, "model.quantization", None),
        ({"expert_dtype": "fp4", "quantization_config": {"quant_method": "fp8"}}, "model.weight_format", "fp4+fp8"),
    ],
)
def test_what_is_not_stated_soundly_is_not_stated(source_of: Any, changes: dict[str, Any], field: str, value: Any) -> None:
    assert values(source_of, CONFIG | changes).get(field) == value


@pytest.mark.parametrize(
    ("changes", "kv_heads"),
    [
        ({"multi_query": True, "new_decoder_architecture": False, "num_kv_heads": 71}, 1),
        ({"multi_query": True, "new_decoder_architecture": True, "num_kv_heads": 8}, 8),
    ],
)
def test_falcon_states_its_kv_heads_in_two_ways(source_of: Any, changes: dict[str, Any], kv_heads: int) -> None:
    config = {key: value for key, value in CONFIG.items() if key != "num_key_value_heads"} | {"model_type": "falcon"}
    assert values(source_of, config | changes)["model.kv_heads"] == kv_heads


@pytest.mark.parametrize(("groups", "kv_heads"), [([4, 4], 8), ([4, 8], None)])
def test_nas_layers_must_agree_on_their_heads(source_of: Any, groups: list[int], kv_heads: int | None) -> None:
    blocks: list[Any] = [{"attention": {"n_heads_in_group": group, "no_op": False}} for group in groups]
    blocks.append({"attention": {"n_heads_in_group": None, "no_op": True}})
    config = CONFIG | {"model_type": "nemotron-nas", "num_key_value_heads": None, "num_hidden_layers": 3, "block_configs": blocks}
    assert values(source_of, config).get("model.kv_heads") == kv_heads


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([None, 0, 1, 4, "\t"]), st.booleans(), st.integers(0, 3))
def test_lines_follow_the_formatting_of_the_file(source_of: Any, indent: int | str | None, sort_keys: bool, blank: int) -> None:
    text = "\n" * blank + json.dumps(CONFIG, indent=indent, sort_keys=sort_keys)
    lines = text.split("\n")
    for fact in ConfigJson().read(source_of(text)).facts:
        for origin in fact.origins:
            if origin.pointer:
                assert origin.line is not None
                assert f'"{origin.pointer.rpartition("/")[2]}"' in lines[origin.line - 1]
                assert origin.excerpt.strip("…") in lines[origin.line - 1].replace("\t", "")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    "architectures",
    "attn_type_list",
    "block_configs",
    "compression_config",
    "head_dim",
    "hidden_size",
    "hybrid_override_pattern",
    "layer_types",
    "num_attention_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "quantization_config",
    "sliding_window",
    "sliding_window_pattern",
    "text_config",
    "torch_dtype",
]
BLOCK_KEYS = [
    "bits",
    "config_groups",
    "export",
    "group_size",
    "kv_cache_quant_algo",
    "kv_cache_quant_config",
    "kv_cache_quant_targets",
    "kv_cache_scheme",
    "layer_quant_config",
    "producer",
    "quant_algo",
    "quant_method",
    "quant_type",
    "quantization",
    "quantized_layers",
    "weight_block_size",
]
METHODS = st.sampled_from(["fp8", "awq", "gptq", "quark", "torchao", "modelopt", "compressed-tensors", "bitsandbytes", "hqq"])


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=4),
    st.dictionaries(st.sampled_from(BLOCK_KEYS), ANYTHING, max_size=4),
    METHODS,
)
def test_values_of_any_type_anywhere_neither_crash_nor_leave_a_wrong_type(
    source_of: Any, top: dict[str, Any], block: dict[str, Any], method: str
) -> None:
    config = copy.deepcopy(CONFIG) | {"quantization_config": {"quant_method": method} | block} | top
    types = {"model.layers": int, "model.kv_heads": int, "model.head_dim": int, "kv_cache.scheme_detail": dict}
    try:
        facts = ConfigJson().read(source_of(config)).facts
    except InputError:
        pytest.fail("the document is sound")
    for fact in facts:
        if not fact.field.startswith("clue."):
            assert type(fact.value) is types.get(fact.field, str)
