from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint.hf_quant import HfQuantConfig
from kvaudit.parsers.checkpoint.kv_scheme import scheme_of
from kvaudit.parsers.checkpoint.quantization import block_of_config, block_of_file
from kvaudit.parsers.checkpoint.shape import decoder_of
from kvaudit.parsers.checkpoint.weight_format import weight_format
from kvaudit.parsers.facts import Fact

CT = {"quant_method": "compressed-tensors", "format": "float-quantized"}
MODELOPT = {"quant_method": "modelopt", "quant_algo": "NVFP4", "producer": {"name": "modelopt", "version": "0.45.0"}}
QUARK_OUTPUT = {"output_tensors": {"dtype": "fp8_e4m3", "qscheme": "per_tensor", "is_dynamic": False}}
QUARK = {
    "quant_method": "quark",
    "layer_quant_config": {"*k_proj": QUARK_OUTPUT, "*v_proj": QUARK_OUTPUT},
    "export": {"kv_cache_group": ["*k_proj", "*v_proj"]},
}


def scheme(**changes: Any) -> dict[str, Any]:
    return {"num_bits": 8, "type": "float", "strategy": "tensor", "symmetric": True, "dynamic": False} | changes


SCHEMES: list[tuple[dict[str, Any], str | None, str | None]] = [
    (CT | {"kv_cache_scheme": scheme()}, "fp8", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": scheme(strategy="attn_head")}, "fp8", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": scheme(type="int")}, "int8", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": scheme(type="int", num_bits=4)}, "other:int4", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": scheme(num_bits=4)}, "other:float4", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": scheme(num_bits=4, group_size=16)}, "nvfp4", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": None}, "none", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": {}}, "none", "kv_cache_scheme"),
    (CT, "none", None),
    (CT | {"kv_cache_scheme": {"quant_method": "higgs_dense_2bit"}}, "other:higgs_dense_2bit", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": {"a": 1}}, "other:unrecognised", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": 8}, "other:8", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": "\u202efp8"}, "other:unrecognised", "kv_cache_scheme"),
    (CT | {"kv_cache_scheme": "auto"}, None, "kv_cache_scheme"),
    ({"quant_method": "modelslim", "kv_cache_scheme": None}, "none", "kv_cache_scheme"),
    (MODELOPT | {"kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False}}, "fp8", "kv_cache_scheme"),
    (MODELOPT | {"kv_cache_scheme": {"num_bits": 4, "type": "float"}}, "nvfp4", "kv_cache_scheme"),
    (MODELOPT | {"kv_cache_scheme": "FP8"}, "fp8", "kv_cache_scheme"),
    (MODELOPT | {"kv_cache_quant_algo": "FP8"}, "fp8", "kv_cache_quant_algo"),
    (MODELOPT | {"kv_cache_quant_algo": "NVFP4"}, "nvfp4", "kv_cache_quant_algo"),
    (MODELOPT | {"kv_cache_quant_algo": "INT8"}, "int8", "kv_cache_quant_algo"),
    (MODELOPT | {"kv_cache_quant_algo": "NVFP4_AFFINE"}, "other:nvfp4_affine", "kv_cache_quant_algo"),
    (MODELOPT | {"kv_cache_quant_algo": None}, "none", "kv_cache_quant_algo"),
    (MODELOPT | {"kv_cache_scheme": None, "kv_cache_quant_algo": "FP8"}, "fp8", "kv_cache_quant_algo"),
    ({"quant_method": "fp8", "weight_block_size": [128, 128], "fmt": "e4m3"}, "none", None),
    ({"quant_method": "fp8", "activation_scheme": "static", "kv_cache_scheme": "static"}, "static-string", "kv_cache_scheme"),
    ({"quant_method": "fp8", "kv_cache_quant_targets": ["k_proj", "v_proj"]}, "fp8", "kv_cache_quant_targets"),
    ({"quant_method": "fp8", "kv_cache_quant_targets": []}, "none", None),
    (QUARK, "fp8", "export"),
    (QUARK | {"export": {"kv_cache_group": []}}, "none", None),
    (QUARK | {"export": {}}, "none", None),
    (QUARK | {"export": {}, "kv_cache_quant_config": {"*k_proj": QUARK_OUTPUT}}, "fp8", "kv_cache_quant_config"),
    (QUARK | {"layer_quant_config": {"*k_proj": QUARK_OUTPUT}}, "other:mixed", "export"),
    ({"quant_method": "hifp8", "kv_cache_dtype": "hifp8"}, "other:hifp8", "kv_cache_dtype"),
    ({"quant_method": "hifp8", "kv_cache_dtype": "auto"}, "none", None),
    ({"quant_method": "awq", "bits": 4, "group_size": 128}, "none", None),
    ({"quant_method": "mxfp4"}, "none", None),
]


@pytest.mark.parametrize(("body", "value", "key"), SCHEMES)
def test_what_a_block_states_about_kv(body: dict[str, Any], value: str | None, key: str | None) -> None:
    found = scheme_of(block_of_file(body))
    assert (found.value, found.key) == (value, key)


def test_two_keys_that_disagree_are_both_stated() -> None:
    found = scheme_of(block_of_file(MODELOPT | {"kv_cache_scheme": scheme(), "kv_cache_quant_algo": "NVFP4"}))
    assert (found.value, found.disagrees) == ("fp8", (("nvfp4", "kv_cache_quant_algo"),))


def ct_group(**weights: Any) -> dict[str, Any]:
    return CT | {"config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"} | weights}}}


