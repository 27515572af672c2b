"""Whether a document is JSON is asked by every engine's recogniser, and answered by one parse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers import quoting
from kvaudit.parsers.registry import log_parsers, recognise
from tests.sources.reading import source_of


@pytest.mark.parametrize(
    ("text", "is_json", "keys"),
    [
        ('{"a": 1, "b": {"c": 2}}', True, {"a", "b"}),
        (' [{"a": 1}]', True, set()),
        ("{}", True, set()),
        ('{"a": 1', False, set()),
        ('{"a": 1} and more', False, set()),
        ("[" * 100_000, False, set()),
        ("INFO a log", False, set()),
    ],
)
def test_what_a_document_is_as_json(text: str, is_json: bool, keys: set[str], tmp_path: Path) -> None:
    source = source_of(tmp_path, text.encode())
    assert (quoting.is_json(source), set(quoting.json_keys(source))) == (is_json, keys)


def test_a_document_is_parsed_once_however_many_recognisers_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(tmp_path, json.dumps({"metadata": {"guidellm_version": "0.5"}, "rows": [1] * 1000}).encode())
    parsed: list[int] = []

    def counting(text: str) -> Any:
        parsed.append(len(text))
        return json.loads(text)

    monkeypatch.setattr(quoting, "json", type("Counting", (), {"loads": staticmethod(counting)}))
    assert [parser.recognises(source) for parser in log_parsers()] == [0.0] * len(log_parsers())
    recognise(source)
    assert len(parsed) == 1
