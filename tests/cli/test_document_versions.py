"""Every document carries version 1; saved documents of version 0 stay readable, unknown versions are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call


def _written(evidence: Path, call: Call, version: int, folder: Path) -> Path:
    document: dict[str, Any] = json.loads(call("record", "a", cwd=evidence).out)
    assert document["version"] == 1
    document["version"] = version
    path = folder / "saved.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("version", [0, 1])
def test_a_saved_record_of_a_known_version_is_the_arm_it_was_made_of(version: int, bad: Path, call: Call, tmp_path: Path) -> None:
    saved = _written(bad, call, version, tmp_path)
    done = call("diff", "a", saved, cwd=bad)
    assert (done.code, "COMPARABLE" in done.out) == (0, True)


def test_a_newer_version_is_refused(bad: Path, call: Call, tmp_path: Path) -> None:
    done = call("check", _written(bad, call, 2, tmp_path), cwd=bad)
    assert done.code == 2
    assert "another document version" in done.err


def test_reports_carry_the_version(bad: Path, call: Call) -> None:
    report = json.loads(call("diff", "a", "b", "--format", "json", cwd=bad).out)
    assert [report["version"], *(arm["version"] for arm in report["arms"])] == [1, 1, 1]
