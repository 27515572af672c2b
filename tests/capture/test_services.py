"""Units, containers and pods: fake tools on the path stand for systemd, docker and Kubernetes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kvaudit.capture.folder import RunFolder
from kvaudit.capture.services import checked_name, keep_container, keep_pod, keep_unit, main_pid
from kvaudit.capture.wish import Wish
from kvaudit.errors import UsageError
from kvaudit.record.build import read_arm
from kvaudit.redaction import Redactor

LOG = (
    "INFO 11-20 10:00:00 [api_server.py:100] vLLM API server version 0.12.0\n"
    "INFO 11-20 10:00:01 [core.py:50] Initializing a V1 LLM engine (v0.12.0) with config: model='/srv/models/atlas-1b', "
    "dtype=torch.bfloat16, kv_cache_dtype=auto, tensor_parallel_size=1, enable_prefix_caching=True\n"
)
UNIT = (
    "# /etc/systemd/system/atlas.service\n[Unit]\nDescription=atlas\n"
    "[Service]\nExecStart=/opt/venv/bin/vllm serve /srv/models/atlas-1b\nRestart=always\n"
)
SHOW = (
    "Id=atlas.service\nType=simple\nRestart=always\nNRestarts=0\nRestartUSec=100ms\n"
    "ActiveState=active\nSubState=running\nMainPID=4711\n"
)
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "atlas-0", "namespace": "serving"},
    "spec": {
        "restartPolicy": "Always",
        "containers": [{"name": "atlas", "image": "vllm/vllm-openai:v0.12.0", "args": ["--model", "/srv/models/atlas-1b"]}],
    },
    "status": {"containerStatuses": [{"name": "atlas", "restartCount": 1, "state": {"running": {}}}]},
}
CONTAINER = [
    {
        "Id": "c0ffee",
        "Name": "/atlas",
        "Path": "vllm",
        "Args": ["serve", "/srv/models/atlas-1b", "--api-key", "hunter2-4711"],
        "RestartCount": 0,
        "State": {"Status": "running"},
        "Config": {"Image": "vllm/vllm-openai:v0.12.0", "Env": ["HF_TOKEN=hf_" + "Zq7" * 8]},
        "HostConfig": {"RestartPolicy": {"Name": "always", "MaximumRetryCount": 0}},
    }
]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a fake program: it prints the answer whose words stand among its arguments, and notes how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    python = os.path.realpath("/proc/self/exe")

    def make(program: str, answers: dict[str, Any]) -> None:
        script = (
            f"#!{python}\nimport json, sys, time\nopen({str(folder / 'calls')!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
            f"for words, answer in {answers!r}.items():\n"
            "    if all(word in sys.argv for word in words.split()):\n"
            "        for part in answer if isinstance(answer, list) else [answer]:\n"
            "            if isinstance(part, int): sys.exit(part)\n"
            "            if isinstance(part, float): time.sleep(part)\n"
            "            else: sys.stdout.write(part); sys.stdout.flush()\n"
            "        sys.exit(0)\n"
            "sys.stderr.write('no such thing'); sys.exit(1)\n"
        )
        (folder / program).write_text(script, encoding="utf-8")
        (folder / program).chmod(0o755)

    return make


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    (tmp_path / "run").mkdir()
    return RunFolder(tmp_path / "run")


def test_a_unit_brings_its_settings_and_its_journal(tools: Any, folder: RunFolder) -> None:
    tools("systemctl", {"show": SHOW, "cat": UNIT})
    tools("journalctl", {"--boot": LOG})
    keep_unit("atlas.service", folder, Redactor(), with_log=True)
    assert folder.missing == []
    assert {entry["path"] for entry in folder.entries} == {"service/systemctl-show.txt", "service/atlas.service", "server.log"}
    record = read_arm([str(folder.path)], Redactor())
    assert record.value("service.restart") == "always"
    assert record.value("engine.version") == "0.12.0"


def test_a_container_brings_its_inspection_and_its_log_without_secrets(tools: Any, folder: RunFolder) -> None:
    tools("docker", {"inspect": json.dumps(CONTAINER), "logs": LOG})
    keep_container("atlas", folder, Redactor(), with_log=True)
    text = (folder.path / "service/docker-inspect.json").read_text(encoding="utf-8")
    assert "hunter2-4711" not in text
    assert "hf_Zq7" not in text
    record = read_arm([str(folder.path)], Redactor())
    assert record.value("service.restart") == "always"
    assert record.value("engine.version") == "0.12.0"


def test_podman_stands_in_where_docker_is_not_installed(tools: Any, folder: RunFolder, tmp_path: Path) -> None:
    tools("podman", {"inspect": json.dumps(CONTAINER), "logs": LOG})
    keep_container("atlas", folder, Redactor(), with_log=False)
    assert [json.loads(line)[0] for line in (tmp_path / "bin/calls").read_text(encoding="utf-8").splitlines()] == ["inspect"]
    assert folder.missing == []


def test_a_pod_brings_the_log_of_its_previous_container_first(tools: Any, folder: RunFolder) -> None:
    tools("kubectl", {"get pod": json.dumps(POD), "describe": "Name: atlas-0\n", "logs --previous": "before\n", "logs": LOG})
    keep_pod("serving/atlas-0", folder, Redactor(), with_log=True)
    lines = (folder.path / "server.log").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "before"
    assert lines[1] == LOG.splitlines()[0]
    assert read_arm([str(folder.path)], Redactor()).value("service.restarts") == 1


def test_the_description_of_a_pod_names_its_arguments_line_by_line_and_no_secret(tools: Any, folder: RunFolder) -> None:
    said = "Args:\n  --api-key\n  hunter2-4711\nEnvironment:\n  DB_PASSWORD:  a,b=hunter2-4712\n"
    tools("kubectl", {"get": json.dumps(POD), "describe": said, "logs": LOG})
    keep_pod("serving/atlas-0", folder, Redactor(), with_log=False)
    kept = (folder.path / "service/pod-description.txt").read_text(encoding="utf-8")
    assert "hunter2" not in kept
    assert kept.split("\n")[1] == "  --api-key"


def test_a_log_that_breaks_off_is_kept_as_far_as_it_goes(tools: Any, folder: RunFolder) -> None:
    tools("docker", {"inspect": json.dumps(CONTAINER), "logs": ["one\n", 3]})
    keep_container("atlas", folder, Redactor(), with_log=True)
    assert (folder.path / "server.log").read_text(encoding="utf-8") == "one\n"
    assert [(piece["what"], piece["why"]) for piece in folder.missing] == [("the end of the log", "docker ended with 3")]


def test_a_program_that_does_not_end_is_ended(tools: Any) -> None:
    from kvaudit.capture.programs import streaming

    tools("docker", {"logs": [30.0]})
    with streaming(["docker", "logs"], seconds=0.5) as output:
        assert output.stdout is not None
        assert output.stdout.read() == b""
    assert output.why == "docker did not end within 0.5 s"


def test_what_is_not_installed_is_missing_with_a_remedy(tools: Any, folder: RunFolder) -> None:
    keep_container("atlas", folder, Redactor(), with_log=True)
    assert folder.entries == []
    assert [(piece["why"], bool(piece["remedy"])) for piece in folder.missing] == [("docker is not installed", True)] * 2


def test_what_fails_is_missing_with_what_the_tool_said(tools: Any, folder: RunFolder) -> None:
    tools("docker", {})
    keep_container("atlas", folder, Redactor(), with_log=True)
    assert folder.missing[0]["why"] == "docker ended with 1: no such thing"


def test_the_main_process_is_the_one_that_the_manager_names(tools: Any) -> None:
    tools("docker", {"inspect --format": "4711\n"})
    tools("systemctl", {"--property=MainPID": "0\n"})
    assert main_pid(Wish("http://127.0.0.1", "run", container="atlas")) == 4711
    assert main_pid(Wish("http://127.0.0.1", "run", unit="atlas.service")) is None


@pytest.mark.parametrize("name", ["--privileged", "", "a b", "a;b", "$(id)", "a\nb"])
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        checked_name("--container", name)


def test_a_pod_wants_its_namespace(tools: Any, folder: RunFolder) -> None:
    with pytest.raises(UsageError, match="NAMESPACE/NAME"):
        keep_pod("atlas-0", folder, Redactor(), with_log=True)
