"""A CI user's story, acted out with the installed command: a gate stops a run for a reason, and is green once it is repaired.

A repository with a policy; two run folders, recorded before and after a nightly checkpoint. The checkpoint keeps its KV cache in
FP8 and no log says so. The team repairs the launch, records again, and everything is green.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT, Run

STORY = ROOT / "fixtures" / "policy" / "story"
LOG_LINE = "Available KV cache memory"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    shutil.copy(STORY / "kvaudit.toml", tmp_path)
    for name in ("before", "after"):
        shutil.copytree(STORY / name, tmp_path / "runs" / name)
    return tmp_path


def test_the_gate_stops_the_run_for_a_reason_and_lets_the_repaired_one_through(repository: Path, run: Run) -> None:
    reports = ("-o", "sarif=kvaudit.sarif", "-o", "junit=kvaudit.xml", "-o", "gitlab=kvaudit.json")

    # The run that was agreed on passes the policy of the repository, which the report names.
    before = run("check", "runs/before", "--format", "json", cwd=repository)
    assert before.returncode == 0, before.stderr
    assert json.loads(before.stdout)["settings"]["file"] == "kvaudit.toml"

    # The nightly one does not: exit code 1, and the reason stands on the line of the log.
    after = run("check", "runs/after", *reports, cwd=repository)
    assert after.returncode == 1
    assert "where the policy requires kv_cache.dtype = bfloat16" in after.stdout
    assert_on_the_line(repository, "policy-violated")
    assert failures(repository / "kvaudit.xml") == {"verdict", "hidden-fp8-kv", "policy-violated"}
    gitlab = json.loads((repository / "kvaudit.json").read_text())
    assert {one["location"]["path"] for one in gitlab} == {"runs/after/server.log"}

    # The two may not be compared either, whatever the dashboard says.
    pair = run("diff", "runs/before", "runs/after", *reports, "--format", "github", cwd=repository)
    assert pair.returncode == 1
    assert "::error file=runs/after/server.log,line=" in pair.stdout
    sarif = json.loads((repository / "kvaudit.sarif").read_text())
    assert {"hidden-fp8-kv", "kv-dtype-differs", "policy-violated"} <= {one["ruleId"] for one in sarif["runs"][0]["results"]}
    silent = [one["ruleId"] for one in sarif["runs"][0]["results"] if one.get("suppressions")]
    assert silent == ["checkpoint-changed"]

    # A log alone proves nothing about the cache: nobody is told that all is well.
    assert run("check", "runs/after/server.log", "--format", "json", cwd=repository).returncode == 3

    # A wrong policy decides nothing.
    (repository / "wrong.toml").write_text("fail_onn = 'error'\n")
    wrong = run("check", "runs/after", "--policy", "wrong.toml", cwd=repository)
    assert wrong.returncode == 2
    assert "wrong.toml: fail_onn: no such key; did you mean fail_on?" in wrong.stderr

    # The cause is repaired: --kv-cache-dtype bfloat16, and the run is recorded again.
    shutil.rmtree(repository / "runs" / "after")
    shutil.copytree(STORY / "repaired", repository / "runs" / "after")
    assert run("check", "runs/after", *reports, cwd=repository).returncode == 0
    repaired = run("diff", "runs/before", "runs/after", *reports, "--format", "json", cwd=repository)
    assert repaired.returncode == 0, repaired.stdout
    assert json.loads(repaired.stdout)["verdict"] == "comparable"
    assert failures(repository / "kvaudit.xml") == set()
    assert json.loads((repository / "kvaudit.json").read_text()) == []
    results = json.loads((repository / "kvaudit.sarif").read_text())["runs"][0]["results"]
    assert [one for one in results if not one.get("suppressions")] == []


def failures(path: Path) -> set[str | None]:
    root = ElementTree.parse(path).getroot()  # noqa: S314 - our own output
    return {
        case.get("name") for case in root.iter("testcase") if case.find("failure") is not None or case.find("error") is not None
    }


def assert_on_the_line(repository: Path, rule: str) -> None:
    """The region that SARIF gives for a finding is the line of the log that it quotes."""
    log = json.loads((repository / "kvaudit.sarif").read_text())
    result = next(one for one in log["runs"][0]["results"] if one["ruleId"] == rule)
    place = result["locations"][0]["physicalLocation"]
    lines = (repository / place["artifactLocation"]["uri"]).read_text().split("\n")
    assert LOG_LINE in place["region"]["snippet"]["text"]
    assert place["region"]["snippet"]["text"] in lines[place["region"]["startLine"] - 1]
