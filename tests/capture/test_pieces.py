"""Pieces of a capture: the process, packages, checkpoint headers, GPU snapshots, masking, clocks."""

from __future__ import annotations

import json
import os
import socket
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kvaudit.capture import nvml, packages, process
from kvaudit.capture.checkpoint import header_copy, keep_checkpoint
from kvaudit.capture.clocks import clocks
from kvaudit.capture.endpoints import to_bytes
from kvaudit.capture.fetching import Answer, Server
from kvaudit.capture.folder import RunFolder
from kvaudit.capture.gpus import keep_gpus
from kvaudit.capture.masking import masked_json
from kvaudit.errors import InputError
from kvaudit.record.build import Options, read_arm
from kvaudit.redaction import Redactor
from tests.model_files import LLAMA, ONE, decoder, llama_gguf, safetensors, write_json


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    (tmp_path / "run").mkdir()
    return RunFolder(tmp_path / "run")


def test_the_process_is_described_from_proc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    own = proc / "4711"
    own.mkdir(parents=True)
    (own / "cmdline").write_bytes(b"/opt/venv/bin/vllm\0serve\0atlas\0--api-key\0hunter2-4711\0")
    (own / "environ").write_bytes(b"HF_TOKEN=hf_" + b"Zq7" * 8 + b"\0VLLM_USE_V1=1\0PATH=/bin\0HOME=/root\0")
    (own / "comm").write_text("vllm\n", encoding="utf-8")
    (own / "stat").write_text("4711 (vllm (main)) S 1 " + "0 " * 17 + "250000 0\n", encoding="utf-8")
    (own / "limits").write_text(
        "Limit   Soft Limit   Hard Limit\nMax open files            1024    4096    files\n", encoding="utf-8"
    )
    (proc / "stat").write_text("cpu 1 2\nbtime 1795900000\n", encoding="utf-8")
    child = proc / "4712"
    child.mkdir()
    (child / "stat").write_text("4712 (VLLM::EngineCor) S 4711 0\n", encoding="utf-8")
    (child / "comm").write_text("VLLM::EngineCor\n", encoding="utf-8")
    monkeypatch.setattr(process, "PROC", proc)
    described = process.describe(4711, Redactor())
    assert described["started"] == 1795900000 + 250000 / os.sysconf("SC_CLK_TCK")
    assert described["limits"] == {"Max open files": "1024"}
    assert described["environment"] == {"HF_TOKEN": "<secret-2>", "VLLM_USE_V1": "1"}
    assert described["other_variables"] == 2
    assert [one["name"] for one in described["processes"]] == ["vllm", "VLLM::EngineCor"]
    script = process.launch_script(4711, Redactor()).decode()
    assert "hunter2-4711" not in script
    assert "export VLLM_USE_V1=1" in script


def test_the_listener_of_a_port_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert process.listener(server.getsockname()[1]) == os.getpid()


def test_packages_are_those_of_the_environment_whose_files_are_mapped() -> None:
    folders = packages.package_folders(os.getpid())
    assert packages.versions(folders)["pytest"] == pytest.__version__


def test_the_version_of_an_engine_is_its_packages() -> None:
    assert packages.engine_version("tensorrt_llm", {"tensorrt-llm": "1.2.0"}) == "1.2.0"
    assert packages.engine_version("llama_cpp", {"vllm": "0.32.0"}) is None


@pytest.mark.parametrize("scale", [b"\x00\x00\x80\x3e", ONE["F32"]])
def test_a_header_copy_states_what_the_file_states(tmp_path: Path, scale: bytes) -> None:
    original = tmp_path / "a"
    copied = tmp_path / "b"
    for place in (original, copied):
        write_json(place / "config.json", LLAMA)
    weights = original / "model.safetensors"
    weights.write_bytes(safetensors(decoder(4, scale={"k_scale": scale, "v_scale": scale})))
    document = header_copy(weights, Redactor())
    (copied / "model.safetensors.header.json").write_bytes(to_bytes(document))
    left, right = (read_arm([str(place)], Redactor()) for place in (original, copied))
    assert {name: field.value for name, field in left.fields.items()} == {
        name: field.value for name, field in right.fields.items()
    }
    assert left.value("kv_cache.scales") == right.value("kv_cache.scales") is not None


def test_a_header_copy_of_gguf_states_what_the_file_states(tmp_path: Path) -> None:
    weights = tmp_path / "a" / "atlas.gguf"
    weights.parent.mkdir()
    weights.write_bytes(llama_gguf().build())
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "atlas.gguf.header.json").write_bytes(to_bytes(header_copy(weights, Redactor())))
    left, right = (read_arm([str(tmp_path / name)], Redactor()) for name in "ab")
    assert left.value("model.hash") == right.value("model.hash") is not None
    assert left.value("model.layers") == right.value("model.layers") is not None


