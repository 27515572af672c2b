"""Real public result files, where KVAUDIT_CORPUS names them: what holds in them, and the known contradictions."""

from __future__ import annotations

import os
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from kvaudit.audit.audit import Wishes
from kvaudit.audit.report import Report
from kvaudit.audit.results import results
from kvaudit.audit.rules import bundled_rules
from kvaudit.record.build import read_arm
from kvaudit.redaction import Redactor
from kvaudit.results.checking import check_run
from kvaudit.results.evidence import results_of

RULES = [rule for rule in bundled_rules() if rule.category == "results"]
CONTRADICTORY = {
    "llmperf/*individual__lepton_13b*": True,
    "llmperf/*individual__perplexity_70b*": True,
    "llmperf/*individual__together_*": True,
    "inference_perf/*lifecycle*": True,
    "trtllm_bench/*rtx4070ti*": True,
    "llmd/*br_v0_2*": True,
}
"""Files whose figures contradict each other: pieces counted as tokens, a re-tokenizer that counts twice, a mean of speeds that
one request spoils, and examples of a format with one figure in every place."""
OF_NO_ONE_WINDOW = ("inference_perf_prom", "llama_benchy")


def _folder() -> Path:
    named = os.environ.get("KVAUDIT_CORPUS")
    if not named:
        pytest.skip("KVAUDIT_CORPUS does not name a labelled collection")
    folder = Path(named) / "results"
    if not folder.is_dir():
        pytest.skip("the collection holds no result files")
    return folder


@lru_cache(maxsize=1)
def _reports() -> dict[str, Report]:
    folder = _folder()
    files = sorted(path for path in folder.glob("*/*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _report(path) for path in files}


def _report(*paths: Path) -> Report:
    return results([read_arm([str(path) for path in paths], Redactor("default"))], RULES, Wishes())


def _expected_to_contradict() -> set[str]:
    folder = _folder()
    return {path.relative_to(folder).as_posix() for pattern in CONTRADICTORY for path in folder.glob(pattern)}


def _fired(report: Report, severity: str) -> set[str]:
    return {one.rule for one in report.findings if one.severity == severity and one.state == "fired"}


def test_the_known_contradictions_are_named_and_no_other_file_has_an_error() -> None:
    errors = {name: _fired(report, "error") for name, report in _reports().items()}
    assert {name for name, rules in errors.items() if rules} == _expected_to_contradict()
    assert {rule for rules in errors.values() for rule in rules} <= {"result-quantities-disagree"}


def test_every_identity_holds_wherever_it_speaks_of_an_honest_file() -> None:
    contradictory, held = _expected_to_contradict(), Counter[str]()
    for name, report in _reports().items():
        checks = [one for run in results_of(report.arms[0]).runs for one in check_run(run)]
        held.update(one.identity.id for one in checks if one.holds)
        assert name in contradictory or [one.told for one in checks if one.holds is False] == []
    assert min(held[name] for name in ("I1", "I2", "I3", "I4", "I8", "I9", "I12", "I13")) >= 10


def test_something_of_every_file_could_be_compared() -> None:
    blind = {name for name, report in _reports().items() if report.verdict == "cannot_tell"}
    assert {name.partition("/")[0] for name in blind} <= set(OF_NO_ONE_WINDOW)


def test_offered_rates_that_were_not_reached_are_named() -> None:
    overloaded = [name for name in _reports() if "rate-sweep" in name or "monday-peak" in name]
    assert len(overloaded) >= 5
    assert [name for name in overloaded if "run-too-short" not in _fired(_reports()[name], "warning")] == []


def test_repetitions_that_waited_alike_are_not_accused_of_a_warm_cache() -> None:
    """The same 1,077,675 prompt tokens twice, 154 and 164 ms to the first token."""
    repeated = sorted((_folder() / "sglang_bench_serving").glob("bowenwan6*caseC_batched_vllm_rep*.json"))
    if len(repeated) < 2:
        pytest.skip("the collection holds no repetitions of this run")
    assert "prefix-hits-in-synthetic-load" not in _fired(_report(*repeated), "warning")
