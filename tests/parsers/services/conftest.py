"""Documents from text through the whole way: written, scanned, recognised, read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.registry import all_hints, recognise
from kvaudit.redaction import Redactor
from kvaudit.sources.arm import collect
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
Read = Callable[..., Reading]
Settings = Callable[..., dict[tuple[str, str], Any]]


@pytest.fixture
def make_source(tmp_path: Path) -> MakeSource:
    def make(text: str, name: str = "atlas.service") -> Source:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (found,) = collect([str(path)], all_hints(), Redactor()).found
        assert found.source is not None
        return found.source

    return make


@pytest.fixture
def read(make_source: MakeSource) -> Read:
    """Reads with the parser that the registry picks, which must be one of a service."""

    def run(text: str, name: str = "atlas.service") -> Reading:
        source = make_source(text, name)
        parser = recognise(source)
        assert parser is not None
        assert parser.kind == "service", parser.name
        return parser.read(source)

    return run


@pytest.fixture
def settings(read: Read) -> Settings:
    """The last text of each setting by service and key."""

    def run(text: str, name: str = "atlas.service") -> dict[tuple[str, str], Any]:
        clues = [one.value for one in read(text, name).facts if one.field == "clue.service_setting"]
        return {(one["service"], one["key"]): one["value"] for one in clues}

    return run
