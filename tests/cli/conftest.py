"""The command line without a process of its own: arguments in, exit code and both streams out."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kvaudit.cli.main import main
from tests.conftest import ROOT


@dataclass(frozen=True)
class Result:
    """What a call left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Result]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs `kvaudit` with these arguments; `cwd` and `stdin` as named."""

    def caller(*arguments: str | Path, cwd: Path = ROOT, stdin: bytes | None = None) -> Result:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["kvaudit", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "100")
        monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, out, err)

    return caller


@pytest.fixture
def bad() -> Path:
    """The headline pair: arm b keeps FP8 that nobody asked for."""
    return ROOT / "fixtures" / "demo" / "bad"


@pytest.fixture
def good() -> Path:
    """Two starts of one command."""
    return ROOT / "fixtures" / "demo" / "good"
