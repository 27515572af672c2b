"""What cannot be run here is checked by its schema or a linter: the action, the hooks, the container file, every recipe."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import re2
import yaml

from kvaudit.audit.policy_file import load
from tests.conftest import ROOT, Run

BIN = Path(sys.executable).parent
BLOCK = re2.compile(r"(?ms)^```(yaml|toml|bash|make)\n(.*?)^```$")
PAGES = ("docs/recipes.md", "docs/policy.md")


def blocks(language: str) -> list[str]:
    """The code blocks of a language on the pages, in order."""
    found = [match for page in PAGES for match in BLOCK.finditer((ROOT / page).read_text(encoding="utf-8"))]
    return [match.group(2) for match in found if match.group(1) == language]


def checked(*command: str | Path, stdin: str | None = None) -> None:
    """The command finds nothing to complain about; skipped where it is not installed for this platform."""
    program = BIN / str(command[0])
    if not program.exists():
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run([program, *command[1:]], input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def with_key(key: str) -> str:
    return next(block for block in blocks("yaml") if key in yaml.safe_load(block))


def scripts_of_the_action() -> list[str]:
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    return [step["run"] for step in action["runs"]["steps"]]


def test_the_action_follows_its_schema() -> None:
    checked("check-jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml")


def test_no_input_is_part_of_a_script() -> None:
    assert [script for script in scripts_of_the_action() if "${{" in script] == []


@pytest.mark.parametrize("script", scripts_of_the_action(), ids=["install", "audit"])
def test_scripts_of_the_action_are_clean(script: str) -> None:
    checked("shellcheck", "--shell=bash", "-", stdin=script)


def test_the_script_of_the_action_runs_the_command(tmp_path: Path, command: str) -> None:
    """The runner is acted out: environment in, exit code out."""
    (tmp_path / "kvaudit" / "bin").mkdir(parents=True)
    (tmp_path / "kvaudit" / "bin" / "kvaudit").symlink_to(command)
    environment = {
        "PATH": "/usr/bin:/bin",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "KVAUDIT_COMMAND": "diff",
        "KVAUDIT_PATHS": "bad/a\nbad/b\n",
        "KVAUDIT_ARGUMENTS": "--vary\nweights\n",
        "KVAUDIT_POLICY": "",
        "KVAUDIT_SARIF": str(tmp_path / "x.sarif"),
        "KVAUDIT_JUNIT": "",
    }
    script = scripts_of_the_action()[1]
    done = subprocess.run(
        ["/bin/bash", "-c", script], cwd=ROOT / "fixtures" / "demo", env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "output").read_text() == "exit-code=1\n"
    assert (tmp_path / "summary.md").read_text().startswith("# kvaudit diff: not comparable")
    assert "::error file=bad/b/server.log" in done.stdout
    assert (tmp_path / "x.sarif").exists()


def test_the_hooks_are_valid() -> None:
    checked("pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")


def test_the_container_file_is_clean() -> None:
    checked("hadolint", ROOT / "Containerfile")


def test_the_workflow_follows_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "workflow.yml"
    path.write_text(with_key("jobs"))
    checked("check-jsonschema", "--builtin-schema", "vendor.github-workflows", path)


def test_the_workflow_gives_inputs_that_the_action_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = yaml.safe_load(with_key("jobs"))["jobs"]["gate"]["steps"]
    given = next(step["with"] for step in steps if str(step.get("uses")).startswith("kvaudit/"))
    assert given.keys() <= action["inputs"].keys()


def test_the_gitlab_job_follows_its_schema(tmp_path: Path) -> None:
    path = tmp_path / ".gitlab-ci.yml"
    path.write_text(with_key("kvaudit"))
    checked("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", path)


def test_the_pod_follows_the_schemas_of_kubernetes() -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    kubernetes_validate.validate(yaml.safe_load(with_key("apiVersion")), "1.34", strict=True)


def test_the_pre_commit_configuration_is_valid(tmp_path: Path) -> None:
    path = tmp_path / ".pre-commit-config.yaml"
    path.write_text(with_key("repos"))
    checked("pre-commit", "validate-config", path)


@pytest.mark.parametrize("script", blocks("bash"), ids=["baseline", "slurm"])
def test_shell_recipes_are_clean(script: str) -> None:
    checked("shellcheck", "--shell=bash", "-", stdin=script)


@pytest.mark.parametrize("makefile", blocks("make"))
def test_the_makefile_runs_dry(makefile: str, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(makefile)
    (tmp_path / "run").mkdir()
    for name in ("run/server.log", "run/gpus.xml", "kvaudit.toml"):
        (tmp_path / name).touch()
    make = shutil.which("make")
    assert make
    done = subprocess.run([make, "--dry-run", "benchmark"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "kvaudit check run/ --policy kvaudit.toml" in done.stdout


@pytest.mark.parametrize("text", blocks("toml"))
def test_policies_of_the_pages_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kvaudit.toml"
    path.write_text(text)
    assert load(path, "kvaudit.toml")["require"]


def test_the_baseline_recipe_works(tmp_path: Path, run: Run) -> None:
    shutil.copytree(ROOT / "fixtures" / "demo" / "bad" / "b", tmp_path / "run")
    assert run("check", "run/", "--write-baseline", "known.json", cwd=tmp_path).returncode == 1
    done = run(
        "check", "run/", "--baseline", "known.json", "-o", "sarif=kvaudit.sarif", "-o", "markdown=kvaudit.md", cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout


def test_the_policy_of_a_checkpoint_works_on_a_checkpoint(tmp_path: Path, run: Run) -> None:
    policy = next(text for text in blocks("toml") if "kv_cache.scheme" in text)
    (tmp_path / "kvaudit.toml").write_text(policy)
    for arm, code in (("a", 0), ("b", 1)):
        folder = tmp_path / arm
        folder.mkdir()
        shutil.copy(ROOT / "fixtures" / "demo" / "bad" / arm / "config.json", folder)
        assert run("check", arm, "--policy", "kvaudit.toml", cwd=tmp_path).returncode == code
