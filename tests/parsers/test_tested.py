"""A version newer than those whose formats were read is said in a note."""

from __future__ import annotations

import pytest

from kvaudit.parsers.tables import fact
from kvaudit.parsers.tested import NEWEST, newer_notes
from kvaudit.record.engine_table import engine_table


@pytest.mark.parametrize(
    ("engine", "version", "newer"),
    [
        ("vllm", "0.33.0", False),
        ("vllm", "0.33.1", True),
        ("vllm", "0.34.0rc1.dev3+g7d9", True),
        ("vllm", "v0.9.2", False),
        ("tensorrt_llm", "1.3.0rc4", False),
        ("tensorrt_llm", "1.4.0rc1", True),
        ("llama_cpp", "11549 (0ab12cd3e)", False),
        ("llama_cpp", "11600 (0ab12cd3e)", True),
        ("tgi", "3.3.7", False),
        ("ollama", "0.30.4", False),
        ("ollama", "0.31.0", True),
        ("lmdeploy", "0.18.0", True),
        ("vllm", "no version", False),
        ("vllm", "9" * 40, False),
    ],
)
def test_newer(engine: str, version: str, newer: bool) -> None:
    notes = list(newer_notes(engine, [fact("engine.version", version, "observed", [])] * 2))
    assert len(notes) == newer
    assert all(version in note and NEWEST[engine][1] in note for note in notes)


@pytest.mark.parametrize("engine", sorted(NEWEST))
def test_the_engine_tables_are_read_from_releases_that_the_parsers_know(engine: str) -> None:
    newest = engine_table(engine).get("newest")
    assert newest is None or not list(newer_notes(engine, [fact("engine.version", newest, "observed", [])]))
