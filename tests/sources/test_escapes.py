from __future__ import annotations

import json

import pytest

from kvaudit.sources.escapes import without_half_pairs


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('"a\\ud800b"', '"a\\ufffdb"'),
        ('"a\\uDFFFb\\ud83d"', '"a\\ufffdb\\ufffd"'),
        ('"\\ud83d\\ude00"', '"\\ud83d\\ude00"'),
        ('"\\\\ud800"', '"\\\\ud800"'),
        ('"\\ud7ff\\ue000 \\u00e9"', '"\\ud7ff\\ue000 \\u00e9"'),
        ("plain", "plain"),
    ],
)
def test_only_halves_are_replaced_and_offsets_stay(text: str, whole: str) -> None:
    assert without_half_pairs(text) == whole
    assert len(whole) == len(text)


def test_what_is_left_can_be_encoded() -> None:
    text = '{"\\ud800": ["\\udc00\\ud800", "\\ud83d\\ude00"]}'
    assert json.dumps(json.loads(without_half_pairs(text)), ensure_ascii=False).encode()
