"""From words to the engine, its flags and what they ask for."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.launch_command.asked import arguments_of, asked
from kvaudit.parsers.launch_command.emptiness import empty_arguments
from kvaudit.parsers.launch_command.facts import facts_of
from kvaudit.parsers.launch_command.finding import engine_command, from_image
from kvaudit.parsers.launch_command.numbers import number
from kvaudit.parsers.launch_command.options import LaunchCommand
from kvaudit.parsers.launch_command.shell import commands


def _command(text: str) -> LaunchCommand:
    found = engine_command(commands(text)[0].words)
    assert found is not None, text
    return found


def _asked(text: str) -> dict[str, Any]:
    return {one.field: one.value for one in asked(_command(text))}


@pytest.mark.parametrize(
    ("text", "engine", "model"),
    [
        ("vllm serve acme/a", "vllm", "acme/a"),
        ("/venv/bin/vllm serve --model acme/a --seed 1", "vllm", "acme/a"),
        ("python3 -u -m vllm.entrypoints.openai.api_server --model acme/a", "vllm", "acme/a"),
        ("python /venv/bin/vllm serve acme/a", "vllm", "acme/a"),
        ("python vllm/entrypoints/openai/api_server.py --model=acme/a", "vllm", "acme/a"),
        ("CUDA_VISIBLE_DEVICES=0 HF_HOME=/x nohup vllm serve acme/a", "vllm", "acme/a"),
        ("sudo -E env A=b numactl --membind=0 vllm serve acme/a", "vllm", "acme/a"),
        ("bash -lc 'source x; exec vllm serve acme/a --seed 3'", "vllm", "acme/a"),
        ("docker run --gpus all -v /m:/m vllm/vllm-openai:v0.25.1 --model acme/a", "vllm", "acme/a"),
        ("docker run --rm vllm/vllm-openai:v0.25.1 acme/a --seed 1", "vllm", "acme/a"),
        ("docker run --rm my/image vllm serve acme/a", "vllm", "acme/a"),
        ("python -m sglang.launch_server --model-path acme/a", "sglang", "acme/a"),
        ("srun -n1 python3 -m sglang.launch_server --model acme/a", "sglang", "acme/a"),
        ("mpirun -n 4 trtllm-llmapi-launch trtllm-serve serve acme/a --tp_size 4", "tensorrt_llm", "acme/a"),
        ("trtllm-serve acme/a", "tensorrt_llm", "acme/a"),
        ("./build/bin/llama-server -m /m/a.gguf -c 8192", "llama_cpp", "/m/a.gguf"),
        ("docker run ghcr.io/ggml-org/llama.cpp:server-cuda -m /m/a.gguf", "llama_cpp", "/m/a.gguf"),
        ("text-generation-launcher --model-id acme/a", "tgi", "acme/a"),
        ("lmdeploy serve api_server acme/a --tp 2", "lmdeploy", "acme/a"),
    ],
)
def test_the_engine_is_found_behind_its_wrappers(text: str, engine: str, model: str) -> None:
    assert _command(text).engine.name == engine
    assert _asked(text)["model.path"] == model


@pytest.mark.parametrize(
    "text",
    [
        "vllm bench serve --model acme/a",
        "vllm --version",
        "vllm serve --help",
        "echo vllm serve acme/a",
        "grep vllm serve log.txt",
        "python bench.py --engine vllm",
        "python -m vllm.benchmarks.serve",
        "docker pull vllm/vllm-openai:v0.25.1",
        "docker run --name vllm-openai busybox sleep 1",
        "curl http://host/v1/models",
        "pkill -f 'vllm serve'",
    ],
)
def test_other_commands_start_no_server(text: str) -> None:
    assert engine_command(commands(text)[0].words) is None


def test_vllm_flags_in_every_spelling() -> None:
    found = _asked(
        "vllm serve acme/a --tensor-parallel-size=2 --max_model_len 32k --no-enable-prefix-caching --kv-cache-dtype fp8_e4m3 "
        "--gpu-memory-utilization .85 --enforce-eager -q awq --attention-config.backend flashinfer --seed 0 "
        '--speculative-config \'{"method": "mtp", "num_speculative_tokens": 2}\' --kv-transfer-config {"kv_connector": "Nixl"}'
    )
    assert found == {
        "model.path": "acme/a",
        "parallel.tensor": 2,
        "model.max_len": 32_000,
        "kv_cache.prefix_caching": False,
        "kv_cache.dtype": "fp8_e4m3",
        "memory.utilization": 0.85,
        "graphs.enforce_eager": True,
        "model.quantization": "awq",
        "attention.backend": "FLASHINFER",
        "run.seed": 0,
        "speculative.method": "mtp",
        "speculative.tokens": 2,
        "kv_transfer.connector": "Nixl",
        "kv_cache.offload": "Nixl",
    }


def test_flags_of_the_other_engines() -> None:
    sglang = _asked("python -m sglang.launch_server --model-path a --tp 4 --disable-radix-cache --chunked-prefill-size -1")
    assert sglang == {"model.path": "a", "parallel.tensor": 4, "kv_cache.prefix_caching": False}
    llama = _asked("llama-server -m a.gguf -c 65536 -np 4 -ctk q8_0 -ctv q8_0 -fa on")
    assert (llama["model.max_len"], llama["scheduler.max_num_seqs"], llama["kv_cache.dtype"]) == (65536, 4, "q8_0")
    assert "kv_cache.dtype" not in _asked("llama-server -m a.gguf -ctk q8_0"), "the other half is the engine's to choose"
    assert "model.max_len" not in _asked("llama-server -m a.gguf -c 0"), "0 leaves it to the model"
    tensorrt = _asked("trtllm-serve a --max_batch_size 64 --kv_cache_free_gpu_memory_fraction 0.8")
    assert (tensorrt["scheduler.max_num_seqs"], tensorrt["memory.static_fraction"]) == (64, 0.8)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            'vllm serve a --kv-transfer-config \'{"kv_connector": "LMCacheConnectorV1", "kv_role": "kv_both"}\'',
            {"kv_transfer.connector": "LMCacheConnectorV1", "kv_transfer.role": "kv_both", "kv_cache.offload": "LMCache"},
        ),
        ("python -m sglang.launch_server --model-path a --enable-hierarchical-cache", {"kv_cache.offload": "HiCache"}),
        ("python -m sglang.launch_server --model-path a --enable-lmcache", {"kv_cache.offload": "LMCache"}),
        (
            "python -m sglang.launch_server --model-path a --disaggregation-mode prefill --disaggregation-transfer-backend nixl",
            {"kv_transfer.role": "prefill", "kv_transfer.connector": "nixl"},
        ),
        ("python -m sglang.launch_server --model-path a --disaggregation-transfer-backend nixl", {}),
    ],
)
def test_tiers_and_transfers(text: str, fields: dict[str, str]) -> None:
    assert _asked(text) == {"model.path": "a", **fields}


def test_an_open_variable_asks_for_nothing_and_the_last_flag_counts() -> None:
    found = _asked("vllm serve $MODEL --max-model-len ${LEN:-4096} --seed 1 --seed 2")
    assert found == {"run.seed": 2}


def test_the_arguments_as_the_engine_names_them() -> None:
    command = _command(
        "vllm serve acme/a -O3 --served-model-name x y --max-num-seqs 8 --enable-lora --attention-config.backend FA"
    )
    assert arguments_of(command) == {
        "model": "acme/a",
        "optimization_level": 3,
        "served_model_name": ["x", "y"],
        "max_num_seqs": 8,
        "enable_lora": True,
        "attention_config": {"backend": "FA"},
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("32k", 32_000),
        ("32K", 32_768),
        ("-1", -1),
        (".5", 0.5),
        ("1e5", None),
        ("", None),
        ("1_000", None),
        ("٣", None),
        ("9" * 30, None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("vllm serve acme/a --max-model-len --seed 1", [("--max-model-len", "has no value", "")]),
        (
            "vllm serve acme/a --tokenizer '' --seed=",
            [("--tokenizer", "has an empty value", ""), ("--seed", "has an empty value", "")],
        ),
        ("vllm serve acme/a --seed $SEED", [("--seed", "$SEED is not set, so its value is dropped", "SEED")]),
        ('vllm serve acme/a --seed "$SEED"', [("--seed", "$SEED is not set, so its value is empty", "SEED")]),
        ("vllm serve ''", [("the model", "is empty", "")]),
        ("vllm serve acme/a --seed ${SEED:-0} --api-key '' --enable-prefix-caching", []),
        ("vllm serve acme/a --served-model-name a b --port 8000", []),
    ],
)
def test_empty_arguments(text: str, found: list[tuple[str, str, str]]) -> None:
    assert [(one.flag, one.why, one.variable) for one in empty_arguments(_command(text))] == found


def test_an_image_starts_its_server_by_itself() -> None:
    words = commands("--model acme/a")[0].words
    found = from_image("vllm/vllm-openai:v0.25.1", words)
    assert found is not None
    assert found.engine.name == "vllm"
    assert from_image("nginx:1", words) is None
    assert from_image("vllm/vllm-openai:v0.25.1", []) is None


def test_facts_name_word_and_variable() -> None:
    def origin(word: Any) -> Origin:
        return Origin(file="start.sh", line=word.line, excerpt=word.text)

    found: dict[str, Fact] = {
        one.field: one for one in facts_of(_command("CUDA_VISIBLE_DEVICES=1,2 vllm serve acme/a --seed 7"), origin)
    }
    assert {one.stage for one in found.values()} == {"requested"}
    assert found["run.seed"].origins[0].excerpt == "7"
    assert found["clue.visible_devices"].value["devices"] == ["1", "2"]
    assert found["clue.launch_command"].value == {"engine": "vllm", "model": "acme/a", "service": None, "lines": [1, 1]}


@pytest.mark.parametrize(
    ("text", "network", "published"),
    [
        (
            "docker run -p 127.0.0.1:8000:8000 -p 9:9/udp --net=host vllm/vllm-openai:v0.25.1 --model acme/a",
            "host",
            ["127.0.0.1 8000"],
        ),
        ("sudo docker run --publish=8000:80 --network n vllm/vllm-openai:v0.25.1 --model acme/a", "n", [" 80"]),
        ("exec podman run -p8000:80 -P vllm/vllm-openai:v0.25.1 --model acme/a", None, [" 80", " "]),
        ("docker run -p $BIND:8000:8000 img sh -c 'vllm serve acme/a -p 1:2'", None, ["? 8000"]),
        ("docker run img vllm serve acme/a", None, []),
    ],
)
def test_where_docker_run_publishes_the_port(text: str, network: str | None, published: list[str]) -> None:
    facts = facts_of(_command(text), lambda word: Origin(file="start.sh", line=word.line, excerpt=""), "atlas.service")
    (value,) = [one.value for one in facts if one.field == "clue.container_address"]
    assert (value["service"], value["network"]) == ("atlas.service", network)
    assert [f"{port['address']} {port['target']}" for port in value["published"]] == published


@pytest.mark.parametrize("text", ["vllm serve acme/a", "docker exec c vllm serve acme/a", "apptainer run img vllm serve acme/a"])
def test_what_publishes_no_port_says_nothing_of_one(text: str) -> None:
    facts = facts_of(_command(text), lambda word: Origin(file="start.sh", line=word.line, excerpt=""))
    assert not [one for one in facts if one.field == "clue.container_address"]


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("VLLM_SERVER_DEV_MODE=1 vllm serve acme/a", True),
        ("docker run -e VLLM_SERVER_DEV_MODE=1 vllm/vllm-openai:v0.25.1 --model acme/a", True),
        ("VLLM_SERVER_DEV_MODE=0 vllm serve acme/a", False),
        ("VLLM_SERVER_DEV_MODE=$X vllm serve acme/a", False),
        ("VLLM_SERVER_DEV_MODE= vllm serve acme/a", False),
        ("VLLM_SERVER_DEV_MODE=1 python3 -m sglang.launch_server --model-path acme/a", False),
        ("vllm serve acme/a", False),
    ],
)
def test_the_developer_mode_of_vllm(text: str, on: bool) -> None:
    facts = facts_of(_command(text), lambda word: Origin(file="start.sh", line=word.line, excerpt=""))
    notices = [one.value for one in facts if one.field == "engine.notices"]
    assert [one["code"] for value in notices for one in value] == ["developer-mode"] * on
