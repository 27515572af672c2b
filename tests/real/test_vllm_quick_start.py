"""The README's quick start, run as it is written against a real vLLM: capture, check, benchmark, diff."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.real import checkpoints, servers

BEGIN, END = "<!-- quick start -->\n```console\n", "```\n<!-- /quick start -->"


def commands() -> list[str]:
    """The commands, continued lines joined, without their prompts and remarks."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text[text.index(BEGIN) + len(BEGIN) : text.index(END)].replace("\\\n", " ")
    return [line.removeprefix("$ ").partition("   #")[0] for line in block.splitlines()]


@pytest.fixture
def environment(vllm_environment: Path, command: str, tmp_path: Path) -> dict[str, str]:
    checkpoints.make_all(tmp_path / "models")
    path = f"{vllm_environment / 'bin'}:{Path(command).parent}:{os.environ['PATH']}"
    plain = {"MODEL": str(tmp_path / "models" / "plain"), "PATH": path, "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    return {**os.environ, **plain, "VLLM_CPU_KVCACHE_SPACE": "1", "OMP_NUM_THREADS": "2"}


def test_the_quick_start_works_as_written(environment: dict[str, str], tmp_path: Path) -> None:
    port = servers.free_port()
    start, wait, capture, check, measure, compare = (line.replace(":8000", f":{port}") for line in commands())
    assert " ".join(line.split()[1] for line in (capture, check, measure, compare)) == "capture check capture diff"
    start = start.replace("--host", f"--port {port} --host")
    server = subprocess.Popen(
        ["/bin/bash", "-c", f"exec {start.removesuffix('&')}"], cwd=tmp_path, env=environment, start_new_session=True
    )
    try:
        assert run(wait, tmp_path, environment, 420).returncode == 0
        assert run(capture, tmp_path, environment).returncode == 0
        checked = run(f"{check} --format json", tmp_path, environment)
        assert (checked.returncode, json.loads(checked.stdout)["verdict"]) == (0, "pass"), checked.stderr
        for name in ("run-a", "run-b"):
            measured = run(measure.replace("run-a", name), tmp_path, environment, 600)
            assert measured.returncode == 0, measured.stderr[-2000:]
            assert "Serving Benchmark Result" in measured.stdout
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    window = json.loads((tmp_path / "run-a" / "manifest.json").read_text(encoding="utf-8"))["around"]["window"]
    assert window["requests_of_others"] == 0
    compared = run(f"{compare} --format json", tmp_path, environment)
    fired = {finding["rule"] for finding in json.loads(compared.stdout)["findings"] if finding["state"] == "fired"}
    assert "prefix-hit-rates-differ" in fired, "the second run of the same prompts finds them all in the cache"


def run(line: str, folder: Path, environment: dict[str, str], seconds: int = 120) -> subprocess.CompletedProcess[str]:
    command = ["/bin/bash", "-c", line]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
