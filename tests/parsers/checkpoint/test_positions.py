from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.parsers.checkpoint.positions import places, pointer_of

TEXT = """{
  "a": 1, "b": {
    "c": [ {"c": 2} ],
    "x/y~z": "text with \\"a\\": and {",
    "d": {"e": null}
  },
  "e": {}
}
"""


@pytest.mark.parametrize(
    ("pointer", "line", "key"),
    [
        ("", 1, "{"),
        ("/a", 2, '"a"'),
        ("/b", 2, '"b"'),
        ("/b/c", 3, '"c"'),
        ("/b/c/0", 3, '{"c"'),
        ("/b/c/0/c", 3, '"c": 2'),
        ("/b/c/1", 3, '"c": ['),
        ("/b/x~1y~0z", 4, '"x/y~z"'),
        ("/b/d/e", 5, '"e"'),
        ("/e", 7, '"e"'),
        ("/e/missing", 7, '"e"'),
        ("/missing", 1, "{"),
    ],
)
def test_a_pointer_leads_to_the_line_and_offset_of_its_key(pointer: str, line: int, key: str) -> None:
    place = places(TEXT, {pointer})[pointer]
    assert place.line == line
    assert TEXT[place.start :].startswith(key)


def test_carriage_returns_and_leading_blank_lines_do_not_shift_lines() -> None:
    text = '\r\n\n {\r\n"a":\r\n1,\r"b":2}'
    found = places(text, {"", "/a", "/b"})
    assert [found[pointer].line for pointer in ("", "/a", "/b")] == [3, 4, 5]


def test_pointers_escape_what_json_pointers_must_escape() -> None:
    assert pointer_of("a/b", "c~d") == "/a~1b/c~0d"
    assert pointer_of() == ""


KEYS = st.text(alphabet='ab/~"\\{:,é\n', max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def object_pointers(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all keys that are reached through objects alone."""
    if not isinstance(value, dict):
        return []
    return [step for key, inner in value.items() for step in [(*path, key), *object_pointers(inner, (*path, key))]]


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=5), st.sampled_from([None, 0, 2]), st.sampled_from([",", " ,\n\n", ",\r\n"]))
def test_every_key_is_found_on_its_own_line_however_the_document_is_formatted(
    value: dict[str, Any], indent: int | None, comma: str
) -> None:
    text = json.dumps(value, indent=indent, separators=(comma, " : \n "))
    paths = object_pointers(value)
    found = places(text, {pointer_of(*path) for path in paths})
    for path in paths:
        place = found[pointer_of(*path)]
        assert text[place.start :].startswith(json.dumps(path[-1]))
        assert place.line == text[: place.start].count("\n") + 1
    assert len({place.start for place in found.values()}) == len(paths)
