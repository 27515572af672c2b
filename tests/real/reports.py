"""What the tests of real engines ask of kvaudit: capture, check, diff."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.conftest import Run
from tests.real.servers import ENGINE_SIDE, Running


def capture(command: str, server: Running, output: Path, *more: str) -> None:
    """Capture a server, or a window around a command."""
    arguments = ["--url", server.url, "--log", str(server.log), "--output", str(output)]
    done = subprocess.run([command, "capture", *arguments, *more], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def capture_load(command: str, server: Running, output: Path, kind: str, count: int) -> None:
    """Capture around a small load: `warm` prompts are all the same, `cold` ones all new."""
    load = [sys.executable, str(ENGINE_SIDE / "load.py"), server.url, "tiny", str(count), kind]
    capture(command, server, output, "--around", "--", *load)


def report(run: Run, *arguments: str) -> dict[str, Any]:
    """The report of `check` or `diff`."""
    done = run(*arguments, "--format", "json")
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    assert document["exit_code"] == done.returncode, done.stderr
    return document


def fired(document: dict[str, Any]) -> set[str]:
    """The rules that fired."""
    return {finding["rule"] for finding in document["findings"] if finding["state"] == "fired"}


def values(document: dict[str, Any], arm: int = 0) -> dict[str, Any]:
    """The values of an arm's known fields."""
    return {name: field["value"] for name, field in document["arms"][arm]["fields"].items() if field["state"] == "known"}


def ignored(document: dict[str, Any], arm: int = 0) -> list[str]:
    """The files of an arm that no parser took."""
    return [source["path"] for source in document["arms"][arm]["sources"] if source["kind"] == "ignored"]
