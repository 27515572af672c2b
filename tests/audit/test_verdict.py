"""Verdict and exit code: the table of the contract, row by row."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.policy import FailOn
from kvaudit.audit.rules import Rule, bundled_rules
from kvaudit.errors import UsageError
from tests.audit.arms import GOOD, record

Severity = Literal["error", "warning", "note"]
OPEN: dict[str, Any] = {key: value for key, value in GOOD.items() if key != "kv_cache.tokens"}
SHORT = {"at_most": {"field": "model.max_len", "value": 8192}}


def _rule(severity: Severity, about: Literal["missing"] | None = None, condition: dict[str, Any] | None = None) -> Rule:
    return Rule(
        id=f"a-{severity}",
        title="t",
        scope="arm",
        severity=severity,
        when=condition or SHORT,
        message="m",
        why="w",
        fix="f",
        about=about,
    )


def _outcome(fields: dict[str, Any], rules: list[Rule], fail_on: FailOn = "error", **wishes: Any) -> tuple[str, int]:
    report = check(record(fields, "engine-log"), rules, Wishes(fail_on=fail_on, **wishes))
    return report.verdict, report.exit_code


FAIL_ON: tuple[FailOn, ...] = ("error", "warning", "never")


@pytest.mark.parametrize(
    ("severity", "codes", "verdict"),
    [
        ("error", (1, 1, 0), "fail"),
        ("warning", (0, 1, 0), "pass"),
        ("note", (0, 0, 0), "pass"),
        (None, (0, 0, 0), "pass"),
    ],
)
def test_nothing_open(severity: Severity | None, codes: tuple[int, int, int], verdict: str) -> None:
    rules = [_rule(severity)] if severity else []
    assert [_outcome(GOOD, rules, fail_on) for fail_on in FAIL_ON] == [(verdict, code) for code in codes]


@pytest.mark.parametrize(
    ("severity", "codes", "verdict"),
    [
        ("error", (1, 1, 0), "fail"),
        ("warning", (3, 1, 0), "cannot_tell"),
        ("note", (3, 3, 0), "cannot_tell"),
        (None, (3, 3, 0), "cannot_tell"),
    ],
)
def test_a_gate_critical_fact_open(severity: Severity | None, codes: tuple[int, int, int], verdict: str) -> None:
    rules = [_rule(severity)] if severity else []
    assert [_outcome(OPEN, rules, fail_on) for fail_on in FAIL_ON] == [(verdict, code) for code in codes]


@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_rules_about_missing_evidence_never_count(fail_on: FailOn) -> None:
    rule = _rule("warning", "missing", {"undecided": {"field": "kv_cache.tokens"}})
    assert _outcome(OPEN, [rule], fail_on)[1] == (0 if fail_on == "never" else 3)
    accepted = _outcome(OPEN, [rule], fail_on, accept_unknown=("kv_cache.tokens",))
    assert accepted == ("pass", 0)


def test_acceptance_of_one_fact_or_of_all() -> None:
    two_open = {key: value for key, value in OPEN.items() if key != "parallel.tensor"}
    assert _outcome(two_open, [], accept_unknown=("kv_cache.tokens",)) == ("cannot_tell", 3)
    assert _outcome(two_open, [], accept_unknown=("kv_cache.tokens", "parallel.tensor")) == ("pass", 0)
    assert _outcome(two_open, [], allow_unknown=True) == ("pass", 0)
    assert _outcome(two_open, [_rule("error")], allow_unknown=True) == ("fail", 1)


def test_what_was_accepted_stays_in_sight() -> None:
    report = check(record(OPEN, "engine-log"), [], Wishes(accept_unknown=("kv_cache.tokens",)))
    assert (report.undecided, report.settings.accepted_unknown) == ([], ["kv_cache.tokens"])
    every = check(record(OPEN, "engine-log"), [], Wishes(allow_unknown=True))
    assert every.settings.accepted_unknown == ["all"]
    assert check(record(OPEN, "engine-log"), [], Wishes()).undecided == ["kv_cache.tokens"]


def test_the_most_serious_finding_decides_and_comes_first() -> None:
    report = check(record(GOOD, "engine-log"), [_rule("note"), _rule("warning"), _rule("error")], Wishes())
    assert [finding.severity for finding in report.findings] == ["error", "warning", "note"]
    assert (report.summary.error, report.summary.warning, report.summary.note) == (1, 1, 1)
    assert report.exit_code == 1


def test_rules_may_be_selected_and_ignored() -> None:
    rules = [_rule("error"), _rule("warning")]
    assert _outcome(GOOD, rules, "warning", ignore=("a-error",)) == ("pass", 1)
    assert _outcome(GOOD, rules, select=("a-warning",)) == ("pass", 0)
    assert _outcome(GOOD, rules, select=("a-error", "a-warning"), ignore=("a-error", "a-warning")) == ("pass", 0)


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        (Wishes(select=("a-eror",)), "no rule is called 'a-eror'; did you mean a-error"),
        (Wishes(ignore=("zzz",)), "no rule is called 'zzz'; `kvaudit rules` lists them"),
        (Wishes(accept_unknown=("kv_cache.token",)), r"did you mean kv_cache\.tokens"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(wishes: Wishes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check(record(GOOD), [_rule("error")], wishes)


def _diff(b: dict[str, Any], *vary: str, fail_on: FailOn = "error") -> tuple[str, int, list[str]]:
    arms = record(GOOD, "engine-log"), record({**GOOD, **b}, "engine-log")
    report = diff(*arms, bundled_rules(), Wishes(vary=vary, fail_on=fail_on))
    return report.verdict, report.exit_code, [finding.rule for finding in report.findings if finding.severity == "error"]


def test_diff_has_its_own_words() -> None:
    assert _diff({}) == ("comparable", 0, [])
    assert _diff({"model.max_len": 4096}) == ("not_comparable", 1, ["max-len-differs"])
    assert _diff({"model.max_len": 4096}, fail_on="never")[:2] == ("not_comparable", 0)
    assert _diff({"model.max_len": 4096}, "model.max_len") == ("comparable", 0, [])
    assert _diff({"parallel.tensor": [{"value": 1}, {"value": 2}]})[:2] == ("cannot_tell", 3)
    typed = {"run.seed": {"value": 1, "stage": "requested"}}
    assert _diff(typed, fail_on="warning")[:2] == ("comparable", 1)
    assert _diff(typed)[:2] == ("comparable", 0)


def test_two_axes_are_said_to_be_two() -> None:
    verdict, code, rules = _diff({"model.max_len": 4096, "memory.utilization": 0.5})
    assert (verdict, code) == ("not_comparable", 1)
    assert {"max-len-differs", "memory-utilization-differs", "several-axes-changed"} <= set(rules)
    assert rules[-1] == "several-axes-changed"
    assert _diff({"model.max_len": 4096, "memory.utilization": 0.5}, "model.max_len")[2] == ["memory-utilization-differs"]


def test_a_hidden_fp8_cache_is_never_folded_into_the_weights() -> None:
    hidden = {
        "model.path": "acme/atlas-13b-fp8",
        "run.args": {"model": "acme/atlas-13b-fp8"},
        "kv_cache.dtype": [
            {"value": "auto", "stage": "requested"},
            {"value": "fp8_e4m3", "stage": "inferred", "how": "KV memory ÷ tokens"},
        ],
        "kv_cache.bytes_per_token": 81_920.0,
        "kv_cache.tokens": 524_288,
        "kv_cache.max_concurrency": 64.0,
    }
    for vary in (("weights",), ("model.path",)):
        verdict, code, rules = _diff(hidden, *vary)
        assert (verdict, code) == ("not_comparable", 1)
        assert {"hidden-fp8-kv", "kv-dtype-differs", "unequal-kv-capacity"} <= set(rules)
        assert not {"several-axes-changed", "model-differs"} & set(rules)
    verdict, code, rules = _diff(hidden, "weights", "kv_cache.dtype")
    assert (verdict, code, rules) == ("comparable", 0, [])


def test_the_causes_of_a_finding_come_first() -> None:
    report = diff(
        record(GOOD, "engine-log"),
        record(
            {**GOOD, "kv_cache.dtype": "fp8_e4m3", "kv_cache.bytes_per_token": 81_920.0, "kv_cache.tokens": 524_288}, "engine-log"
        ),
        bundled_rules(),
        Wishes(),
    )
    errors = [(finding.rule, finding.explained_by) for finding in report.findings if finding.severity == "error"]
    assert errors == [("kv-dtype-differs", None), ("unequal-kv-capacity", "kv_cache.dtype")]
