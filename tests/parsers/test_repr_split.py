"""The splitter of reprs: values as typed, nesting, cut lines, and that nothing makes it raise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.parsers.repr_split import assignments, constant, mapping, namespace

SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=12)
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


def body_values(text: str) -> dict[str, Any]:
    return {key: value for key, (value, _) in assignments(text)[0].items()}


def test_a_dict_repr_comes_back_as_json_values() -> None:
    found, whole = mapping("{'model': 'a/b', 'n': 2, 'x': 0.5, 'on': True, 'off': None, 'list': ['a', 1], 't': (1, 2)}")
    assert whole
    assert found == {"model": "a/b", "n": 2, "x": 0.5, "on": True, "off": None, "list": ["a", 1], "t": [1, 2]}


def test_class_reprs_and_enums_are_kept_as_objects_and_names() -> None:
    found, whole = mapping(
        "{'kv': KVTransferConfig(kv_connector='LMCacheConnectorV1', extra={'a': 1}), "
        "'mode': <Mode.FULL: (2, 1)>, 'f': LoadFormat.AUTO}"
    )
    assert whole
    assert found["kv"] == {"_class": "KVTransferConfig", "kv_connector": "LMCacheConnectorV1", "extra": {"a": 1}}
    assert found["mode"] == "Mode.FULL"
    assert found["f"] == "LoadFormat.AUTO"


def test_quotes_and_brackets_inside_strings_do_not_split() -> None:
    found, whole = namespace("""Namespace(template="{'a': [1, 2]}, b=3", path='it\\'s (here)', last=None)""")
    assert whole
    assert found == {"template": "{'a': [1, 2]}, b=3", "path": "it's (here)", "last": None}


@pytest.mark.parametrize("cut", ["{'a': 1, 'b': 'tex", "{'a': 1, 'b': [1, 2", "{'a': 1, 'b", "{'a': 1, 'b': 12"])
def test_a_cut_value_is_dropped_and_what_stands_before_it_is_kept(cut: str) -> None:
    assert mapping(cut) == ({"a": 1}, False)


def test_an_engine_line_of_the_oldest_kind() -> None:
    text = "model='/m/a b', tokenizer=/m/a b, tokenizer_mode=slow, revision=None, dtype=torch.float16, max_seq_len=4096, seed=0)"
    found, whole = assignments(text)
    assert whole
    assert {key: value for key, (value, _) in found.items()} == {
        "model": "/m/a b",
        "tokenizer": "/m/a b",
        "tokenizer_mode": "slow",
        "revision": None,
        "dtype": "torch.float16",
        "max_seq_len": 4096,
        "seed": 0,
    }


def test_double_spaces_and_a_missing_comma_split_all_the_same() -> None:
    found = body_values(
        "kv_cache_dtype=auto,  device_config=cuda, chunked_prefill_enabled=True multi_step_stream_outputs=False, x=1, "
    )
    assert found == {
        "kv_cache_dtype": "auto",
        "device_config": "cuda",
        "chunked_prefill_enabled": True,
        "multi_step_stream_outputs": False,
        "x": 1,
    }


def test_places_point_at_the_keys() -> None:
    text = "model='m', quantization=None, seed=7, done=True"
    found, _ = assignments(text)
    assert {key: text[place:].split("=")[0] for key, (_, place) in found.items()} == {key: key for key in found}


def test_a_number_at_the_very_end_may_be_cut_and_is_dropped() -> None:
    assert assignments("enforce_eager=False, max_seq_len=40") == ({"enforce_eager": (False, 0)}, False)


def test_parentheses_in_plain_text_are_no_call() -> None:
    assert body_values("served_model_name=my model (v2), seed=1, done=True")["served_model_name"] == "my model (v2)"


@pytest.mark.parametrize(("text", "value"), [("null", None), ("-3", -3), ("1e3", 1000.0), ("007x", "007x"), ("<A.B: 1>", "A.B")])
def test_constants(text: str, value: object) -> None:
    assert constant(text) == value


def test_deep_nesting_is_a_cut_and_no_crash() -> None:
    assert mapping("{'a': 1, 'b': " + "[" * 5000 + "}") == ({"a": 1}, False)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=8), NESTED, max_size=5))
def test_any_dict_repr_is_read_back(values: dict[str, Any]) -> None:
    found, whole = mapping(repr(values))
    assert whole
    assert set(found) == set(values)
    assert json.dumps(found)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        NAMES, st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.lists(st.integers(), max_size=3), max_size=5
    )
)
def test_any_plain_namespace_is_read_back_exactly(values: dict[str, Any]) -> None:
    text = "Namespace(" + ", ".join(f"{key}={value!r}" for key, value in values.items()) + ")"
    assert namespace(text) == (values, True)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(NAMES, st.integers(0, 10**9) | st.text("abc", max_size=9), min_size=1, max_size=5), st.data())
def test_a_cut_never_invents_a_value(values: dict[str, Any], data: st.DataObject) -> None:
    text = repr(values)
    cut = text[: data.draw(st.integers(0, len(text)))]
    found, whole = mapping(cut)
    assert all(values[key] == value for key, value in found.items())
    assert whole == (cut == text)


@settings(max_examples=200, deadline=None)
@given(st.text("{}[]()<>'\"\\,:= abN1.", max_size=60))
def test_garbage_never_raises(text: str) -> None:
    mapping(text)
    namespace(text)
    assignments(text)
