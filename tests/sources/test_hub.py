from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources import hub, hub_cache, hub_remote
from kvaudit.sources.hub_address import parse
from tests.hub_server import COMMIT, Repositories, serving
from tests.model_files import CT_FP8, LLAMA, ONE, decoder, llama_gguf, safetensors

CONFIG = json.dumps(LLAMA | {"quantization_config": CT_FP8}, indent=2).encode()
WEIGHTS = safetensors(decoder(4, scale={"k_scale": ONE["F32"], "v_scale": ONE["F32"]})) + bytes(2_000_000)


@pytest.fixture(scope="module")
def repositories() -> Repositories:
    found = Repositories()
    found.files["acme/kestrel"] = {
        "config.json": CONFIG,
        "model.safetensors": WEIGHTS,
        "README.md": b"x",
        "pytorch_model.bin": b"y",
    }
    found.files["acme/locked"] = {"config.json": CONFIG}
    found.gated.add("acme/locked")
    found.files["acme/gguf"] = {"kestrel-q4.gguf": llama_gguf().build(), "kestrel-q8.gguf": llama_gguf().build()}
    found.files["acme/empty"] = {"README.md": b"x"}
    return found


@pytest.fixture(scope="module")
def server(repositories: Repositories) -> Iterator[str]:
    with serving(repositories) as address:
        yield address


