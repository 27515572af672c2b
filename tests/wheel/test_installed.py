"""What was installed, from the outside: `--installed COMMAND` names a wheel's command, else it is the checkout's own."""

from __future__ import annotations

import filecmp
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT, Run

DEMO = ROOT / "fixtures" / "demo"


@pytest.fixture
def folders(command: str) -> dict[str, Path]:
    """Where the installed package finds its data, asked of the interpreter beside the command."""
    code = "from kvaudit import bundled as b; print(b.__file__, b.rules_folder(), b.demo_folder(), sep='\\n')"
    python = Path(command).parent / "python"
    done = subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=True, cwd="/")
    package, rules, demo = done.stdout.splitlines()
    return {"package": Path(package).parent, "rules": Path(rules), "demo": Path(demo)}


def test_the_demo_is_the_headline(run: Run, tmp_path: Path) -> None:
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("NOT COMPARABLE")
    assert "hidden-fp8-kv" in done.stdout
    assert "exit code 1 is the expected result here" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_good_demo(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--good", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("COMPARABLE")


def test_a_diff_of_copies(run: Run, tmp_path: Path) -> None:
    shutil.copytree(DEMO / "bad", tmp_path / "runs")
    done = run("diff", "runs/a", "runs/b", "--vary", "weights", "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (1, "not_comparable")
    assert {"hidden-fp8-kv", "kv-dtype-differs", "unequal-kv-capacity"} <= {finding["rule"] for finding in report["findings"]}
    assert report["capacity"]["ratio"] == pytest.approx(1.775, abs=0.001)
    places = {(one["file"], one["line"]) for finding in report["findings"] for one in finding["evidence"]}
    assert ("runs/b/server.log", 28) in places


def test_the_rules_are_listed(run: Run, tmp_path: Path) -> None:
    done = run("rules", cwd=tmp_path)
    assert done.returncode == 0
    listed = {line.split()[0] for line in done.stdout.splitlines()}
    shipped = {path.stem for path in ROOT.glob("rules/*/*.yaml") if path.parent.name != "engines"}
    assert listed == shipped


def test_a_rule_explains_itself(run: Run, tmp_path: Path) -> None:
    done = run("explain", "hidden-fp8-kv", cwd=tmp_path)
    assert done.returncode == 0
    assert "--kv-cache-dtype" in done.stdout


def test_rules_engine_tables_and_demo_are_inside(folders: dict[str, Path], request: pytest.FixtureRequest) -> None:
    for inside, here in ((folders["rules"], ROOT / "rules"), (folders["demo"], DEMO)):
        wanted = sorted(path.relative_to(here) for path in here.rglob("*") if path.suffix in (".yaml", ".json", ".log"))
        assert [name for name in wanted if not (inside / name).is_file()] == []
        assert [name for name in wanted if not filecmp.cmp(inside / name, here / name, shallow=False)] == []
    if request.config.getoption("--installed"):
        assert folders["rules"].parent == folders["demo"].parent == folders["package"]
        assert not folders["package"].is_relative_to(ROOT / "src")
        assert (folders["package"] / "py.typed").is_file()


def test_it_needs_no_working_directory_of_its_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kvaudit").mkdir()
    (tmp_path / "kvaudit" / "__init__.py").write_text("raise SystemExit('the working directory was imported')\n")
    (tmp_path / "rules").mkdir()
    done = run("rules", cwd=tmp_path)
    assert done.returncode == 0


def test_the_compiled_rules_and_hints_fit_what_was_installed(command: str) -> None:
    code = (
        "from kvaudit.compiled import compiled; from kvaudit.parsers.registry import hints_digest; "
        "held = compiled(); print(held is not None and held['hints']['digest'] == hints_digest())"
    )
    python = Path(command).parent / "python"
    done = subprocess.run([python, "-c", code], capture_output=True, encoding="utf-8", check=True, cwd="/")
    assert done.stdout.strip() == "True"
