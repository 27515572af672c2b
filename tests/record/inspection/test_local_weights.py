"""Weights beside a checkpoint that a log names: read by their headers, and only where they can tell of KV scales."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.record.build import Options, read_arm
from kvaudit.record.local_checkpoint import find_checkpoint
from kvaudit.redaction import Redactor
from tests.model_files import CT_FP8, LLAMA, ONE, decoder, llama_gguf, safetensors, write_json

SCALES = {"k_scale": ONE["F32"], "v_scale": ONE["F32"]}
LOG = """\
INFO 08-14 09:00:01 [api_server.py:1] vLLM API server version 0.25.1
INFO 08-14 09:00:05 [core.py:2] Initializing a V1 LLM engine (v0.25.1) with config: model='{model}', speculative_config=None, \
tokenizer='{model}', revision=None, dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1, \
quantization=compressed-tensors, kv_cache_dtype=auto, enable_prefix_caching=True
INFO 08-14 09:00:20 [gpu_worker.py:3] Available KV cache memory: 4.00 GiB
INFO 08-14 09:00:21 [kv_cache_utils.py:4] GPU KV cache size: 4,194,304 tokens
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_json(tmp_path / "kestrel" / "config.json", LLAMA | {"quantization_config": CT_FP8})
    (tmp_path / "kestrel" / "model.safetensors").write_bytes(safetensors(decoder(4, scale=SCALES)))
    return tmp_path / "kestrel"


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_a_single_file_of_weights_is_found(folder: Path) -> None:
    assert names(find_checkpoint(str(folder), None, None)) == ["config.json", "model.safetensors"]


@pytest.mark.parametrize(
    ("tensor", "found"), [("model.layers.0.self_attn.k_scale", True), ("model.layers.0.mlp.weight_scale", False)]
)
def test_shards_are_only_read_where_the_index_lists_scales(folder: Path, tensor: str, found: bool) -> None:
    write_json(folder / "model.safetensors.index.json", {"weight_map": {tensor: "model.safetensors"}})
    assert ("model.safetensors" in names(find_checkpoint(str(folder), None, None))) is found


def test_a_gguf_file_that_a_log_names_is_found(tmp_path: Path) -> None:
    path = tmp_path / "kestrel.gguf"
    path.write_bytes(llama_gguf().build())
    assert find_checkpoint(str(path), None, None) == [path]
    assert find_checkpoint("kestrel.gguf", None, str(tmp_path)) == [path]
    assert find_checkpoint(str(tmp_path / "missing.gguf"), None, None) == []


def test_an_fp8_cache_with_scales_that_all_equal_one_runs_on_one(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text(LOG.format(model=folder), encoding="utf-8")
    record = read_arm([str(log)], Redactor(), Options())
    assert record.value("kv_cache.dtype") == "fp8"
    assert record.value("kv_cache.scales") == "default_1.0"
    assert "all equal to 1.0" in str(record.deciding("kv_cache.scales")[0].how)
    alone = read_arm([str(log)], Redactor(), Options(local_checkpoint=False))
    assert alone.state("kv_cache.scales") == "unknown"
