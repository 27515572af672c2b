"""The command of a benchmark client: what was intended, nothing that is only a default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.parsers.results.files import reading_of, recognised_as, said

VLLM = (
    "vllm bench serve --model acme/atlas-8b --dataset-name random --random-input-len 1024 --random-output-len=128 "
    "--random-prefix-len 256 --num-prompts 400 --request-rate inf --max-concurrency 32 --seed 7 --ignore-eos --save-result "
    "--metadata dataset=random seed=1 --temperature 0.6"
)

COMMANDS: list[tuple[str, dict[str, Any]]] = [
    (
        VLLM,
        {
            "result.tool": "vllm-bench-serve",
            "result.model": "acme/atlas-8b",
            "result.dataset": "random",
            "result.input_length": 1_024,
            "result.output_length": 128,
            "result.prefix_length": 256,
            "result.requests": 400,
            "result.request_rate": "inf",
            "result.max_concurrency": 32,
            "result.seed": 7,
            "result.ignore_eos": True,
            "result.temperature": 0.6,
        },
    ),
    (
        "nohup python3 -m sglang.bench_serving --backend sglang --dataset-name generated-shared-prefix "
        "--gsp-system-prompt-len 2048 "
        "--gsp-question-len 128 --gsp-output-len 64 --num-prompts 64 --disable-ignore-eos --seed 3 &",
        {
            "result.tool": "sglang-bench-serving",
            "result.endpoint": "sglang",
            "result.dataset": "generated-shared-prefix",
            "result.prefix_length": 2_048,
            "result.input_length": 128,
            "result.output_length": 64,
            "result.requests": 64,
            "result.ignore_eos": False,
            "result.seed": 3,
        },
    ),
    (
        "docker exec bench python3 /opt/vllm/benchmarks/benchmark_serving.py --backend vllm --model acme/atlas-8b "
        '--dataset-name sharegpt --num-prompts 50 --extra-body \'{"max_tokens": 64, "top_p": 0.9}\'',
        {
            "result.tool": "vllm-bench-serve",
            "result.endpoint": "vllm",
            "result.model": "acme/atlas-8b",
            "result.dataset": "sharegpt",
            "result.requests": 50,
            "result.max_tokens": 64,
            "result.top_p": 0.9,
        },
    ),
    (
        "aiperf profile --model acme/atlas-8b --endpoint-type chat --streaming --concurrency 4 --request-count 64 "
        "--synthetic-input-tokens-mean 100 --output-tokens-mean 200 --random-seed 11 --extra-inputs ignore_eos:true",
        {
            "result.tool": "aiperf",
            "result.model": "acme/atlas-8b",
            "result.endpoint": "chat",
            "result.max_concurrency": 4,
            "result.requests": 64,
            "result.input_length": 100,
            "result.output_length": 200,
            "result.seed": 11,
            "result.ignore_eos": True,
        },
    ),
]


@pytest.mark.parametrize(("command", "wanted"), COMMANDS)
def test_what_a_command_asks_for(tmp_path: Path, command: str, wanted: dict[str, Any]) -> None:
    reading = reading_of(tmp_path, f"#!/bin/sh\n# the load\n{command}\n")
    assert said(reading) == wanted
    assert {one.stage for one in reading.facts} == {"requested"}
    assert {origin.line for one in reading.facts for origin in one.origins} == {3}


def test_a_loop_leaves_its_variable_open(tmp_path: Path) -> None:
    script = "SEED=9\nfor c in 1 4 16; do\n  vllm bench serve --seed $SEED --max-concurrency $c --num-prompts 10\ndone\n"
    found = said(reading_of(tmp_path, f"#!/bin/bash\n{script}"))
    assert found["result.seed"] == 9
    assert found["result.requests"] == 10
    assert "result.max_concurrency" not in found


def test_defaults_are_no_intention(tmp_path: Path) -> None:
    assert said(reading_of(tmp_path, "vllm bench serve --num-prompts 10\n")) == {
        "result.tool": "vllm-bench-serve",
        "result.requests": 10,
    }


def test_a_script_that_starts_the_server_too_is_the_servers_and_says_both(tmp_path: Path) -> None:
    script = f"#!/bin/sh\nvllm serve acme/atlas-8b --max-model-len 8192 &\n{VLLM}\n"
    reading = reading_of(tmp_path, script)
    assert reading.kind == "launch-command"
    found = said(reading)
    assert found["model.max_len"] == 8_192
    assert found["result.seed"] == 7


@pytest.mark.parametrize(
    "text",
    [
        "Run `vllm bench serve --num-prompts 10` and look.\n",
        "import os\nos.system('vllm bench serve')\n",
        "#!/bin/sh\nvllm bench serve --help\n",
        "#!/bin/sh\necho vllm bench serve --seed 3\n",
    ],
)
def test_a_text_that_mentions_a_client_is_no_command(tmp_path: Path, text: str) -> None:
    assert recognised_as(tmp_path, text) is None
