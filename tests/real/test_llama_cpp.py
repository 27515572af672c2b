"""kvaudit against llama.cpp's real server: the KV cache's type, a divided context, one server twice, a restart loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.real import servers
from tests.real.reports import capture, fired, report, values
from tests.real.servers import ENGINE_SIDE

CONTEXT, BYTES_16 = 8192, 768


@pytest.fixture(scope="module")
def model(llama_environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "wren-tiny.gguf"
    servers.make_gguf(llama_environment, path)
    return path


@pytest.fixture(scope="module")
def runs(llama_environment: Path, model: Path, command: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run folders of servers with equal settings but one: the cache's type, or the slots that divide the context."""
    folder = tmp_path_factory.mktemp("runs")
    for name, settings in {"f16": (), "q8_0": ("kv=q8_0",), "divided": ("n_parallel=8",)}.items():
        with servers.llama_cpp(llama_environment, model, folder / f"{name}.log", *servers.LLAMA_COMMON, *settings) as server:
            server.complete("wren", "the quick brown fox")
            for suffix in ("", "-again") if name == "f16" else ("",):
                capture(command, server, folder / f"{name}{suffix}")
    return folder


def test_the_folder_says_what_the_server_did(run: Run, runs: Path) -> None:
    fields = values(report(run, "check", str(runs / "f16")))
    assert fields["engine.name"] == "llama_cpp"
    assert fields["kv_cache.dtype"] == "float16"
    assert fields["kv_cache.tokens"] == CONTEXT
    assert fields["kv_cache.memory_gib"] == pytest.approx(CONTEXT * BYTES_16 / (1 << 30))
    assert fields["model.max_len"] == CONTEXT // 2
    assert fields["model.architecture"] == "llama"


def test_a_quantized_cache_is_found(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "f16"), str(runs / "q8_0"))
    assert document["verdict"] == "not_comparable"
    assert "kv-dtype-differs" in fired(document)
    (difference,) = [one for one in document["differences"] if one["field"] == "kv_cache.dtype"]
    assert difference["values"] == ["float16", "q8_0"]


def test_one_server_twice_is_comparable(run: Run, runs: Path) -> None:
    document = report(run, "diff", str(runs / "f16"), str(runs / "f16-again"))
    assert (document["verdict"], document["exit_code"]) == ("comparable", 0)
    assert [one["field"] for one in document["differences"] if one["class"] in ("confound", "unknown")] == []


def test_a_context_that_slots_divide_is_found(run: Run, runs: Path) -> None:
    document = report(run, "check", str(runs / "divided"))
    assert "context-shrunk" in fired(document)
    assert document["arms"][0]["fields"]["model.max_len"]["value"] == CONTEXT // 8
    pair = report(run, "diff", str(runs / "f16"), str(runs / "divided"))
    assert {"max-len-differs", "max-num-seqs-differs"} <= fired(pair)


def test_a_restart_loop_is_found(run: Run, llama_environment: Path, tmp_path: Path) -> None:
    log = tmp_path / "loop" / "server.log"
    log.parent.mkdir()
    command = [
        llama_environment / "bin/python",
        ENGINE_SIDE / "llama_server.py",
        tmp_path / "gone.gguf",
        1,
        *servers.LLAMA_COMMON,
    ]
    for _ in range(3):
        assert servers.failed_start(command, log) != 0
    unit = f"[Unit]\nDescription=wren\n[Service]\nExecStart={command[0]} {command[1]} {command[2]}\nRestart=always\n"
    (log.parent / "wren.service").write_text(unit, encoding="utf-8")
    assert "restart-loop" in fired(report(run, "check", str(log.parent)))
