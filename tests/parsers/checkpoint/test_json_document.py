from __future__ import annotations

from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.json_document import DEEPEST, load


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "b": }', "line 2 column 7"),
        ('{"a": "cut', "line 1 column 7"),
        ('{"a": 1}\n}', "line 2 column 1"),
        ("[1, 2]", "not a JSON object"),
        ("", "line 1 column 1"),
        ('{"a": 1,\n"b": {"c": 1,\n"c": 2}}', 'line 3: the key "c" stands twice'),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": ["\\ud83d"]}', "surrogate"),
        ('{"\\uD83D": 1}', "surrogate"),
        ('{"a": ' + "9" * 5000 + "}", "not strict JSON"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
        ('{"a":' * (DEEPEST + 1) + "1" + "}" * (DEEPEST + 1), f"deeper than {DEEPEST}"),
    ],
)
def test_a_damaged_document_is_an_input_error_that_names_file_and_place(source_of: Any, text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"^x\.json: ") as caught:
        load(source_of(text, "x.json"))
    assert message in caught.value.message


def test_a_document_beyond_the_limit_is_refused(source_of: Any) -> None:
    with pytest.raises(InputError, match="larger than 1 MiB"):
        load(source_of('{"a": "' + "x" * (1 << 20) + '"}'), limit=1 << 20)


def test_a_document_too_large_to_be_kept_is_refused(source_of: Any) -> None:
    source = source_of("{}")
    source.data = None
    with pytest.raises(InputError, match="larger than 16 MiB"):
        load(source)


def test_nesting_up_to_the_limit_a_byte_order_mark_and_infinity_are_read(source_of: Any) -> None:
    assert load(source_of('{"a":' * DEEPEST + "1" + "}" * DEEPEST)).value
    assert load(source_of("\ufeff" + '{"limit": [0.0, Infinity, 1e999]}')).value == {"limit": [0.0, "Infinity", "1e999"]}


def test_whole_surrogate_pairs_are_read(source_of: Any) -> None:
    assert load(source_of('{"a": "\\ud83d\\ude00"}')).value == {"a": "\N{GRINNING FACE}"}


def test_an_excerpt_is_the_line_of_the_key_with_secrets_masked(source_of: Any) -> None:
    document = load(source_of('{\n  "a": 1,\n  "hf_token": "abcdefgh", "b": 2\n}', "dir/x.json"))
    origin = document.origins(["/b"], "reader")["/b"]
    assert (origin.file, origin.line, origin.pointer, origin.reader) == ("dir/x.json", 3, "/b", "reader")
    assert origin.excerpt == '"hf_token": "<secret-1>", "b": 2'


def test_an_excerpt_of_a_document_on_one_line_is_centred_on_the_key(source_of: Any) -> None:
    document = load(source_of('{"a": "' + "x" * 100_000 + '", "wanted": 5}'))
    excerpt = document.origins(["/wanted"], "reader")["/wanted"].excerpt
    assert '"wanted": 5' in excerpt
    assert len(excerpt) <= 200
