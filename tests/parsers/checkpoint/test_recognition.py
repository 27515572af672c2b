from __future__ import annotations

from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.config import ConfigJson
from kvaudit.parsers.checkpoint.generation import GenerationConfig
from kvaudit.parsers.checkpoint.hf_quant import HfQuantConfig
from kvaudit.parsers.checkpoint.index import SafetensorsIndex
from kvaudit.parsers.interface import Parser

PARSERS: dict[str, Parser] = {
    "config": ConfigJson(),
    "hf-quant": HfQuantConfig(),
    "generation": GenerationConfig(),
    "index": SafetensorsIndex(),
}

CONFIG = {"architectures": ["LlamaForCausalLM"], "hidden_size": 64}
RECOGNISED: list[tuple[str, Any]] = [
    ("config", CONFIG),
    ("config", {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2}),
    ("config", {"architectures": ["X"], "text_config": {}, "eos_token_id": 1}),
    ("config", {"quantization_config": {"ignore": ["x" * 80_000]}, **CONFIG}),
    ("hf-quant", {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}),
    ("hf-quant", {"quantization": {"kv_cache_quant_algo": None}}),
    ("hf-quant", {"quant_algo": "NVFP4", "group_size": 16, "kv_cache_quant_algo": "FP8"}),
    ("hf-quant", {"bits": 4, "group_size": 128, "desc_act": False, "model_name_or_path": None}),
    ("hf-quant", {"w_bit": 4, "q_group_size": 128, "zero_point": True, "version": "GEMM"}),
    ("hf-quant", {"quant_method": "compressed-tensors", "config_groups": {}}),
    ("generation", {"temperature": 0.6, "top_p": 0.95, "do_sample": True}),
    ("generation", {"bos_token_id": 1, "eos_token_id": 2, "transformers_version": "4.57.0"}),
    ("index", {"metadata": {"total_size": 5}, "weight_map": {}}),
    ("index", {"weight_map": {"model.norm.weight": "model.safetensors"}}),
]
OTHERS: list[Any] = [
    {},
    [],
    [CONFIG],
    {"config": CONFIG},
    {"document": "record", "version": 0, "fields": {}, "architectures": ["X"], "hidden_size": 1},
    {"document": "report", "version": 0, "arms": []},
    {"architectures": ["X"], "exists": True},
    {"model_type": "qwen2_moe", "error": None},
    {"model": "some/model", "temperature": 0.7, "top_p": 0.8, "max_tokens": 100},
    {"quantization": "fp8", "model": "some/model", "total_token_throughput": 3.5},
    {"quant_method": "awq", "group_size": 128, "throughput": 1.0, "latency": 2.0, "model": "m"},
    {"architecture": "LlamaForCausalLM", "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}},
    {"outputs": ["x" * 80_000], "weight_map": {}},
    {"bos_token": "<s>", "eos_token": "</s>"},
    {"tokenizer_class": "X", "model_max_length": 4096, "eos_token_id": 2, "added_tokens_decoder": {}},
    {"date": "x", "backend": "vllm", "request_rate": "inf", "num_prompts": 10},
    "GPU 0: something { not json",
    "",
]


@pytest.mark.parametrize(("wanted", "content"), RECOGNISED)
def test_exactly_one_parser_recognises_a_checkpoint_file(source_of: Any, wanted: str, content: Any) -> None:
    source = source_of(content, "named-otherwise.txt")
    assert [name for name, parser in PARSERS.items() if parser.recognises(source) > 0] == [wanted]


@pytest.mark.parametrize("content", OTHERS)
def test_no_parser_claims_another_document(source_of: Any, content: Any) -> None:
    source = source_of(content, "config.json")
    assert [name for name, parser in PARSERS.items() if parser.recognises(source) > 0] == []


@pytest.mark.parametrize(("wanted", "content"), RECOGNISED[:3] + RECOGNISED[4:5] + RECOGNISED[10:13])
def test_a_cut_file_is_still_recognised_and_then_refused(source_of: Any, wanted: str, content: Any) -> None:
    whole = source_of(content)
    source = source_of((whole.text() or "").rstrip().removesuffix("}"), "cut.json")
    parser = PARSERS[wanted]
    assert parser.recognises(source) > 0
    with pytest.raises(InputError, match=r"^cut\.json: damaged JSON, line"):
        parser.read(source)


@pytest.mark.parametrize("parser", PARSERS.values())
def test_the_parsers_keep_the_protocol(parser: Parser) -> None:
    assert parser.kind == "checkpoint"
    assert parser.name.startswith("checkpoint:")
    assert parser.hints == parser.periodic_hints == ()
