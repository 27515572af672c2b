"""Compose files, `docker inspect`, Kubernetes objects and kubectl's text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.registry import recognise
from kvaudit.parsers.services.cells import documents
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
Read = Callable[..., Reading]
Settings = Callable[..., dict[tuple[str, str], Any]]

COMPOSE = """x-common: &common
  restart: unless-stopped
services:
  atlas:
    <<: *common
    image: vllm/vllm-openai:v0.25.1
    command: >
      --model acme/atlas-13b
      --max-model-len 32768
    environment:
      CUDA_VISIBLE_DEVICES: "0,1"
      HF_TOKEN: hf_abcdefghijklmnopqrstuv
  boreal:
    image: lmsysorg/sglang:v0.5.20
    restart: "on-failure:5"
    command: ["python3", "-m", "sglang.launch_server", "--model-path", "acme/boreal-7b", "--context-length", "${LEN:-4096}",
              "--tp", "2"]
  healer:
    image: willfarrell/autoheal:1.2.0
    restart: no
"""


def _facts(reading: Reading, service: str) -> dict[str, Any]:
    """Requested facts whose origin lies within the lines of a service's command."""
    (lines,) = [
        one.value["lines"] for one in reading.facts if one.field == "clue.launch_command" and one.value["service"] == service
    ]
    inside = [
        one for one in reading.facts if not one.field.startswith("clue.") and lines[0] <= (one.origins[0].line or 0) <= lines[1]
    ]
    return {one.field: one.value for one in inside}


def test_compose_services_are_told_apart(settings: Settings) -> None:
    found = settings(COMPOSE, "compose.yaml")
    assert found[("atlas", "restart")] == "unless-stopped"
    assert found[("boreal", "restart")] == "on-failure:5"
    assert found[("healer", "restart")] == "no"


def test_commands_of_compose_services(read: Read) -> None:
    reading = read(COMPOSE, "compose.yaml")
    atlas, boreal = _facts(reading, "atlas"), _facts(reading, "boreal")
    assert (atlas["engine.name"], atlas["model.path"], atlas["model.max_len"]) == ("vllm", "acme/atlas-13b", 32768)
    assert (boreal["engine.name"], boreal["parallel.tensor"]) == ("sglang", 2)
    assert "model.max_len" not in boreal, "the variable's default belongs to an environment that nobody saw"
    assert any(one.field == "clue.visible_devices" and one.value["devices"] == ["0", "1"] for one in reading.facts)
    assert "hf_abcdefghijklmnopqrstuv" not in str(reading)


def test_words_of_a_block_stand_on_their_lines(read: Read) -> None:
    lines = {
        one.field: one.origins[0].line for one in read(COMPOSE, "compose.yaml").facts if one.value in ("acme/atlas-13b", 32768)
    }
    assert lines == {"model.path": 8, "model.max_len": 9}


def test_one_service_may_be_picked(make_source: MakeSource) -> None:
    source = make_source(COMPOSE, "compose.yaml")
    parser = recognise(source)
    assert parser is not None
    source.path += "#boreal"
    names = {one.value["service"] for one in parser.read(source).facts if one.field == "clue.service_setting"}
    assert names == {"boreal"}


def test_swarm_attempts_and_json_of_compose_config(settings: Settings) -> None:
    policy = {"condition": "on-failure", "max_attempts": 3, "window": "120s"}
    document = {"services": {"atlas": {"image": "vllm/vllm-openai:v0.25.1", "deploy": {"restart_policy": policy}}}}
    found = settings(json.dumps(document, indent=1), "compose.json")
    assert found[("atlas", "condition")] == "on-failure"
    assert found[("atlas", "max_attempts")] == "3"


CONTAINER = {
    "Id": "0f" * 32,
    "Path": "python3",
    "Args": ["-m", "vllm.entrypoints.openai.api_server", "--model", "acme/atlas-13b", "--tokenizer", ""],
    "State": {"Status": "restarting", "ExitCode": 1},
    "Name": "/atlas",
    "RestartCount": 17,
    "HostConfig": {"RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": 0}},
    "Config": {"Image": "vllm/vllm-openai:v0.25.1", "Env": ["CUDA_VISIBLE_DEVICES=1", "HF_TOKEN=hf_abcdefghijklmnopqrstuv"]},
}


