"""What is a vLLM log and what merely quotes one."""

from __future__ import annotations

import json

import pytest

from kvaudit.parsers.vllm.parser import VllmLog
from tests.parsers.vllm.logs import ENGINE_LINE, served, source_of, stamped

STATISTICS = stamped("Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs, GPU KV cache usage: 1.0%", "APIServer pid=1")


def confidence(text: str) -> float:
    return VllmLog().recognises(source_of(text, "anything.json"))


@pytest.mark.parametrize(
    "text",
    [
        served(100, 200),
        STATISTICS + "\n",
        "usage: vllm [-h]\nvllm: error: unrecognized arguments: --x\n",
        "INFO 05-01 12:00:00 llm_engine.py:72] Initializing an LLM engine with config: model='/m', seed=0)\n",
        '{"levelname": "INFO", "processName": "EngineCore", "process": 3, "message": "GPU KV cache size: 2,048 tokens"}\n',
        "Feb 22 06:55:47 host python3[16]: (APIServer pid=16) RuntimeError: Engine core initialization failed. See root cause.\n",
        "(EngineCore pid=3)     self.worker.load()\n(EngineCore pid=3)     ^^^^^^^^^^^^^^^^^^\n",
    ],
)
def test_logs_and_fragments_of_logs(text: str) -> None:
    assert confidence(text) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"notes": [stamped(ENGINE_LINE), STATISTICS]}),
        json.dumps([STATISTICS]),
        "# Serving\n\n```\nvllm serve x\n```\n\n## Log\n\n```\n" + STATISTICS + "\n```\n",
        "Namespace(subparser='bench', bench_type='serve')\n" + stamped("Starting initial single prompt test run...") + "\n",
        "hello\nworld\n",
        "[2026-05-01 12:00:00] server_args=ServerArgs(model_path='x')\n",
        "",
    ],
)
def test_documents_that_only_quote_logs(text: str) -> None:
    assert confidence(text) == 0.0
