"""Where a server is: on this machine, behind a forwarded port, in a container whose paths are its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kvaudit.capture import process
from kvaudit.capture.fetching import Server
from kvaudit.capture.placing import Place, place_of
from kvaudit.capture.session import capture
from kvaudit.capture.wish import Wish
from kvaudit.redaction import Redactor
from tests.capture import fake_engines
from tests.capture.fake_engines import serving
from tests.model_files import LLAMA, write_json

HERE, THERE = "http://127.0.0.1:8000", "http://192.0.2.7:8000"


def place(url: str = HERE, pid: int | None = None) -> Place:
    return place_of(Server(url, 1.0), Wish(url, "run", pid=pid))


def listening(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(process, "listener", lambda _port: os.getpid())
    monkeypatch.setattr(process, "name_of", lambda _pid: name)


def test_a_process_of_this_machine_sees_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    listening(monkeypatch, "vllm")
    assert place() == Place(pid=os.getpid(), paths=True)


@pytest.mark.parametrize("name", ["ssh", "kubectl", "nginx"])
def test_a_port_that_is_forwarded_to_another_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    listening(monkeypatch, name)
    assert place() == Place(elsewhere=f"the port is forwarded by {name}")


def test_a_port_that_docker_forwards_shows_no_process_and_no_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    listening(monkeypatch, "docker-proxy")
    assert place() == Place()


def test_a_server_of_another_address_is_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    listening(monkeypatch, "vllm")
    assert place(THERE).elsewhere == "the server is on another machine"


def test_a_process_in_other_mounts_sees_other_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for who, mounts in (("self", "mnt:[1]"), ("4711", "mnt:[2]")):
        (tmp_path / who / "ns").mkdir(parents=True)
        (tmp_path / who / "ns" / "mnt").symlink_to(mounts)
    monkeypatch.setattr(process, "PROC", tmp_path)
    assert place(pid=4711) == Place(pid=4711, paths=False)


def test_the_path_that_a_container_names_is_not_looked_up_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another model may lie under the same path on the host."""
    write_json(tmp_path / "model" / "config.json", LLAMA)
    listening(monkeypatch, "docker-proxy")
    with serving(fake_engines.vllm(str(tmp_path / "model"))) as url:
        manifest = capture(Wish(url, str(tmp_path / "run")), Redactor())
    assert not (tmp_path / "run" / "checkpoint").exists()
    assert "its path may be a container's own" in {piece["why"] for piece in manifest["missing"]}


def test_a_forwarded_server_gets_no_snapshot_of_these_gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listening(monkeypatch, "ssh")
    with serving(fake_engines.vllm()) as url:
        manifest = capture(Wish(url, str(tmp_path / "run")), Redactor())
    assert manifest["server"]["local"] is False
    why = {piece["what"]: piece["why"] for piece in manifest["missing"]}
    assert why["GPU snapshot"] == why["server process"] == "the port is forwarded by ssh"
