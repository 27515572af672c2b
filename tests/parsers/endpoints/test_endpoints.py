"""Answers of endpoints: which engine and form a document is, what each key becomes, and at which stage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputErrors
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from tests.capture import fake_engines
from tests.capture.fake_engines import GIB, TOKENS_8, TOKENS_16, Fake

LINE = (
    "model='/srv/models/atlas-1b', speculative_config=None, revision=None, dtype=torch.bfloat16, max_seq_len=8192, "
    "tensor_parallel_size=2, pipeline_parallel_size=1, data_parallel_size=1, quantization=compressed-tensors, "
    "enforce_eager=False, kv_cache_dtype=fp8_e4m3, device_config=cuda, seed=0, enable_prefix_caching=True, "
    "enable_chunked_prefill=True"
)


def arm(path: Path, document: Any) -> Record:
    file = path / "answer.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return read_arm([str(file)], Redactor())


def answer(fake: Fake, path: str) -> Any:
    return json.loads(fake.routes[path][1])


def stages(record: Record, name: str) -> list[tuple[Any, str]]:
    return [(fact.value, fact.stage) for fact in record.facts(name)]


def test_server_info_of_vllm_as_objects(tmp_path: Path) -> None:
    record = arm(tmp_path, fake_engines.vllm_info("/srv/models/atlas-1b", TOKENS_16))
    expected = {
        "engine.name": "vllm",
        "model.path": "/srv/models/atlas-1b",
        "model.dtype": "bfloat16",
        "model.quantization": "none",
        "model.max_len": 8192,
        "kv_cache.tokens": TOKENS_16,
        "kv_cache.blocks": TOKENS_16 // 16,
        "kv_cache.memory_gib": 1.0,
        "kv_cache.prefix_caching": True,
        "scheduler.max_num_seqs": 128,
        "scheduler.max_num_batched_tokens": 2048,
        "scheduler.chunked_prefill": True,
        "parallel.tensor": 1,
        "speculative.method": "none",
        "graphs.mode": "FULL_AND_PIECEWISE",
        "graphs.capture_max": 512,
    }
    assert {name: record.value(name) for name in expected} == expected
    assert stages(record, "kv_cache.dtype") == [("auto", "requested")]
    origin = record.facts("scheduler.max_num_seqs")[0].origins[0]
    assert origin.pointer == "/vllm_config/scheduler_config/max_num_seqs"
    assert '"max_num_seqs": 128' in origin.excerpt
    assert record.state("engine.platform") == "unknown", "CUDA and ROCm both print cuda"


@pytest.mark.parametrize(("typed", "stages_then"), [("", []), (" --kv-cache-dtype fp8", ["requested", "requested"])])
def test_an_fp8_type_in_server_info_counts_as_asked_for_only_where_a_launch_says_so(
    tmp_path: Path, typed: str, stages_then: list[str]
) -> None:
    """The API server rewrites `auto` for ModelOpt checkpoints before it copies; nobody asked for that."""
    info = fake_engines.vllm_info("/srv/models/atlas-1b", TOKENS_8)
    info["vllm_config"]["cache_config"]["cache_dtype"] = "fp8"
    (tmp_path / "server_info.json").write_text(json.dumps(info), encoding="utf-8")
    (tmp_path / "launch.sh").write_text(f"#!/bin/sh\nexec vllm serve /srv/models/atlas-1b{typed}\n", encoding="utf-8")
    record = read_arm([str(tmp_path)], Redactor())
    assert [stage for _, stage in stages(record, "kv_cache.dtype")] == stages_then


def test_server_info_of_vllm_as_the_engine_lines_text(tmp_path: Path) -> None:
    record = arm(tmp_path, {"vllm_config": LINE})
    assert record.value("parallel.tensor") == 2
    assert record.value("model.quantization") == "compressed-tensors"
    assert stages(record, "kv_cache.dtype") == [("fp8_e4m3", "requested")]
    assert record.state("kv_cache.dtype") == "unknown", "repeated: typed, or rewritten for the checkpoint"


def test_what_is_new_at_every_start_is_no_difference(tmp_path: Path) -> None:
    from kvaudit.audit.raw import other_differences

    arms = []
    for port in (29501, 31777):
        info = fake_engines.vllm_info("/srv/models/atlas-1b", TOKENS_16)
        info["vllm_config"]["parallel_config"]["master_port"] = port
        info["vllm_config"]["quant_config"] = f"<vllm.Config object at 0x{port:x}>"
        arms.append(arm(tmp_path, info))
    assert other_differences(*arms) == []


def test_server_info_of_sglang(tmp_path: Path) -> None:
    record = arm(tmp_path, answer(fake_engines.sglang(), "/server_info"))
    expected = {
        "engine.name": "sglang",
        "engine.version": "0.5.9",
        "model.path": "/srv/models/atlas-1b",
        "kv_cache.dtype": "fp8_e4m3",
        "kv_cache.tokens": TOKENS_8,
        "kv_cache.memory_gib": 1.0,
        "kv_cache.prefix_caching": True,
        "kv_cache.block_size": 1,
        "parallel.tensor": 1,
        "memory.static_fraction": 0.85,
        "attention.backend": "flashinfer",
    }
    assert {name: record.value(name) for name in expected} == expected
    assert "internal_states" not in record.value("run.args")


@pytest.mark.parametrize(
    ("version", "state"), [("0.5.2", "unknown"), ("0.5.3", "known"), ("0.5.15", "known"), ("0.5.16", "unknown")]
)
def test_only_some_releases_of_sglang_write_the_type_back(tmp_path: Path, version: str, state: str) -> None:
    record = arm(tmp_path, answer(fake_engines.sglang(version=version), "/server_info"))
    assert record.state("kv_cache.dtype") == state


def test_sglang_whose_workers_say_auto_is_unknown(tmp_path: Path) -> None:
    record = arm(tmp_path, answer(fake_engines.sglang(settled="auto"), "/server_info"))
    assert record.state("kv_cache.dtype") == "unknown"


def test_props_and_slots_of_llama_cpp(tmp_path: Path) -> None:
    fake = fake_engines.llama_cpp(slots=4, length=2048)
    props = arm(tmp_path, answer(fake, "/props"))
    expected: dict[str, Any] = {"engine.name": "llama_cpp", "engine.version": "11434 (515e85511)", "model.path": "atlas.gguf"}
    expected |= {"model.quantization": "none", "scheduler.max_num_seqs": 4, "model.max_len": 2048}
    assert {name: props.value(name) for name in expected} == expected
    assert props.state("kv_cache.dtype") == "unknown", "no endpoint of llama.cpp says it"
    slots = arm(tmp_path, answer(fake, "/slots"))
    assert (slots.value("scheduler.max_num_seqs"), slots.value("model.max_len")) == (4, 2048)


@pytest.mark.parametrize("build", ["b0-unknown", "", None, "b12-xyz"])
def test_a_build_that_names_no_commit_is_no_version(tmp_path: Path, build: str | None) -> None:
    props = answer(fake_engines.llama_cpp(), "/props")
    props["build_info"] = build
    assert arm(tmp_path, props).state("engine.version") == "unknown"


def test_models_of_vllm_name_path_and_length(tmp_path: Path) -> None:
    record = arm(tmp_path, answer(fake_engines.vllm(), "/v1/models"))
    assert record.value("engine.name") == "vllm"
    assert record.value("model.path") == "/srv/models/atlas-1b"
    assert record.value("model.max_len") == 8192


def test_adapters_are_noted_and_several_names_decide_nothing(tmp_path: Path) -> None:
    models = answer(fake_engines.vllm(), "/v1/models")
    adapter = {**models["data"][0], "id": "atlas-sql", "parent": "atlas", "root": "/srv/adapters/sql"}
    record = arm(tmp_path, {**models, "data": [models["data"][0], adapter]})
    assert record.value("model.path") == "/srv/models/atlas-1b"
    assert "1 adapters" in record.sources[0].notes[0]
    alias = {**models["data"][0], "id": "atlas-fast"}
    assert arm(tmp_path, {**models, "data": [models["data"][0], alias]}).value("model.path") == "/srv/models/atlas-1b"
    other = {**models["data"][0], "id": "other", "root": "/srv/models/other"}
    assert arm(tmp_path, {**models, "data": [models["data"][0], other]}).state("model.path") == "unknown"


def test_a_bare_version_names_no_engine(tmp_path: Path) -> None:
    record = arm(tmp_path, {"version": "0.32.0"})
    assert record.value("engine.version") == "0.32.0"
    assert record.state("engine.name") == "unknown"


@pytest.mark.parametrize("document", [{"version": "latest"}, {"version": "1.0", "name": "x"}, {"version": 1}])
def test_other_documents_with_a_version_are_none(tmp_path: Path, document: Any) -> None:
    with pytest.raises(InputErrors, match="not recognised"):
        arm(tmp_path, document)


def manifest(**more: Any) -> dict[str, Any]:
    return {"document": "capture", "version": 1, "engine": {"name": "sglang", "version": None}, "missing": [], **more}


def test_the_manifest_names_the_engine_and_what_is_missing(tmp_path: Path) -> None:
    missing = [{"what": "log", "why": "none was given", "remedy": "give --log"}]
    record = arm(tmp_path, manifest(missing=missing, packages={"sglang": "0.5.9", "torch": "2.9.1"}))
    assert record.value("engine.name") == "sglang"
    assert stages(record, "engine.version") == [("0.5.9", "inferred")]
    assert record.sources[0].notes == ["missing: log: none was given"]


def test_packages_and_variables_that_differ_are_listed(tmp_path: Path) -> None:
    from kvaudit.audit.raw import other_differences

    arms = [
        arm(
            tmp_path,
            manifest(packages={"torch": torch}, process={"environment": {"OMP_NUM_THREADS": threads, "HF_TOKEN": token}}),
        )
        for torch, threads, token in (("2.9.1", "2", "<secret-1>"), ("2.10.0", "8", "<secret-2>"))
    ]
    found = {(one.source, one.pointer): one.values for one in other_differences(*arms)}
    assert found == {("packages", "/torch"): ("2.9.1", "2.10.0"), ("environment", "/OMP_NUM_THREADS"): ("2", "8")}


def test_processes_of_the_servers_family_are_its_own(tmp_path: Path) -> None:
    """The log of a container prints ids that mean nothing on the host; the capture saw the family from there."""
    family = [{"pid": 41000, "parent": 1, "name": "vllm"}, {"pid": 41207, "parent": 41000, "name": "VLLM::EngineCor"}]
    processes = [
        {"pid": 41207, "type": "C", "mib": 61000, "name": "VLLM::EngineCore"},
        {"pid": 52001, "type": "C", "mib": 9000, "name": "/opt/other/bin/trainer"},
    ]
    gpu = {
        "index": 0,
        "name": "NVIDIA H100 80GB HBM3",
        "memory_total_mib": 81559,
        "memory_used_mib": 70030,
        "processes": processes,
    }
    written = {
        "manifest.json": manifest(engine={"name": "vllm"}, process={"pid": 41000, "processes": family}),
        "nvml.json": {"document": "nvml-snapshot", "version": 1, "driver": "580.95.05", "gpus": [gpu]},
    }
    for name, document in written.items():
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    record = read_arm([str(tmp_path)], Redactor())
    assert {one["pid"]: one["class"] for one in record.value("gpu.tenants")} == {41207: "own", 52001: "foreign"}


def test_a_manifest_of_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputErrors, match="another document version"):
        arm(tmp_path, manifest(version=2))


HOSTILE: tuple[Any, ...] = (None, [], {"a": {}}, -1, "\ud83d", 10**30, True)


@pytest.mark.parametrize("turn", range(0, len(HOSTILE), 2))
@pytest.mark.parametrize(
    "document",
    [
        answer(fake_engines.vllm(), "/v1/models"),
        answer(fake_engines.vllm(), "/server_info?config_format=json"),
        answer(fake_engines.sglang(), "/server_info"),
        answer(fake_engines.llama_cpp(), "/props"),
        answer(fake_engines.llama_cpp(slots=2), "/slots"),
        manifest(packages={"sglang": "0.5.9"}),
        {
            "document": "checkpoint-header",
            "version": 1,
            "form": "gguf",
            "bytes": 64,
            "ranges": [{"start": 0, "base64": "R0dVRg=="}],
        },
        {"document": "nvml-snapshot", "version": 1, "driver": "580", "gpus": [{"index": 0, "processes": [{"pid": 1, "mib": 2}]}]},
    ],
    ids=["models", "vllm", "sglang", "props", "slots", "manifest", "header", "nvml"],
)
def test_a_wrong_type_anywhere_is_no_crash(tmp_path: Path, document: Any, turn: int) -> None:
    for number, at in enumerate(_members(document), start=turn):
        changed = json.loads(json.dumps(document))
        held = changed
        for step in at[:-1]:
            held = held[step]
        held[at[-1]] = HOSTILE[number % len(HOSTILE)]
        try:
            arm(tmp_path, json.dumps(changed))
        except InputErrors:
            continue


def _members(value: Any) -> list[tuple[Any, ...]]:
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else [])
    return [(key, *rest) for key, held in pairs for rest in [(), *_members(held)]]


def test_memory_and_tokens_of_an_answer_give_the_bytes_of_a_token(tmp_path: Path) -> None:
    record = arm(tmp_path, fake_engines.vllm_info("/srv/models/atlas-1b", TOKENS_8))
    assert record.value("kv_cache.bytes_per_token") == GIB / TOKENS_8 == 1024


def test_blocks_that_the_engine_has_not_told_yet_are_no_pool_of_none(tmp_path: Path) -> None:
    """Before the engine has measured, the API server's copy holds 0; a seed of 0 is a seed."""
    config = {"cache_config": {"num_gpu_blocks": 0, "kv_cache_size_tokens": 0}, "model_config": {"seed": 0}}
    record = arm(tmp_path, {"vllm_config": config})
    assert [record.state(name) for name in ("kv_cache.blocks", "kv_cache.tokens")] == ["unknown", "unknown"]
    assert record.value("run.seed") == 0
