"""Headers of weights that somebody damaged: an error that names the file, or a reading; never anything else."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.header import SafetensorsHeader
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.gguf.parser import GgufHeader
from kvaudit.record.inspection.cache_shape import cache_shape
from kvaudit.redaction import Redactor
from kvaudit.sources.source import Source
from kvaudit.sources.weights import Form, form_of, header_source
from tests.model_files import ONE, Gguf, decoder, llama_gguf, safetensors

GGUF = llama_gguf().numbers("llama.rope", [1, 2, 3]).number("general.file_type", 15).build()
SAFETENSORS = safetensors(decoder(2, scale={"k_scale": ONE["F32"], "v_scale": ONE["F32"]}))


def source(data: bytes, form: Form) -> Source:
    found = header_source("weights", len(data), form, Redactor())
    found.ranges = lambda start, length: data[start : start + length]
    return found


def reading(data: bytes, form: Form) -> Reading | None:
    parser: Any = GgufHeader() if form == "gguf" else SafetensorsHeader()
    try:
        found: Reading = parser.read(source(data, form))
    except InputError as error:
        if error.path != "weights":
            raise AssertionError(f"an error of {error.path}") from error
        return None
    for fact in found.facts:
        if fact.field == "clue.checkpoint_config":
            cache_shape(fact.value, 1)
    return found


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """The data with some bytes replaced, and maybe cut off."""
    places = st.lists(st.tuples(st.integers(0, len(data) - 1), st.integers(0, 255)), max_size=8)

    def change(changes: list[tuple[int, int]], end: int) -> bytes:
        changed = bytearray(data)
        for place, value in changes:
            changed[place] = value
        return bytes(changed[:end])

    return st.builds(change, places, st.integers(16, len(data)))


@settings(max_examples=300, deadline=None)
@given(damaged(GGUF))
def test_a_damaged_gguf_header(data: bytes) -> None:
    reading(data, "gguf")


@settings(max_examples=300, deadline=None)
@given(damaged(SAFETENSORS))
def test_a_damaged_safetensors_header(data: bytes) -> None:
    reading(data, "safetensors")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["gguf", "safetensors"]))
def test_bytes_that_are_no_header(data: bytes, form: Form) -> None:
    reading((b"GGUF" if form == "gguf" else b"") + data, form)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["", "GGUF", "        "]), st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40))
def test_text_is_never_taken_for_weights(start: str, text: str) -> None:
    assert form_of(f'{start}{text}{{"a": 1}}'.encode()) is None


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text("abc._", min_size=1, max_size=8), st.integers(0, 2**32 - 1), max_size=12))
def test_what_was_written_is_read(pairs: dict[str, int]) -> None:
    built = Gguf().text("general.architecture", "llama")
    for key, value in pairs.items():
        built.number(f"llama.{key}", value)
    found = reading(built.build(), "gguf")
    assert found is not None
    stated = {fact.field: fact.value for fact in found.facts}
    assert stated["model.architecture"] == "llama"
    assert stated.get("model.layers") is None
