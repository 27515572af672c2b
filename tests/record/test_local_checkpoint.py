"""The checkpoint that a log names is found beside the log or in the Hub cache at the logged commit, and nowhere else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kvaudit.record.build import Options, read_arm
from kvaudit.record.local_checkpoint import find_checkpoint
from kvaudit.redaction import Redactor
from tests.conftest import ROOT

REPOSITORY = "northwind-ai/Boreal-14B"
COMMIT = "4f1d2c9be07a66d1b3c58e20f97a4416cc02d8e5"
LOG = ROOT / "fixtures" / "vllm" / "prefix-caching-off" / "a" / "server.log"


def _checkpoint(folder: Path) -> Path:
    folder.mkdir(parents=True)
    config = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "num_hidden_layers": 40, "torch_dtype": "bfloat16"}
    shape = {"num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "hidden_size": 5120, "vocab_size": 151936}
    (folder / "config.json").write_text(json.dumps({**config, **shape}))
    (folder / "weights.bin").write_bytes(b"\0" * 64)
    return folder


def _cached(cache: Path, commit: str = COMMIT) -> Path:
    """The layout of huggingface_hub: snapshots link into blobs."""
    root = cache / "models--northwind-ai--Boreal-14B"
    snapshot = _checkpoint(root / "snapshots" / commit)
    blob = root / "blobs" / "1f"
    blob.parent.mkdir()
    shutil.move(snapshot / "config.json", blob)
    (snapshot / "config.json").symlink_to(blob)
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text(commit)
    return snapshot


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hub"
    folder.mkdir()
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    return folder


def _names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_an_absolute_folder(tmp_path: Path) -> None:
    folder = _checkpoint(tmp_path / "models" / "boreal")
    assert find_checkpoint(str(folder), None, None) == [folder / "config.json"]
    assert find_checkpoint(str(tmp_path / "models" / "gone"), None, None) == []


def test_a_relative_folder_beside_the_log(tmp_path: Path) -> None:
    _checkpoint(tmp_path / "run" / "boreal")
    assert _names(find_checkpoint("boreal", None, str(tmp_path / "run"))) == ["config.json"]
    assert _names(find_checkpoint("./boreal", None, str(tmp_path / "run"))) == ["config.json"]
    assert find_checkpoint("boreal", None, str(tmp_path)) == []


def test_never_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _checkpoint(tmp_path / "here" / "boreal")
    _checkpoint(tmp_path / "here" / "northwind-ai" / "Boreal-14B")
    monkeypatch.chdir(tmp_path / "here")
    for model in ("boreal", "./boreal", REPOSITORY):
        assert find_checkpoint(model, COMMIT, str(tmp_path)) == []
        assert find_checkpoint(model, COMMIT, None) == []


def test_the_hub_cache_at_the_logged_commit(cache: Path) -> None:
    snapshot = _cached(cache)
    assert find_checkpoint(REPOSITORY, COMMIT, None) == [snapshot / "config.json"]


@pytest.mark.parametrize("revision", [None, "", "main", "v1.0", COMMIT[:12], COMMIT[::-1], "../" + COMMIT])
def test_without_the_commit_that_ran_the_cache_proves_nothing(revision: str | None, cache: Path) -> None:
    _cached(cache)
    assert find_checkpoint(REPOSITORY, revision, None) == []


@pytest.mark.parametrize(
    "model", ["northwind-ai/Other", "Boreal-14B", "a/b/c", "../northwind-ai/Boreal-14B", "", "x\0y/z", "a" * 5000]
)
def test_other_names_find_nothing_and_do_no_harm(model: str, cache: Path, tmp_path: Path) -> None:
    _cached(cache)
    empty = tmp_path / "log"
    empty.mkdir()
    assert find_checkpoint(model, COMMIT, str(empty)) == []


@pytest.mark.parametrize(
    ("variable", "folder"), [("HF_HOME", "hub"), ("XDG_CACHE_HOME", "huggingface/hub"), ("HUGGINGFACE_HUB_CACHE", ".")]
)
def test_where_the_cache_may_be(variable: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_CACHE", "HF_HOME", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    _cached(tmp_path / "elsewhere" / folder)
    assert _names(find_checkpoint(REPOSITORY, COMMIT, None)) == ["config.json"]


def test_a_record_takes_the_checkpoint_that_its_log_names_and_says_so(cache: Path, redactor: Redactor) -> None:
    _cached(cache)
    record = read_arm([str(LOG)], redactor)
    assert record.value("model.revision") == COMMIT
    assert [source.kind for source in record.sources] == ["engine-log", "checkpoint"]
    assert record.sources[1].notes == ["found on this machine, because the log names it"]
    assert record.value("kv_cache.scheme") == "none"
    assert record.value("model.kv_heads") == 8


def test_it_can_be_turned_off_and_a_given_checkpoint_wins(cache: Path, tmp_path: Path, redactor: Redactor) -> None:
    _cached(cache)
    off = read_arm([str(LOG)], redactor, Options(local_checkpoint=False))
    assert off.state("kv_cache.scheme") == "unknown"
    given = _checkpoint(tmp_path / "given") / "config.json"
    record = read_arm([str(LOG), str(given)], redactor)
    assert [source.path for source in record.sources] == [str(LOG), str(given)]


def test_a_damaged_file_in_the_cache_stops_nobody(cache: Path, redactor: Redactor) -> None:
    (_cached(cache) / "config.json").resolve().write_text('{"architectures": ["Qwen3ForCausalLM"], "model_type":')
    record = read_arm([str(LOG)], redactor)
    assert record.state("kv_cache.scheme") == "unknown"