FORMATS: list[tuple[dict[str, Any], str | None]] = [
    ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-block128"),
    ({"quant_method": "fp8", "weight_block_size": [1, 128]}, "fp8-block1x128"),
    ({"quant_method": "fp8", "activation_scheme": "static"}, "fp8"),
    ({"quant_method": "fp8", "weight_block_size": [128, 128], "store_dtype": "mxfp4"}, "mxfp4"),
    ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4-g128"),
    ({"w_bit": 4, "q_group_size": 64, "quant_method": "awq"}, "int4-g64"),
    ({"quant_method": "gptq", "bits": 8, "group_size": -1}, "int8"),
    ({"quant_method": "auto-round", "bits": 4, "group_size": 128, "data_type": "int"}, "int4-g128"),
    ({"quant_method": "auto-round", "bits": 4, "group_size": 32, "data_type": "mx_fp"}, None),
    ({"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64}}}, "int4-g64"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4"),
    ({"load_in_8bit": True}, "int8"),
    ({"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_data": {}}}}, "int8"),
    (
        {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int4WeightOnlyConfig", "_data": {"group_size": 32}}}},
        "int4-g32",
    ),
    ({"quant_method": "mxfp4"}, "mxfp4"),
    (QUARK | {"global_quant_config": {"weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}}}, "fp8"),
    (QUARK | {"global_quant_config": {"weight": {"dtype": "fp4", "group_size": 32}}}, "mxfp4"),
    (ct_group(strategy="group", group_size=32), "int4-g32"),
    (ct_group(strategy="channel"), "int4-channel"),
    (ct_group(num_bits=8, type="float", strategy="tensor"), "fp8"),
    (ct_group(num_bits=8, type="float", strategy="block", block_structure=[128, 128]), "fp8-block128"),
    (ct_group(type="float", strategy="tensor_group", group_size=16), "nvfp4"),
    (ct_group(type="float", strategy="group", group_size=32) | {"format": "mxfp4-pack-quantized"}, "mxfp4"),
    (ct_group(type="float", group_size=64), None),
    (ct_group(num_bits="4"), None),
    (CT, None),
    (MODELOPT, "nvfp4"),
    (MODELOPT | {"quant_algo": "FP8"}, "fp8"),
    (MODELOPT | {"quant_algo": "W4A16_AWQ", "group_size": 128}, "int4-g128"),
    (MODELOPT | {"quant_algo": "SOMETHING_NEW"}, None),
    (
        MODELOPT
        | {"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": {"quant_algo": "FP8"}, "b": {"quant_algo": "NVFP4"}}},
        "fp8+nvfp4",
    ),
    (
        MODELOPT | {"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": {"quant_algo": "FP8"}, "b": {"quant_algo": "X"}}},
        None,
    ),
]


@pytest.mark.parametrize(("body", "name"), FORMATS)
def test_the_weight_format_of_a_block(body: dict[str, Any], name: str | None) -> None:
    assert weight_format(block_of_file(body)) == name


def test_a_mixture_names_all_its_formats() -> None:
    groups = {
        "group_0": {"format": "float-quantized", "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}},
        "group_1": {"format": "nvfp4-pack-quantized", "weights": {"num_bits": 4, "type": "float", "group_size": 16}},
    }
    assert weight_format(block_of_file(CT | {"config_groups": groups})) == "fp8-channel+nvfp4"
    mixed = {"quant_method": "fp8", "weight_block_size": [128, 128], "quant_algo": "MIXED_PRECISION", "config_groups": groups}
    assert weight_format(block_of_file(mixed)) == "fp8-block128+fp8-channel+nvfp4"


@pytest.mark.parametrize(
    ("body", "method"),
    [
        ({"quant_method": "FP8"}, "fp8"),
        ({"quant_method": "compressed_tensors"}, "compressed-tensors"),
        ({"producer": {"name": "modelopt"}, "quant_algo": "FP8"}, "modelopt"),
        ({"quant_algo": "FP8"}, ""),
        ({"load_in_4bit": True}, "bitsandbytes"),
        ({"quant_method": ["fp8"], "producer": "modelopt"}, ""),
    ],
)
def test_the_method_as_engines_name_it(body: dict[str, Any], method: str) -> None:
    assert block_of_file(body).method == method


def test_the_first_block_of_a_configuration_speaks() -> None:
    top, old = {"quant_method": "fp8"}, ct_group(strategy="channel") | {"quant_method": None}
    text = {"hidden_size": 8, "quantization_config": {"quant_method": "awq"}}

    def first(config: dict[str, Any]) -> tuple[str, bool] | None:
        block = block_of_config(decoder_of(config))
        return (block.method, block.nested) if block else None

    assert first({"quantization_config": top, "compression_config": old, "text_config": text}) == ("fp8", False)
    assert first({"quantization_config": None, "compression_config": old, "text_config": text}) == ("compressed-tensors", False)
    assert first({"text_config": text}) == ("awq", True)
    assert first({"hidden_size": 8}) is None


def read_file(source_of: Any, document: dict[str, Any]) -> dict[str, Fact]:
    return {fact.field: fact for fact in HfQuantConfig().read(source_of(document, "hf_quant_config.json")).facts}


def test_a_modelopt_file_speaks_for_itself(source_of: Any) -> None:
    found = read_file(
        source_of,
        {
            "producer": {"name": "modelopt", "version": "0.45.0"},
            "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16},
        },
    )
    assert found["model.quantization"].value == "modelopt"
    assert found["model.quantization"].origins[0].pointer == "/producer"
    assert found["model.weight_format"].value == "nvfp4"
    scheme = found["kv_cache.scheme"]
    assert (scheme.value, scheme.origins[0].line, scheme.origins[0].pointer) == ("fp8", 8, "/quantization/kv_cache_quant_algo")
    assert scheme.origins[0].excerpt == '"kv_cache_quant_algo": "FP8",'
    assert scheme.origins[0].reader == "checkpoint:hf-quant"
    assert found["kv_cache.scheme_detail"].value == {
        "file": "hf_quant_config.json",
        "method": "modelopt",
        "producer": "modelopt",
    }
    clue = found["clue.checkpoint_quantization"].value
    assert (clue["kv"], clue["kv_raw"], clue["producer_version"]) == ("fp8", '"FP8"', "0.45.0")
    assert not {"model.hash", "model.architecture", "clue.checkpoint_config"} & set(found)


def test_a_file_without_a_producer_does_not_name_a_method(source_of: Any) -> None:
    found = read_file(source_of, {"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})
    assert "model.quantization" not in found
    assert (found["model.weight_format"].value, found["kv_cache.scheme"].value) == ("fp8", "fp8")
    assert found["clue.checkpoint_quantization"].value["producer"] == ""


def test_a_file_that_quantizes_kv_alone_says_nothing_of_the_weights(source_of: Any) -> None:
    producer = {"name": "modelopt", "version": "0.39.0"}
    found = read_file(source_of, {"producer": producer, "quantization": {"quant_algo": None, "kv_cache_quant_algo": "FP8"}})
    assert found["kv_cache.scheme"].value == "fp8"
    assert not {"model.quantization", "model.weight_format"} & set(found)


@pytest.mark.parametrize(
    ("document", "kind", "method"),
    [
        ({"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "producer": {"name": "modelopt"}}, "quant_cfg.json", "modelopt"),
        ({"bits": 4, "group_size": 128, "desc_act": False, "quant_method": "gptq"}, "quantize_config.json", "gptq"),
    ],
)
def test_the_relatives_of_the_modelopt_file(source_of: Any, document: dict[str, Any], kind: str, method: str) -> None:
    found = read_file(source_of, document)
    assert (found["kv_cache.scheme_detail"].value["file"], found["model.quantization"].value) == (kind, method)
