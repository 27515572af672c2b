"""Real result files, where KVAUDIT_CORPUS names a collection: every one is read, and the arithmetic of its writer holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kvaudit.parsers.facts import RUN_CLUE
from kvaudit.parsers.results.run import Run
from kvaudit.record.build import read_arm
from kvaudit.redaction import Redactor

_RATES = (("request_throughput", "completed"), ("output_throughput", "output_tokens"), ("input_throughput", "input_tokens"))
_AVERAGED = ("guidellm", "inference-perf", "llm-d-benchmark")
"""Tools whose rates are means of a distribution."""


def _files() -> list[Path]:
    named = os.environ.get("KVAUDIT_CORPUS")
    return sorted(path for path in (Path(named) / "results").rglob("*") if path.is_file()) if named else []


def test_the_collection_is_there() -> None:
    if not _files():
        pytest.skip("KVAUDIT_CORPUS does not name a collection with results")
    assert len(_files()) >= 50


@pytest.mark.parametrize("path", _files(), ids=lambda path: path.name[-60:])
def test_a_real_file_is_read(path: Path) -> None:
    record = read_arm([str(path)], Redactor())
    assert [source.kind for source in record.sources] == ["results"]
    runs = [Run.model_validate(one.value) for one in record.clues[RUN_CLUE]]
    lines = path.read_bytes().count(b"\n") + 1
    assert runs
    assert not [name for name, state in record.fields.items() if state.state == "conflict"]
    for run in runs:
        assert len(run.values) >= 3
        assert all(held.line is not None and 1 <= held.line <= lines for held in run.values.values())
        for rate, total in _RATES:
            figures = [run.number(name) for name in (rate, "duration", total)]
            if None not in figures and not run.tool.startswith(_AVERAGED):
                assert figures[0] * figures[1] == pytest.approx(figures[2], rel=1e-6)  # type: ignore[operator]
