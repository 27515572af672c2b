"""Every case folder through the front door: the bundled fixtures, and the folder that KVAUDIT_CASES names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.case_format import faults, load
from tests.conftest import ROOT, Run


def _folders(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.rglob("case.yaml"))


def _provided() -> list[Path]:
    root = os.environ.get("KVAUDIT_CASES")
    return _folders(Path(root)) if root else []


@pytest.mark.parametrize("folder", _folders(ROOT / "fixtures"), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_fixture(folder: Path, run: Run) -> None:
    _check(folder, run)


@pytest.mark.parametrize("folder", _provided() or [None], ids=lambda path: path.name if path else "none")
def test_provided_case(folder: Path | None, run: Run) -> None:
    if folder is None:
        pytest.skip("KVAUDIT_CASES does not name a folder of cases")
    _check(folder, run)


def _check(folder: Path, run: Run) -> None:
    for case in load(folder):
        done = run(*case.arguments, cwd=folder)
        assert faults(case, done.returncode, done.stdout, done.stderr) == [], case.content["command"]
