from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.gguf.parser import GgufHeader
from kvaudit.redaction import Redactor
from kvaudit.sources.source import Source
from kvaudit.sources.weights import weights_source
from tests.model_files import Gguf, llama_gguf


def source(tmp_path: Path, data: bytes) -> Source:
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    found = weights_source(path, "model.gguf", Redactor())
    assert found is not None
    return found


def read(tmp_path: Path, built: Gguf) -> Reading:
    return GgufHeader().read(source(tmp_path, built.build()))


def values(reading: Reading) -> dict[str, Any]:
    return {fact.field: fact.value for fact in reading.facts}


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_header_states_architecture_shape_and_weight_format(tmp_path: Path, order: str) -> None:
    found = values(read(tmp_path, llama_gguf(order=order).number("general.file_type", 15)))
    assert found["model.architecture"] == "llama"
    assert (found["model.layers"], found["model.kv_heads"], found["model.head_dim"]) == (4, 2, 64)
    assert (found["model.quantization"], found["model.weight_format"]) == ("Q4_K - Medium", "q4_k_m")
    assert found["kv_cache.scheme"] == "none"
    shape = found["clue.checkpoint_config"]
    assert (shape["attention"], shape["layers"], shape["kv_heads"], shape["head_dim"]) == ("plain", 4, 2, 64)
    assert shape["max_position_embeddings"] == 8192


def test_each_statement_names_its_key(tmp_path: Path) -> None:
    facts = {fact.field: fact for fact in read(tmp_path, llama_gguf()).facts}
    (origin, *_) = facts["model.kv_heads"].origins
    assert (origin.pointer, origin.line) == ("/llama.attention.head_count_kv", None)
    assert origin.excerpt == "llama.attention.head_count_kv = 2"
    assert facts["model.head_dim"].how == "embedding_length // head_count"


def test_a_stated_head_size_is_never_computed(tmp_path: Path) -> None:
    found = values(read(tmp_path, llama_gguf().number("llama.attention.key_length", 128)))
    assert found["model.head_dim"] == 128
    assert found["clue.checkpoint_config"]["value_head_dim"] is None


def test_sixteen_bits_are_not_quantized_and_unknown_numbers_say_nothing(tmp_path: Path) -> None:
    assert values(read(tmp_path, llama_gguf().number("general.file_type", 1)))["model.quantization"] == "none"
    assert values(read(tmp_path, llama_gguf().number("general.file_type", 1024 + 7)))["model.quantization"] == "Q8_0"
    assert "model.quantization" not in values(read(tmp_path, llama_gguf().number("general.file_type", 77)))


@pytest.mark.parametrize(
    ("change", "attention"),
    [
        (lambda built: built.number("llama.attention.sliding_window", 512), "sliding"),
        (lambda built: built.number("llama.ssm.state_size", 128), "hybrid"),
        (lambda built: built.number("llama.attention.kv_lora_rank", 512), "unknown"),
    ],
)
def test_what_is_not_plain_is_not_taken_for_plain(tmp_path: Path, change: Any, attention: str) -> None:
    assert values(read(tmp_path, change(llama_gguf())))["clue.checkpoint_config"]["attention"] == attention


def test_an_architecture_in_no_table_is_unknown(tmp_path: Path) -> None:
    shape = values(read(tmp_path, llama_gguf("atlas9")))["clue.checkpoint_config"]
    assert (shape["attention"], shape["why"]) == ("unknown", "the architecture 'atlas9' stands in no table")


def test_layers_without_kv_heads_keep_nothing(tmp_path: Path) -> None:
    built = Gguf().text("general.architecture", "lfm2").number("lfm2.block_count", 4).number("lfm2.attention.head_count", 8)
    built.number("lfm2.embedding_length", 512).numbers("lfm2.attention.head_count_kv", [0, 2, 0, 2])
    shape = values(read(tmp_path, built))["clue.checkpoint_config"]
    assert (shape["attention"], shape["kv_heads"]) == ("hybrid", 2)
    assert shape["layer_types"] == ["no_attention", "full_attention"] * 2


def test_layers_that_differ_in_their_heads_have_no_one_number(tmp_path: Path) -> None:
    built = Gguf().text("general.architecture", "llama").number("llama.block_count", 2).number("llama.attention.head_count", 8)
    found = values(read(tmp_path, built.numbers("llama.attention.head_count_kv", [2, 4])))
    assert "model.kv_heads" not in found
    assert found["clue.checkpoint_config"]["kv_heads_per_layer"] == [2, 4]


@pytest.mark.parametrize(
    ("built", "note"),
    [
        (Gguf().number("split.no", 1).number("split.count", 3), "part 2 of 3"),
        (Gguf().text("general.architecture", "clip"), "no language model"),
        (Gguf().text("general.architecture", "llama").text("general.type", "adapter"), "no language model"),
        (Gguf().text("general.name", "kestrel"), "names no architecture"),
    ],
)
def test_files_that_state_nothing_about_a_model_say_why(tmp_path: Path, built: Gguf, note: str) -> None:
    reading = read(tmp_path, built)
    assert reading.facts == []
    assert note in " ".join(reading.notes)


def test_a_long_tokenizer_is_passed_over(tmp_path: Path) -> None:
    built = llama_gguf().texts("tokenizer.ggml.merges", ["ab cd"] * 120_000).number("general.file_type", 7)
    assert values(read(tmp_path, built))["model.quantization"] == "Q8_0"


def test_values_beyond_a_limit_are_passed_over(tmp_path: Path) -> None:
    built = llama_gguf()
    for number in range(600):
        built.numbers(f"atlas.{number}", [1] * 4096)
    found = values(read(tmp_path, built.number("general.file_type", 7)))
    assert found["model.layers"] == 4
    assert "model.quantization" not in found


def _array(kind: int, length: int, body: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, length) + body


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Gguf(count=1 << 60).build(), "key-value pairs, more than it can hold"),
        (Gguf(tensors=1 << 60).build(), "tensors, more than the file can hold"),
        (Gguf(version=1).build(), "GGUF version 1 is not read"),
        (Gguf(version=9).build(), "GGUF version 9 is not read"),
        (Gguf().text("a", "x").text("a", "y").build(), "holds the key 'a' twice"),
        (Gguf().raw("a", 8, struct.pack("<Q", 1 << 62)).build(), "claims a text of"),
        (Gguf().raw("a", 9, _array(4, 1 << 62)).build(), "claims an array of"),
        (Gguf().raw("a", 9, _array(4, 1_000_000)).build(), "claims bytes up to"),
        (Gguf().raw("a", 9, _array(8, 1_000_000)).build(), "claims bytes up to"),
        (Gguf().raw("a", 9, _array(9, 1, _array(9, 1, _array(9, 1, _array(4, 0))))).build(), "nests arrays deeper"),
        (Gguf().raw("a", 99, b"").build(), "unknown type 99"),
        (Gguf(count=3).text("a", "x").build(padding=20), "claims bytes up to"),
        (b"GGUF" + struct.pack("<I", 3), "claims bytes up to"),
    ],
)
def test_a_header_that_claims_what_cannot_be_is_an_error_that_names_the_file(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=r"model\.gguf") as caught:
        GgufHeader().read(source(tmp_path, data))
    assert message in str(caught.value)
