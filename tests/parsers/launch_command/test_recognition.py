"""Which documents are launch commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.parsers.registry import all_hints, recognise
from kvaudit.redaction import Redactor
from kvaudit.sources.arm import collect

SCRIPT = """#!/usr/bin/env bash
#SBATCH --gres=gpu:2
set -euo pipefail
MODEL=acme/atlas-13b
PORT=8000
if [ "${1:-}" = small ]; then
  MODEL=acme/atlas-1b
fi
for attempt in 1 2 3; do
  curl -s "localhost:$PORT/health" && break
done
exec vllm serve "$MODEL" --port $PORT --max-model-len 8192
"""


def _kind(tmp_path: Path, text: str) -> str | None:
    path = tmp_path / "saved.txt"
    path.write_text(text, encoding="utf-8")
    (found,) = collect([str(path)], all_hints(), Redactor()).found
    assert found.source is not None
    parser = recognise(found.source)
    return parser.kind if parser else None


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve acme/atlas-13b --seed 1",
        "VLLM_BIND=0|31 OMP_NUM_THREADS=2 vllm serve acme/atlas-13b --seed 1\n",
        SCRIPT,
        "cd /opt/run\nexport HF_HOME=/data\nsource venv/bin/activate\npython -m sglang.launch_server --model-path a &\nwait\n",
        'vllm serve acme/a --speculative-config {"method": "mtp", "num_speculative_tokens": 1}',
        "docker run --gpus all vllm/vllm-openai:v0.25.1 --model acme/a\n",
    ],
    ids=["line", "joined", "script", "plain-script", "json", "docker"],
)
def test_commands_and_scripts(tmp_path: Path, text: str) -> None:
    assert _kind(tmp_path, text) == "launch-command"


@pytest.mark.parametrize(
    "text",
    [
        "# Atlas\n\nStart it with\n\n```bash\nvllm serve acme/atlas-13b\n```\n\nThen wait.\n",
        "Run vllm serve acme/atlas-13b and wait until it is up.\n",
        "import subprocess\nsubprocess.run(['vllm', 'serve', 'acme/a'])\n",
        'cmd = "vllm serve acme/a"\nprint(cmd)\n',
        "vllm bench serve --model acme/a --num-prompts 100\n",
        "#!/bin/sh\necho no server here\n",
        "$ vllm serve acme/a\nTraceback (most recent call last):\nValueError: no\n",
        "- vllm serve acme/a\n- wait\n",
        '{"command": "vllm serve acme/a"}',
        "services:\n  - vllm serve acme/a\n",
        "vllm serve acme/a\nthe server then answers on port 8000\n",
    ],
    ids=["readme", "prose", "python", "assignment", "bench", "none", "session", "list", "json", "yaml", "mixed"],
)
def test_documents_that_only_quote_a_command_are_none(tmp_path: Path, text: str) -> None:
    assert _kind(tmp_path, text) != "launch-command"


def test_a_variable_that_a_condition_may_change_stays_open(tmp_path: Path) -> None:
    from kvaudit.parsers.launch_command.recognition import launches

    (server,) = launches(SCRIPT)
    words = {word.text for word in server.words}
    assert "$MODEL" in words, "set twice, once under a condition"
    assert "8000" in words


def test_what_two_servers_ask_for_alike_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "start.sh"
    path.write_text(
        "vllm serve acme/a --seed 1 --port 1 &\nvllm serve acme/a --seed 1 --port 2 --max-num-seqs 8\n", encoding="utf-8"
    )
    (found,) = collect([str(path)], all_hints(), Redactor()).found
    assert found.source is not None
    parser = recognise(found.source)
    assert parser is not None
    reading = parser.read(found.source)
    facts = {one.field: one.value for one in reading.facts}
    assert (facts["model.path"], facts["run.seed"]) == ("acme/a", 1)
    assert "scheduler.max_num_seqs" not in facts
    assert "run.args" not in facts
    assert "2 servers" in reading.notes[0]