def test_docker_inspect(read: Read) -> None:
    reading = read(json.dumps([CONTAINER], indent=4), "inspect.json")
    found = {one.value["key"]: one for one in reading.facts if one.field == "clue.service_setting"}
    assert (found["restart"].value["value"], found["restarts"].value["value"], found["state"].value["value"]) == (
        "on-failure",
        "17",
        "restarting",
    )
    assert found["restarts"].origins[0].pointer == "/0/RestartCount"
    assert found["restarts"].stage == "observed"
    (empty,) = [one for one in reading.facts if one.field == "clue.empty_argument"]
    assert empty.value["flag"] == "--tokenizer"
    assert empty.origins[0].pointer == "/0/Args/5"
    assert "hf_abcdefghijklmnopqrstuv" not in str(reading)


def test_an_inspected_image_is_no_service(make_source: MakeSource) -> None:
    image = {"Id": "sha256:1", "RepoTags": ["vllm:1"], "Config": {"Env": []}, "GraphDriver": {}}
    assert recognise(make_source(json.dumps([image]), "image.json")) is None


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "atlas-0"},
    "spec": {
        "restartPolicy": "Always",
        "containers": [
            {
                "name": "server",
                "image": "vllm/vllm-openai:v0.25.1",
                "command": ["vllm", "serve"],
                "args": ["$(MODEL)", "--max-model-len", "$(LEN)"],
                "env": [{"name": "MODEL", "value": "acme/atlas-13b"}],
            }
        ],
    },
    "status": {
        "containerStatuses": [{"name": "server", "restartCount": 7, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]
    },
}


@pytest.mark.parametrize("nested", [False, True])
def test_pods_alone_and_in_lists(read: Read, nested: bool) -> None:
    document = {"apiVersion": "v1", "kind": "List", "items": [POD]} if nested else POD
    reading = read(json.dumps(document, indent=2), "pod.json")
    found = {one.value["key"]: one.value for one in reading.facts if one.field == "clue.service_setting"}
    assert found["restarts"]["service"] == "atlas-0/server"
    assert (found["restart"]["value"], found["restarts"]["value"], found["state"]["value"]) == ("Always", "7", "CrashLoopBackOff")
    facts = {one.field: one.value for one in reading.facts}
    assert facts["model.path"] == "acme/atlas-13b"
    assert "model.max_len" not in facts


def test_a_deployment_in_yaml_with_a_shell_script(read: Read) -> None:
    text = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: atlas
spec:
  template:
    spec:
      containers:
        - name: server
          image: registry.example/serving:3
          command: ["/bin/bash", "-c"]
          args:
            - |
              set -e
              vllm serve acme/atlas-13b \\
                --tensor-parallel-size 2
"""
    facts = {one.field: one for one in read(text, "deployment.yaml").facts}
    assert facts["parallel.tensor"].value == 2
    assert facts["parallel.tensor"].origins[0].line == 16
    assert facts["clue.launch_command"].value["service"] == "atlas/server"


DESCRIBE = """Name:             atlas-0
Namespace:        bench
Containers:
  server:
    Container ID:  containerd://1f
    Image:         vllm/vllm-openai:v0.25.1
    Args:
      --model
      acme/atlas-13b
      --seed
      7
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
    Ready:          False
    Restart Count:  12
    Environment:    <none>
Conditions:
  Type              Status
