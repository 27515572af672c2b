from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.header import SafetensorsHeader
from kvaudit.parsers.facts import Fact
from kvaudit.redaction import Redactor
from kvaudit.sources.source import Source
from kvaudit.sources.weights import weights_source
from tests.model_files import ONE, decoder, safetensors, with_header

HALF = struct.pack("<f", 0.5)


def source(tmp_path: Path, data: bytes) -> Source:
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    found = weights_source(path, "model.safetensors", Redactor())
    assert found is not None
    return found


def clue(tmp_path: Path, data: bytes, name: str = "clue.kv_scales") -> Fact:
    (found,) = [fact for fact in SafetensorsHeader().read(source(tmp_path, data)).facts if fact.field == name]
    return found


def test_a_header_states_the_layers_with_scales_and_where_they_stand(tmp_path: Path) -> None:
    data = safetensors(decoder(3, scale={"k_scale": HALF, "v_scale": HALF}))
    fact = clue(tmp_path, data)
    layers = [f"model.layers.{number}" for number in range(3)]
    assert (fact.value["k"], fact.value["v"], fact.value["attention_layers"]) == (layers, layers, layers)
    assert (fact.value["whole"], fact.value["per_head"], fact.value["tensors"]) == (True, False, 2 + 3 * 5)
    assert [origin.pointer for origin in fact.origins] == [
        "/model.layers.0.self_attn.k_scale",
        "/model.layers.0.self_attn.v_scale",
    ]
    assert [origin.line for origin in fact.origins] == [None, None]
    assert "model.layers.0.self_attn.k_scale" in fact.origins[0].excerpt


@pytest.mark.parametrize("dtype", list(ONE))
def test_scales_that_all_equal_one_are_read_as_such(tmp_path: Path, dtype: str) -> None:
    scale = {"k_scale": ONE[dtype], "v_scale": ONE[dtype]}
    assert clue(tmp_path, safetensors(decoder(2, scale=scale, dtype=dtype))).value["ones"] is True


def test_one_other_value_is_enough_and_ends_the_reading(tmp_path: Path) -> None:
    tensors = decoder(200, scale={"k_scale": ONE["F32"], "v_scale": ONE["F32"]})
    tensors["model.layers.1.self_attn.k_scale"] = ("F32", [], HALF)
    found = source(tmp_path, safetensors(tensors))
    seen: list[int] = []
    read = found.ranges
    assert read is not None

    def counting(start: int, length: int) -> bytes:
        seen.append(length)
        return read(start, length)

    found.ranges = counting
    (fact,) = [fact for fact in SafetensorsHeader().read(found).facts if fact.field == "clue.kv_scales"]
    assert fact.value["ones"] is False
    assert seen[2:] == [4, 4, 4]


@pytest.mark.parametrize(
    ("dtype", "shape", "content"), [("I32", [1], b"\1\0\0\0"), ("F32", [2048], HALF * 2048), ("F32", [0], b"")]
)
def test_values_of_other_kinds_are_not_read(tmp_path: Path, dtype: str, shape: list[int], content: bytes) -> None:
    tensors = decoder(1) | {"model.layers.0.self_attn.k_scale": (dtype, shape, content)}
    assert clue(tmp_path, safetensors(tensors)).value["ones"] is None


def test_scales_of_each_head_are_told_from_one_scale(tmp_path: Path) -> None:
    tensors = decoder(1) | {"model.layers.0.self_attn.k_scale": ("F32", [2], HALF * 2)}
    assert clue(tmp_path, safetensors(tensors)).value["per_head"] is True


def test_a_shard_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    tensors = decoder(4)
    del tensors["model.embed_tokens.weight"]
    assert clue(tmp_path, safetensors(tensors)).value["whole"] is False
    gap = {name: tensor for name, tensor in decoder(4).items() if ".layers.2." not in name}
    assert clue(tmp_path, safetensors(gap)).value["whole"] is False


def test_elements_are_counted_by_type(tmp_path: Path) -> None:
    data = safetensors({"a.weight": ("BF16", [2, 3], bytes(12)), "b.weight": ("F8_E4M3", [4], bytes(4))})
    fact = clue(tmp_path, data, "clue.weights")
    assert fact.value == {"tensors": 2, "elements": {"BF16": 6, "F8_E4M3": 4}, "bytes": 16}


def _entry(**changes: Any) -> bytes:
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} | changes
    return with_header(json.dumps({"model.norm.weight": entry}).encode()) + bytes(4)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (struct.pack("<Q", 1 << 40) + b'{"a":1}', "claims 1,099,511,627,776 bytes, the file has 15"),
        (struct.pack("<Q", (1 << 64) - 1) + b'{"a":1}', "claims 18,446,744,073,709,551,615 bytes"),
        (with_header(b'{"a": {"dtype"'), "damaged JSON"),
        (with_header(b'{"a": 1, "a": 1}'), "stands twice"),
        (with_header(b'{"a": NaN}'), "NaN is no number"),
        (with_header(b'{"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"), "nested"),
        (with_header(b'{"a": 1}'), "describes 'a' in a way that no tensor has"),
        (_entry(dtype=None), "in a way that no tensor has"),
        (_entry(shape=["x"]), "in a way that no tensor has"),
        (_entry(data_offsets=[4, 0]), "in a way that no tensor has"),
        (_entry(data_offsets=[-1, 4]), "in a way that no tensor has"),
        (_entry(data_offsets=[0, 1 << 40]), "the file ends before the tensor"),
    ],
)
def test_a_header_that_lies_is_an_error_that_names_the_file(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=r"model\.safetensors") as caught:
        SafetensorsHeader().read(source(tmp_path, data))
    assert message in str(caught.value)


def test_a_header_of_two_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", 2 << 30) + b'{"a": 1}')
        stream.truncate(3 << 30)
    found = weights_source(path, "model.safetensors", Redactor())
    assert found is not None
    lengths: list[int] = []
    read: Callable[[int, int], bytes] | None = found.ranges
    assert read is not None

    def counting(start: int, length: int) -> bytes:
        lengths.append(length)
        return read(start, length)

    found.ranges = counting
    with pytest.raises(InputError, match="claims 2,147,483,648 bytes; no more than 25,000,000 are read"):
        SafetensorsHeader().read(found)
    assert lengths == [8]


@pytest.mark.parametrize(
    "data", [b'        {"model_type": "llama"}', b"GGUX" + bytes(20), b'{"a": 1}', b"", b"\x01\0\0\0\0\0\0\0[1]"]
)
def test_other_files_are_no_weights(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    assert weights_source(path, "model.safetensors", Redactor()) is None
