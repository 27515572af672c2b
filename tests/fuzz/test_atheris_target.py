"""The opt-in target works on an input, and says what it needs where atheris is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import atheris_target
from tests.fuzz.seeds import seeds


def test_a_sound_document_is_no_fault(tmp_path: Path) -> None:
    seed = next(one for one in seeds() if one.name == "server.log")
    atheris_target.one_input(atheris_target.input_of(seed), tmp_path)
    assert (tmp_path / "server.log").read_bytes() == seed.data
    atheris_target.one_input(b"", tmp_path)


def test_without_atheris_nothing_is_fuzzed_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(atheris_target, "import_module", absent)
    assert atheris_target.main() == 2
    assert "pip install atheris" in capsys.readouterr().err