Events:             <none>
"""


def test_kubectl_describe(read: Read) -> None:
    reading = read(DESCRIBE, "describe.txt")
    found = {one.value["key"]: one for one in reading.facts if one.field == "clue.service_setting"}
    assert (found["restarts"].value["value"], found["state"].value["value"]) == ("12", "CrashLoopBackOff")
    assert found["restarts"].origins[0].line == 18
    facts = {one.field: one.value for one in reading.facts}
    assert (facts["model.path"], facts["run.seed"]) == ("acme/atlas-13b", 7)


def test_kubectl_get_pods(settings: Settings) -> None:
    text = (
        "NAME      READY   STATUS             RESTARTS      AGE\n"
        "atlas-0   0/1     CrashLoopBackOff   9 (30s ago)   22m\n"
        "boreal-0  1/1     Running            0             22m\n"
    )
    found = settings(text, "pods.txt")
    assert found[("atlas-0", "restarts")] == "9"
    assert found[("boreal-0", "state")] == "Running"


def test_yaml_is_read_without_building_objects() -> None:
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\n" + "".join(
        f"{chr(99 + n)}: &{chr(99 + n)} [*{chr(98 + n)},*{chr(98 + n)}]\n" for n in range(20)
    )
    assert documents(bomb) == ()
    assert documents("a: !!python/object:os.system x\n")[0][("a",)].text == "x"
    assert documents("[" * 5000) == ()
    assert documents("- " * 5000) == ()
    assert documents("a: [1, 2") == ()


def test_cells_know_where_they_stand() -> None:
    (cells,) = documents("a:\n  - b: one\n    c: |\n      two\n      three\n")
    assert (cells[("a", "0", "b")].line, cells[("a", "0", "b")].pointer) == (2, "/a/0/b")
    assert cells[("a", "0", "c")].word.line == 4


def _addresses(reading: Reading) -> dict[str, tuple[str | None, list[tuple[str, str]]]]:
    return {
        one.value["service"]: (one.value["network"], [(port["address"], port["target"]) for port in one.value["published"]])
        for one in reading.facts
        if one.field == "clue.container_address"
    }


def test_compose_says_where_ports_are_published(read: Read) -> None:
    text = """services:
  atlas:
    image: vllm/vllm-openai:v0.25.1
    ports: ["127.0.0.1:8000:8000", "9000:9000/udp", "[::1]:8001:8001/tcp", "8002", "${BIND:-127.0.0.1}:8003:8003",
            "127.0.0.1:${P:-8}:8004"]
  boreal:
    image: lmsysorg/sglang:v0.5.20
    ports:
      - target: 30000
        published: "30000"
        host_ip: 192.0.2.7
      - target: 30001
  cirrus:
    image: lmsysorg/sglang:v0.5.20
    network_mode: host
"""
    assert _addresses(read(text, "compose.yaml")) == {
        "atlas": (None, [("127.0.0.1", "8000"), ("::1", "8001"), ("", "8002"), ("?", "8003"), ("127.0.0.1", "8004")]),
        "boreal": (None, [("192.0.2.7", "30000"), ("", "30001")]),
        "cirrus": ("host", []),
    }


def test_docker_inspect_says_where_ports_are_published(read: Read) -> None:
    bindings = {"8000/tcp": [{"HostIp": "127.0.0.1", "HostPort": "8000"}], "9000/udp": [{"HostIp": "", "HostPort": "9000"}]}
    container = {
        "Id": "c0ffee",
        "Name": "/atlas",
        "Path": "vllm",
        "Args": ["serve", "acme/atlas-13b"],
        "State": {"Status": "running"},
        "HostConfig": {"RestartPolicy": {"Name": "no"}, "NetworkMode": "bridge", "PortBindings": bindings},
        "NetworkSettings": {"Ports": {"8001/tcp": [{"HostIp": "0.0.0.0", "HostPort": "32768"}], "8002/tcp": None}},  # noqa: S104
    }
    ports = [("127.0.0.1", "8000"), ("0.0.0.0", "8001")]  # noqa: S104
    assert _addresses(read(json.dumps([container], indent=1), "inspect.json")) == {"atlas": ("bridge", ports)}


_POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: atlas}
spec:
  template:
    metadata: {labels: {app: atlas, tier: a}}
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.25.1
          args: [--model, acme/atlas-13b]
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", ("pod", [])),
        ("          ports: [{containerPort: 8000}]\n", ("pod", [])),
        ("          ports: [{containerPort: 8000, hostPort: 80, hostIP: 127.0.0.1}]\n", ("pod", [("127.0.0.1", "8000")])),
        ("      hostNetwork: true\n", ("host", [])),
        ("---\nkind: Service\nspec: {type: NodePort, selector: {app: atlas}}\n", ("pod", [("", "")])),
        ("---\nkind: Service\nspec: {type: LoadBalancer, selector: {app: boreal}}\n", ("pod", [])),
        ("---\nkind: Service\nspec: {type: ClusterIP, selector: {app: atlas}}\n", ("pod", [])),
        ("---\nkind: Service\nspec: {type: NodePort}\n", ("pod", [])),
    ],
)
def test_a_pod_is_open_by_its_host_or_by_a_service_that_leads_outside(read: Read, more: str, said: Any) -> None:
    assert _addresses(read(_POD + more, "atlas.yaml")) == {"atlas/vllm": said}
