from __future__ import annotations

import pytest

from kvaudit.parsers.checkpoint.keys import decoded_keys, second_of_a_key, upper_keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"a": {"b": {"c": 1}}, "d": [{"e": 1}], "f": "g"}', {"a": {"b"}, "d": set(), "f": set()}),
        ('{"a": "b\\": 1", "\\u0063": 2}', {"a": set(), "c": set()}),
        ('{"a": {"b": 1, "cut of', {"a": {"b"}}),
        ('{"a": 1} {"b": 1}', {"a": set()}),
        ("[1, 2]", {}),
        ('{"a"\n:\t1}', {"a": set()}),
        ("}]{", {}),
    ],
)
def test_the_upper_keys_of_whole_and_damaged_documents(text: str, keys: dict[str, set[str]]) -> None:
    assert upper_keys(text) == keys
    if "cut" not in text:
        assert decoded_keys(text) == keys


def test_the_decoder_reads_keys_up_to_the_first_damage() -> None:
    assert decoded_keys('{"a": {"b": 1}, "c": [1, "d": 2}') == {"a": {"b"}}
    assert decoded_keys('{"a": 1, "b": ' + "[" * 100_000) == {"a": set()}
    assert decoded_keys('{"a": 1,   ') == {"a": set()}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1,\n"b": {"a": 1},\n"a": 2}', ("a", 3)),
        ('{"a": [{"x": 1}, {"x": 2}]}', None),
        ('{"a": 1, "\\u0061": 2}', ("a", 1)),
    ],
)
def test_a_key_that_stands_twice_in_one_object_is_found(text: str, found: tuple[str, int] | None) -> None:
    assert second_of_a_key(text) == found


def test_many_unclosed_quotes_take_linear_time() -> None:
    assert upper_keys('{"a": ' + '\\"' * 200_000) == {"a": set()}
