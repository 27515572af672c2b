"""Sources made of text, for the parsers of checkpoint files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.redaction import Redactor
from kvaudit.sources.source import HEAD_BYTES, Source

MakeSource = Callable[..., Source]


def make_source(content: Any, path: str = "model/config.json") -> Source:
    """A source that holds `content`: text as it is, anything else as indented JSON."""
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    data = text.encode()
    return Source(
        path=path,
        size=len(data),
        lines=text.count("\n") + 1,
        sha256=hashlib.sha256(data).hexdigest(),
        head=data[:HEAD_BYTES].decode("utf-8", "replace"),
        hits=[],
        redactor=Redactor(),
        data=data,
        folder="model",
    )


@pytest.fixture(scope="session")
def source_of() -> MakeSource:
    return make_source