@pytest.fixture(scope="module")
def home(server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that huggingface_hub itself has filled from the server, by branch name."""
    path = tmp_path_factory.mktemp("home")
    code = (
        "from huggingface_hub import hf_hub_download as get\n"
        "for name in ('config.json', 'model.safetensors'): get('acme/kestrel', name)\n"
        "try: get('acme/kestrel', 'hf_quant_config.json')\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "HF_HOME": str(path), "HF_ENDPOINT": server, "HF_HUB_DISABLE_PROGRESS_BARS": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    assert "EntryNotFoundError" in done.stdout
    return path


def why(run: Any, address: str, field: str, **environment: str) -> Any:
    return run("why", address, field, COLUMNS="200", **environment)


def test_a_repository_is_read_by_its_documents_and_ranges_of_its_weights(
    run: Any, server: str, tmp_path: Path, repositories: Repositories
) -> None:
    repositories.fetched.clear()
    done = why(run, "hf://acme/kestrel", "kv_cache.scales", HF_ENDPOINT=server, HF_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "kv_cache.scales = default_1.0" in done.stdout
    assert sorted(repositories.fetched) == ["acme/kestrel/config.json", "acme/kestrel/model.safetensors"]
    assert repositories.fetched["acme/kestrel/model.safetensors"] < len(WEIGHTS) / 4


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("hf://acme/missing", "not on the Hub, or private and no token that may read it"),
        ("hf://acme/locked", "gated: accept its terms on the Hub"),
        ("hf://acme/kestrel@v9", "the repository has no revision v9"),
        ("hf://acme/gguf", "holds 2 GGUF files; name one after a slash: kestrel-q4.gguf, kestrel-q8.gguf"),
        ("hf://acme/empty", "no checkpoint file in it"),
        ("hf://acme/kestrel/../x", "no address on the Hub"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_a_remedy(run: Any, server: str, tmp_path: Path, address: str, message: str) -> None:
    done = run("check", address, HF_ENDPOINT=server, HF_HOME=str(tmp_path))
    assert done.returncode == 2
    assert f"{address}: {message}" in done.stderr


def test_one_of_several_gguf_files_can_be_named(run: Any, server: str, tmp_path: Path) -> None:
    done = why(run, "hf://acme/gguf/kestrel-q8.gguf", "model.layers", HF_ENDPOINT=server, HF_HOME=str(tmp_path))
    assert "model.layers = 4" in done.stdout, done.stderr


def test_the_cache_that_huggingface_hub_made_is_read_offline(run: Any, home: Path) -> None:
    done = why(run, "hf://acme/kestrel", "kv_cache.scheme", HF_HUB_OFFLINE="1", HF_HOME=str(home))
    assert "kv_cache.scheme = fp8" in done.stdout, done.stderr
    assert f"hf://acme/kestrel@{COMMIT}/config.json" in done.stdout
    done = run("record", "hf://acme/kestrel", HF_HUB_OFFLINE="1", HF_HOME=str(home))
    notes = [note for source in json.loads(done.stdout)["sources"] for note in source["notes"]]
    assert "known not to be in the repository: hf_quant_config.json" in notes
    assert "from the local Hub cache; HF_HUB_OFFLINE is set" in notes


def test_the_cache_speaks_where_the_hub_cannot_be_reached(run: Any, home: Path) -> None:
    done = why(run, "hf://acme/kestrel", "kv_cache.scheme", HF_ENDPOINT="http://127.0.0.1:9", HF_HOME=str(home))
    assert "kv_cache.scheme = fp8" in done.stdout, done.stderr


@pytest.mark.parametrize("revision", ["", "@main", f"@{COMMIT}"])
def test_a_revision_is_a_branch_or_a_commit_of_the_cache(monkeypatch: pytest.MonkeyPatch, home: Path, revision: str) -> None:
    monkeypatch.setattr(hub_cache, "cache_folder", lambda: home / "hub")
    found = hub_cache.cached(parse(f"hf://acme/kestrel{revision}"), Redactor(), "offline")
    assert (found.commit, list(found.documents), len(found.weights)) == (COMMIT, ["config.json"], 1)


def test_another_revision_is_not_taken_for_the_one_asked_for(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(hub_cache, "cache_folder", lambda: home / "hub")
    with pytest.raises(InputError, match=r"at revision v2 \(it holds 4f4f4f4f4f4f\), and offline"):
        hub_cache.cached(parse("hf://acme/kestrel@v2"), Redactor(), "offline")


def test_the_only_snapshot_is_read_where_no_branch_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "models--acme--kestrel" / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (folder / "config.json").write_bytes(CONFIG)
    monkeypatch.setattr(hub_cache, "cache_folder", lambda: tmp_path)
    assert hub_cache.cached(parse("hf://acme/kestrel"), Redactor(), "offline").commit == COMMIT
    (folder.parent / ("5e" * 20)).mkdir()
    with pytest.raises(InputError, match="not in the local Hub cache"):
        hub_cache.cached(parse("hf://acme/kestrel"), Redactor(), "offline")


def test_links_that_leave_the_repository_are_not_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.json"
    outside.write_bytes(CONFIG)
    folder = tmp_path / "models--acme--kestrel" / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (folder / "config.json").symlink_to(outside)
    monkeypatch.setattr(hub_cache, "cache_folder", lambda: tmp_path)
    assert hub_cache.cached(parse("hf://acme/kestrel"), Redactor(), "offline").documents == {}


def test_more_files_of_weights_than_a_limit_are_left_to_the_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    index = tmp_path / "index.json"
    index.write_text('{"weight_map": {}}', encoding="utf-8")
    names = {f"model-{number:05}-of-00100.safetensors": 10 for number in range(100)} | {"model.safetensors.index.json": 20}
    monkeypatch.setattr(hub_remote, "list_files", lambda _: hub_remote.Listing(COMMIT, dict(names)))
    monkeypatch.setattr(hub_remote, "download", lambda *_: index)
    _, found = hub.snapshot("hf://acme/large", Redactor())
    assert (list(found.documents), found.weights) == (["model.safetensors.index.json"], [])
    assert found.notes == ["100 files of weights: their headers were not fetched"]


def test_a_document_beyond_the_limit_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_remote, "list_files", lambda _: hub_remote.Listing(COMMIT, {"config.json": 1 << 30}))
    monkeypatch.setattr(hub_remote, "download", lambda *_: pytest.fail("fetched"))
    with pytest.raises(InputError, match="larger than 32 MiB"):
        hub.snapshot("hf://acme/large", Redactor())


def test_a_connection_that_breaks_later_is_an_error_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> bytes:
        raise ConnectionError("gone")

    monkeypatch.setattr(hub_remote, "read_range", broken)
    ranges = hub_remote.RemoteRanges(parse("hf://acme/kestrel"), COMMIT, "model.safetensors", 1000)
    with pytest.raises(InputError, match=r"model\.safetensors: the Hub cannot be reached: gone"):
        ranges(0, 8)
