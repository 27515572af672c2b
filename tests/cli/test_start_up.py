"""What a short run loads: modules that the evidence does not reach stay on disk, because loading them is most of its time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

GOOD = ROOT / "fixtures" / "demo" / "good"
_CODE = (
    "import sys, json, atexit\n"
    "sys.argv = ['kvaudit', *json.loads(sys.argv[1])]\n"
    "atexit.register(lambda: print('\\nMODULES', json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
    "from kvaudit.cli.main import main\n"
    "main()\n"
)
NEVER = (
    "pydantic",
    "yaml",
    "deepdiff",
    "jsonschema",
    "huggingface_hub",
    "hyperscan",
    "scipy",
    "numpy",
    "rich.console",
    "tarfile",
)


def loaded(*arguments: str) -> list[str]:
    """The modules that a call has loaded at its end."""
    command = [sys.executable, "-c", _CODE, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env={**os.environ, "NO_COLOR": "1"})
    modules: list[str] = json.loads(done.stderr.rpartition("MODULES ")[2])
    return modules


@pytest.mark.parametrize(
    "arguments", [("diff", "a/server.log", "a/server.log"), ("check", "a/server.log"), ("record", "a/server.log")]
)
def test_logs_alone_load_no_parser_of_documents(arguments: tuple[str, ...]) -> None:
    modules = loaded(
        arguments[0], *(str(GOOD / one) for one in arguments[1:]), *(["--isolated"] if arguments[0] != "record" else [])
    )
    assert "kvaudit.parsers.vllm.document" in modules
    assert [one for one in modules if one.startswith(NEVER)] == []
    others = (
        "checkpoint.catalogue",
        "snapshots",
        "services",
        "endpoints",
        "metrics",
        "results.catalogue",
        "sglang",
        "llama_cpp",
        "tgi",
    )
    assert [one for one in modules if one.startswith(tuple(f"kvaudit.parsers.{name}" for name in others))] == []
    assert [
        one for one in modules if one.startswith(("kvaudit.results.gate", "kvaudit.record.services", "kvaudit.capture"))
    ] == []


def test_a_document_loads_its_parsers(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 2}))
    assert "kvaudit.parsers.checkpoint.catalogue" in loaded("record", str(config))
