"""Shared by all tests: the installed command, and a redactor."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kvaudit.redaction import Redactor

ROOT = Path(__file__).resolve().parent.parent
Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--installed", default=None, help="the kvaudit command to test; default: the one of this environment")


@pytest.fixture(scope="session")
def command(request: pytest.FixtureRequest) -> str:
    """Path of the installed `kvaudit`."""
    given = request.config.getoption("--installed")
    return str(Path(given).absolute() if given else Path(sys.executable).parent / "kvaudit")


@pytest.fixture
def run(command: str) -> Run:
    """Runs the installed command and returns the finished process, output as text."""

    def runner(*arguments: str, cwd: Path | None = None, stdin: str | None = None, **environment: str) -> Finished:
        import os

        return subprocess.run(
            [command, *arguments],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            check=False,
            env={**os.environ, **environment},
        )

    return runner


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()
