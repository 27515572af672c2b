"""`kvaudit inspect` through the front door: the four things it is accepted by, forms of a model, options, exit codes."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kvaudit.sources import hub_cache
from tests.cli.conftest import Call
from tests.conftest import ROOT
from tests.hub_server import COMMIT
from tests.model_files import CT_FP8, LLAMA, ONE, Gguf, decoder, llama_gguf, safetensors, write_json

MODELS = ROOT / "fixtures" / "inspect"


def document(call: Call, *arguments: Any) -> dict[str, Any]:
    result = call("inspect", *arguments, "--format", "json")
    assert result.code == 0, result.err
    found: dict[str, Any] = result.json
    return found


def model(call: Call, *arguments: Any) -> dict[str, Any]:
    (found,) = document(call, *arguments)["models"]
    return dict(found)


def hostile(folder: Path) -> list[Path]:
    """A lying header length, a claim of 2 GB, absurd counts, 10,000 levels, a key twice."""
    content: dict[str, bytes] = {
        "lie.safetensors": struct.pack("<Q", 1 << 40) + b'{"a": 1}',
        "absurd.gguf": Gguf(count=1 << 60, tensors=1 << 60).build(),
        "deep.json": b'{"model_type": "llama", "architectures": ["A"], "hidden_size": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        "twice.json": b'{"model_type": "llama", "architectures": ["A"], "hidden_size": 1, "hidden_size": 2}',
    }
    for name, data in content.items():
        (folder / name).write_bytes(data)
    with (folder / "claim.safetensors").open("wb") as stream:
        stream.write(struct.pack("<Q", 2 << 30) + b'{"a": 1}')
        stream.truncate(3 << 30)
    return sorted(folder.iterdir())


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("command", ["inspect", "check"])
def test_hostile_files_are_clear_errors(call: Call, tmp_path: Path, number: int, command: str) -> None:
    path = hostile(tmp_path)[number]
    result = call(command, path)
    assert result.code == 2
    assert result.err.startswith(f"kvaudit: {path}: ")
    assert result.err.count("\n") == 1


def test_hostile_files_take_less_than_a_hundred_megabytes(tmp_path: Path, command: str) -> None:
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    arguments = [sys.executable, "-c", code, command, "check", *map(str, hostile(tmp_path))]
    done = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=True)
    assert len(done.stderr.splitlines()) == 5
    assert int(done.stdout.split()[-1]) * (1 if sys.platform == "darwin" else 1024) < 100_000_000


@pytest.mark.parametrize(("name", "wide", "narrow"), [("kestrel-8b", 128, 64), ("kestrel-70b", 320, 160)])
def test_bytes_per_token_of_plain_models(call: Call, name: str, wide: int, narrow: int) -> None:
    sizes = model(call, MODELS / name)["cache"]["bytes_per_token"]
    assert (sizes["bfloat16"], sizes["fp8"]) == (wide * 1024, narrow * 1024)


def test_the_transfer_of_a_prompt_as_a_share_of_its_prefill(call: Call) -> None:
    links = ("--link", "100GbE", "--link", "200Gb", "--link", "400Gb")
    found = model(call, MODELS / "kestrel-70b", "--prompt", "8192", *links, "--prefill-tflops", "4x400")["transfer"]
    wide = [row for row in found["rows"] if row["kv_dtype"] == "bfloat16"]
    assert [round(row["bytes"] / 1e9, 2) for row in wide] == [2.68, 2.68, 2.68]
    assert [round(100 * row["share_of_prefill"]) for row in wide] == [30, 15, 7]
    assert found["arithmetic"] is True
    # 2.684 GB over 12.5 GB/s; 4 × 400e12 ÷ (2 × 70.55e9) tokens a second
    assert wide[0]["seconds"] == pytest.approx(327_680 * 8192 / 12.5e9)
    assert found["prefill_tokens_per_second"] == pytest.approx(1600e12 / (2 * 70.55e9), rel=0.001)


def test_a_measured_rate_and_several_links(call: Call) -> None:
    asked = ("--prompt", "8192", "--link", "400Gb", "--links", "2", "--prefill-rate", "11500")
    found = model(call, MODELS / "kestrel-70b", *asked)["transfer"]
    row = found["rows"][0]
    assert row["seconds"] == pytest.approx(327_680 * 8192 / 100e9)
    assert row["share_of_prefill"] == pytest.approx(row["seconds"] / (8192 / 11_500))
    page = call("inspect", MODELS / "kestrel-70b", *asked).out
    assert "arithmetic, not measured" in page
    assert "11,500 tokens/s, given as measured" in page


def test_ranks_do_not_change_what_is_moved(call: Call) -> None:
    asked = ("--prompt", "1000", "--link", "50GB", "--tensor-parallel", "8")
    found = model(call, MODELS / "kestrel-70b", *asked)
    assert found["cache"]["bytes_per_token"]["bfloat16"] == 327_680 // 8
    assert found["transfer"]["rows"][0]["bytes"] == 327_680 * 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--prompt", "8192"), "--prompt 8192 --link 400Gb"),
        (("--prefill-rate", "9"), "--prompt 8192 --link 400Gb"),
        (("--prompt", "8", "--link", "fast"), "--link fast: give a speed such as 400Gb"),
        (("--prompt", "8", "--link", "0Gb"), "--link 0Gb"),
        (("--prompt", "8", "--link", "1Gb", "--prefill-tflops", "x"), "--prefill-tflops x"),
        (("--prompt", "8", "--link", "1Gb", "--prefill-tflops", "1", "--prefill-rate", "1"), "not both"),
        (("--prompt", "8", "--link", "1Gb", "--parameters", "many"), "--parameters many"),
    ],
)
def test_options_that_make_no_sense_are_usage_errors(call: Call, options: tuple[str, ...], message: str) -> None:
    result = call("inspect", MODELS / "kestrel-8b", *options)
    assert result.code == 2
    assert message in result.err


def test_two_files_that_disagree_and_what_each_engine_reads(call: Call) -> None:
    page = call("inspect", MODELS / "kestrel-1b-two-files").out
    words = " ".join(page.split())
    assert "config.json:21 says nothing about KV, hf_quant_config.json:6 states fp8 for KV." in words
    assert "vLLM reads config.json and keeps bfloat16" in words
    assert "TensorRT-LLM reads hf_quant_config.json and keeps fp8_e4m3" in words
    assert "KV stated conflict" in words


def test_a_scheme_that_the_log_will_not_show(call: Call) -> None:
    found = model(call, MODELS / "kestrel-1b-fp8")
    vllm = [row for row in found["engines"] if row["engine"] == "vllm"]
    assert [(row["since"], row["until"], row["kv_dtype"], row["shown"], row["beats_flag"]) for row in vllm] == [
        (None, "0.15", "bfloat16", True, False),
        ("0.15", "0.22", "fp8", False, True),
        ("0.22", None, "fp8", False, False),
    ]
    said = " ".join(one["message"] for one in found["contradictions"])
    assert "its log does not show the fp8 cache" in said
    assert "0.15 to before 0.22: even where --kv-cache-dtype asks for 16 bits" in said
    assert "its scales are incomplete: K scales in 3 and V scales in 3 of 4 layers" in said


def test_every_claim_names_its_line(call: Call) -> None:
    found = model(call, MODELS / "kestrel-1b-fp8")
    text = (MODELS / "kestrel-1b-fp8" / "config.json").read_text(encoding="utf-8").split("\n")
    (block,) = found["blocks"]
    for origin in block["origins"]:
        assert origin["excerpt"] == text[origin["line"] - 1].strip()
    assert found["scheme"]["facts"][0]["origins"][0]["pointer"] == "/quantization_config/kv_cache_scheme"


def test_scales_that_all_equal_one_are_none(call: Call, tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", LLAMA | {"quantization_config": CT_FP8})
    tensors = decoder(4, scale={"k_scale": ONE["F32"], "v_scale": ONE["F32"]})
    (tmp_path / "model.safetensors").write_bytes(safetensors(tensors))
    found = model(call, tmp_path)
    assert (found["scales"]["value"], found["scales"]["all_one"]) == ("default_1.0", True)
    assert "every scale it brings equals 1.0" in " ".join(one["message"] for one in found["contradictions"])


def test_each_form_of_a_model_is_read(call: Call, tmp_path: Path) -> None:
    config = write_json(tmp_path / "a" / "config.json", LLAMA)
    index = {"metadata": {}, "weight_map": dict.fromkeys(decoder(4), "model.safetensors")}
    (tmp_path / "b.safetensors").write_bytes(safetensors(decoder(4)))
    (tmp_path / "c.gguf").write_bytes(llama_gguf().number("general.file_type", 15).build())
    forms = [config, write_json(tmp_path / "d.json", index), tmp_path / "b.safetensors", tmp_path / "c.gguf", tmp_path / "a"]
    found = document(call, *forms)["models"]
    assert [one["label"] for one in found] == [str(path) for path in forms]
    assert [one["scales"]["value"] if one["scales"] else None for one in found] == [None, "none", "none", None, None]
    assert [(one["cache"] or {}).get("bytes_per_token", {}).get("bfloat16") for one in found] == [2048, None, None, None, 2048]
    assert found[3]["cache"]["bytes_per_token"]["q8_0"] == 1088


def test_a_tree_of_models_is_listed_one_line_each(call: Call, tmp_path: Path) -> None:
    write_json(tmp_path / "one" / "config.json", LLAMA)
    write_json(tmp_path / "deep" / "er" / "two" / "config.json", LLAMA | {"quantization_config": CT_FP8})
    (tmp_path / "three.gguf").write_bytes(llama_gguf().number("general.file_type", 15).build())
    write_json(tmp_path / "broken" / "config.json", {"architectures": ["A"], "model_type": "llama", "hidden_size": 1})
    (tmp_path / "broken" / "hf_quant_config.json").write_text(
        '{"producer": {}, "quantization": {"quant_algo": "FP8", "quant_algo": 1}}', encoding="utf-8"
    )
    result = call("inspect", tmp_path)
    assert result.code == 0
    lines = result.out.splitlines()
    assert [line.split()[-1] for line in lines[:4]] == ["model", "three.gguf", "deep/er/two", "one"]
    assert lines[2].split()[:4] == ["2,048", "fp8", "unknown", "fp8"]
    assert "stands twice" in result.out
    assert "3 checkpoints" not in result.out
    assert "4 checkpoints" in result.out


def test_a_folder_of_the_hub_cache_tells_repository_and_commit(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "hub" / "models--acme--kestrel-8b" / "snapshots" / COMMIT
    blob = write_json(tmp_path / "hub" / "models--acme--kestrel-8b" / "blobs" / "aa", LLAMA)
    folder.mkdir(parents=True)
    (folder / "config.json").symlink_to(blob)
    for place in (folder, tmp_path / "hub"):
        found = model(call, place)
        assert (found["repository"], found["revision"]) == ("acme/kestrel-8b", COMMIT)


def test_an_address_on_the_hub_is_read_from_the_cache(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "models--acme--kestrel-8b" / "snapshots" / COMMIT
    write_json(folder / "config.json", LLAMA)
    monkeypatch.setattr(hub_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    found = model(call, "hf://acme/kestrel-8b")
    assert (found["repository"], found["revision"]) == ("acme/kestrel-8b", COMMIT)
    assert found["sources"][0]["path"] == f"hf://acme/kestrel-8b@{COMMIT}/config.json"
    assert call("check", "hf://acme/kestrel-8b").code == 0


def test_links_that_leave_the_folder_are_named_and_not_read(call: Call, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.json"
    write_json(outside, {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})
    write_json(tmp_path / "model" / "config.json", LLAMA)
    (tmp_path / "model" / "hf_quant_config.json").symlink_to(outside)
    found = model(call, tmp_path / "model")
    assert found["scheme"]["value"] == "none"
    assert found["not_known"][0] == "hf_quant_config.json not read: links that leave the folder"


def test_a_file_given_alone_says_what_it_leaves_open(call: Call, tmp_path: Path) -> None:
    config = write_json(tmp_path / "config.json", LLAMA)
    assert model(call, config)["not_known"][0].startswith("whether a hf_quant_config.json belongs to it")
    write_json(tmp_path / "hf_quant_config.json", {})
    assert model(call, config)["not_known"][0].startswith("hf_quant_config.json not read: beside the file that was given")


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_nothing_to_inspect_is_an_error(call: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    result = call("inspect", tmp_path / name, "--format", "json")
    assert result.code == 2
    assert result.json["document"] == "error"
    assert result.json["errors"][0]["path"] == str(tmp_path / name)


def test_secrets_and_control_characters_do_not_get_through(call: Call, tmp_path: Path) -> None:
    odd = LLAMA | {"quantization_config": CT_FP8 | {"quant_method": "hf_" + "a1" * 15, "kv_cache_scheme": "\u202eFP8\x1b[31m"}}
    write_json(tmp_path / "config.json", odd)
    for result in (call("inspect", tmp_path), call("inspect", tmp_path, "--format", "json")):
        assert result.code == 0
        assert "a1a1a1a1" not in result.out
        assert "\u202e" not in result.out
        assert "\x1b" not in result.out


def test_every_labelled_checkpoint_file_is_read(call: Call) -> None:
    """The values themselves are scored in tests/test_corpus.py."""
    named = os.environ.get("KVAUDIT_CORPUS")
    if not named:
        pytest.skip("KVAUDIT_CORPUS does not name a labelled collection")
    paths = sorted((Path(named) / "ckpt_config").glob("*.json"))
    found = document(call, *paths)["models"]
    assert [one["label"] for one in found] == [str(path) for path in paths]
    assert [one["label"] for one in found if one["error"]] == []


def test_the_document_has_the_promised_keys(call: Call) -> None:
    found = document(call, MODELS / "kestrel-8b")
    assert (found["document"], found["version"]) == ("inspection", 1)
    keys = {"label", "sources", "identity", "scheme", "blocks", "contradictions", "scales", "cache", "engines", "not_known"}
    assert keys <= set(found["models"][0])
    assert json.dumps(found)
