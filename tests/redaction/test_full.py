"""The level for posting in public: whose machine it was is not seen in any format, nor on stderr."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.cli.options import FORMATS
from tests.cli.conftest import Call, call
from tests.conftest import ROOT

__all__ = ["call"]

LOG = (ROOT / "fixtures" / "vllm" / "flag-honoured" / "server.log").read_text(encoding="utf-8")
PRIVATE = ("gpu-07.cluster.internal", "192.0.2.77", "2001:db8::7", "/home/alice", "alice@example.org", "alice")
NOTICE = (
    "WARNING 06-12 09:12:13 [core.py:114] Preemption: node gpu-07.cluster.internal (192.0.2.77, [2001:db8::7]:29500) wrote "
    "/home/alice/cache/plan.bin for alice@example.org, user=alice, see http://192.0.2.77:8000/metrics"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("alice-private")
    text = LOG.replace("northwind-ai/", "/home/alice/models/northwind-ai/").replace("0.0.0.0", "gpu-07.cluster.internal")  # noqa: S104
    lines = text.split("\n")
    middle = len(lines) // 2
    (place / "server.log").write_text("\n".join([*lines[:middle], NOTICE, *lines[middle:]]), encoding="utf-8")
    return place


COMMANDS = [
    *(["check", "{}/server.log", "--format", name] for name in FORMATS),
    *(["diff", "{}/server.log", "{}/server.log", "--format", name] for name in FORMATS),
    ["record", "{}/server.log"],
    ["why", "{}/server.log", "run.args"],
    ["why", "{}/server.log", "model.path"],
    ["check", "{}/missing.log", "--format", "json"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_private_is_seen(arguments: list[str], folder: Path, call: Call) -> None:
    done = call(*(one.format(folder) for one in arguments), "--redact", "full")
    assert done.code in (0, 1, 2, 3)
    assert {one for one in (*PRIVATE, str(folder)) if one in done.out + done.err} == set()


def test_equal_paths_share_a_mask_in_every_place(folder: Path, call: Call) -> None:
    record = call("record", f"{folder}/server.log", "--redact", "full").json
    origins = {origin["file"] for state in record["fields"].values() for fact in state["facts"] for origin in fact["origins"]}
    assert origins == {record["sources"][0]["path"]}