def test_a_header_copy_with_a_hole_is_refused_and_never_read_as_zeros(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(safetensors(decoder(4, scale={"k_scale": ONE["F32"], "v_scale": ONE["F32"]})))
    document = header_copy(weights, Redactor())
    assert document is not None
    document["ranges"] = document["ranges"][:2]
    copy = tmp_path / "copy.json"
    copy.write_bytes(to_bytes(document))
    with pytest.raises(Exception, match="holds nothing from byte"):
        read_arm([str(copy)], Redactor())


def test_a_checkpoint_that_was_named_must_be_there(folder: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json and no \.gguf file"):
        keep_checkpoint(str(tmp_path), folder, Redactor(), named=True)
    keep_checkpoint("acme/atlas-1b", folder, Redactor(), named=False)
    assert folder.missing[0]["what"] == "checkpoint"


def test_json_without_secrets_stays_byte_for_byte() -> None:
    data = b'{ "a" : "tab\\there",\r\n "hf_token": null, "max_tokens": 4 }\n'
    assert masked_json(data, Redactor()) == data


def test_json_is_masked_by_its_keys_too() -> None:
    data = json.dumps(
        {"name": "HF_TOKEN", "nested": {"value": 1}, "args": ["--api-key", "hunter2-4711"], "note": "a\tb"}
    ).encode()
    masked = json.loads(masked_json(data, Redactor()))
    assert masked["args"] == ["--api-key", "<secret-1>"]
    assert masked["note"] == "a\tb", "escapes are for reports, not for copies"


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("localhost:8000", True),
        ("http://0.0.0.0:8000", True),
        ("http://192.0.2.7:8000", False),
        ("http://name.invalid:8000", False),
    ],
)
def test_a_server_of_this_machine_is_known_by_its_address(url: str, local: bool) -> None:
    assert Server(url, 1.0).is_local is local


def test_clocks_tell_how_far_the_server_is_behind() -> None:
    started = 1795900000.0
    answer = Answer("/version", 200, b"{}", 0.1, {"date": formatdate(started - 90, usegmt=True)})
    found = clocks(started, [answer])
    assert found["server_behind_seconds"] == 90
    assert found["started"] == "2026-11-28T21:06:40.000Z"


class FakeNvml:
    """As much of pynvml as a snapshot asks for: one GPU, one compute process of 61,000 MiB."""

    class NVMLError(Exception):
        pass

    def __getattr__(self, name: str) -> Any:
        mib = 1 << 20
        answers: dict[str, Any] = {
            "nvmlDeviceGetCount": 1,
            "nvmlSystemGetDriverVersion": "580.95.05",
            "nvmlSystemGetCudaDriverVersion": 13000,
            "nvmlDeviceGetHandleByIndex": "handle",
            "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=81559 * mib, used=61030 * mib),
            "nvmlDeviceGetEnforcedPowerLimit": 700000,
            "nvmlDeviceGetName": "NVIDIA H100 80GB HBM3",
            "nvmlDeviceGetUUID": "GPU-00000000-1111-2222-3333-444444444444",
            "nvmlDeviceGetComputeRunningProcesses": [SimpleNamespace(pid=4712, usedGpuMemory=61000 * mib)],
            "nvmlDeviceGetGraphicsRunningProcesses": [],
            "nvmlSystemGetProcessName": b"VLLM::EngineCore",
        }
        return lambda *_: answers[name]


def test_a_snapshot_through_nvml_is_evidence(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert keep_gpus(folder, Redactor(), nvml=lambda: to_bytes(nvml.document(FakeNvml()))) == "gpus/nvml.json"
    record = read_arm([str(folder.path)], Redactor(), Options())
    assert record.value("gpu.names") == ["NVIDIA H100 80GB HBM3"]
    assert record.value("gpu.driver") == "580.95.05"
    assert record.value("gpu.cuda") == "13.0"
    assert record.value("gpu.power_limit_w") == [700.0]
    (tenant,) = record.value("gpu.tenants")
    assert (tenant["pid"], tenant["mib"]) == (4712, 61000)


def test_without_any_tool_the_snapshot_is_missing_with_a_remedy(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert keep_gpus(folder, Redactor(), nvml=lambda: None) is None
    assert "nvidia-smi -q -x" in folder.missing[0]["remedy"]
