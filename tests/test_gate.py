"""The gate benchmark counts hits, misses and false alarms as the labels say."""

from __future__ import annotations

from typing import Any

from benchmarks.gate import audits, case_folders, score_case, table
from tests.case_format import Case
from tests.conftest import ROOT

STORY = ROOT / "fixtures" / "policy" / "story"


def scored(**changes: Any) -> Any:
    first = next(audits(STORY))
    return score_case(Case(STORY, {**first.content, **changes}))


def test_a_case_that_comes_out_as_labelled() -> None:
    score = scored()
    assert (score.right, score.missed, score.false) == (True, [], [])
    assert set(score.hits) == {"hidden-fp8-kv", "kv-dtype-differs", "policy-violated", "unequal-kv-capacity"}


def test_misses_false_alarms_and_wrong_verdicts_are_counted_and_named() -> None:
    score = scored(must_fire=["seed-differs", {"rule": "hidden-fp8-kv", "severity": "note"}], must_not_fire=["kv-dtype-differs"])
    assert (score.missed, score.false) == (["seed-differs", "hidden-fp8-kv"], ["kv-dtype-differs"])
    assert not scored(verdict="comparable").right
    assert not scored(exit_code=0).right
    text = table([score])
    assert "missed seed-differs; missed hidden-fp8-kv; false alarm kv-dtype-differs" in text
    assert f"{'all':36} {0:6} {2:7} {1:13}" in text


def test_cases_that_audit_nothing_are_left_out() -> None:
    folders = case_folders([ROOT / "fixtures" / "vllm" / "hostile-lines"])
    commands = [case.content["command"] for folder in folders for case in audits(folder)]
    assert commands == ["check server.log"]
