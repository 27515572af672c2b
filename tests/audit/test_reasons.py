"""The sentences that lead a report: figures, causes, and what would settle an open fact."""

from __future__ import annotations

from typing import Any

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.report import Report
from kvaudit.audit.rules import Rule, bundled_rules
from tests.audit.arms import GOOD, record

AUTO: dict[str, Any] = {"kv_cache.dtype": {"value": "auto", "stage": "requested"}}


def _diff(a: dict[str, Any], b: dict[str, Any], *vary: str) -> Report:
    arms = record({**GOOD, **a}, "engine-log"), record({**GOOD, **b}, "engine-log")
    return diff(*arms, bundled_rules(), Wishes(vary=vary))


def test_nothing_to_say_is_said() -> None:
    assert _diff({}, {}).reasons == ["Nothing known differs beyond its tolerance, except what was put under test."]
    assert check(record(GOOD, "engine-log"), bundled_rules(), Wishes()).reasons == ["Nothing speaks against this run."]


def test_the_findings_lead_and_the_capacity_follows_with_its_figures() -> None:
    report = _diff({}, {"kv_cache.dtype": "fp8_e4m3", "kv_cache.bytes_per_token": 81_920.0, "kv_cache.tokens": 524_288})
    assert report.reasons[0] == report.findings[0].message
    assert "Capacity b ÷ a = 2.000 = 2.000 (bytes per token) × 1.000 (KV memory)." in report.reasons


def test_what_no_factor_explains_is_named() -> None:
    report = _diff({}, {"kv_cache.tokens": 400_000})
    assert (
        "Capacity b ÷ a = 1.526 = 1.000 (bytes per token) × 1.000 (KV memory); a factor of 1.526 is left unexplained."
        in report.reasons
    )


def test_an_open_fact_says_of_which_arm_it_is_and_what_settles_it() -> None:
    report = _diff({}, {"parallel.tensor": [{"value": 1}, {"value": 2}]})
    assert report.reasons == ["parallel.tensor is not decided: arm b: 1, 2 are both said."]
    silent = {name: value for name, value in GOOD.items() if name != "kv_cache.tokens"}
    (reason,) = check(record(silent, "engine-log"), [], Wishes()).reasons
    assert reason.startswith("kv_cache.tokens is not decided: ")
    assert "a log that reaches the capacity line ('KV cache size: N tokens')" in reason


def test_two_spellings_that_may_be_the_same_are_called_that() -> None:
    report = _diff({"kv_cache.dtype": "fp8"}, {"kv_cache.dtype": "fp8_e4m3"})
    assert report.reasons == ["kv_cache.dtype is not decided: the two spellings may mean the same."]


def test_figures_that_look_like_another_width_but_prove_nothing() -> None:
    """Two models that are not known to be alike: both figures, their ratio, and the files that would settle it."""
    other = {"model.path": "acme/atlas-13b-w4", "kv_cache.bytes_per_token": 81_920.0, "kv_cache.tokens": 524_288}
    report = _diff(AUTO, {**AUTO, **other})
    assert report.reasons[0] == (
        "KV memory ÷ tokens: 40.00 GiB ÷ 262,144 = 163,840 bytes per token on arm a, "
        "40.00 GiB ÷ 524,288 = 81,920 on arm b (2.00 : 1)."
    )
    assert report.reasons[1] == (
        "Whether that is another KV element type is not decided for arm a and b, because the models are not known to be alike. "
        "This settles it: -a acme/atlas-13b/config.json -b acme/atlas-13b-w4/config.json"
    )
    assert report.undecided == ["kv_cache.dtype"]


def test_only_the_open_arm_needs_its_config() -> None:
    other = {"model.path": "acme/atlas-13b-w4", "kv_cache.bytes_per_token": 327_680.0, "kv_cache.tokens": 131_072}
    reasons = _diff({}, {**AUTO, **other}).reasons
    assert reasons[0].endswith("(1 : 2.00).")
    assert reasons[1].endswith("This settles it: -b acme/atlas-13b-w4/config.json")


def test_many_errors_are_counted() -> None:
    rules = [
        Rule(
            id=f"rule-{number}",
            title="t",
            scope="arm",
            severity="error",
            when={"equals": {"field": "run.seed", "value": 0}},
            message=f"message {number}",
            why="w",
            fix="f",
        )
        for number in range(8)
    ]
    reasons = check(record(GOOD, "engine-log"), rules, Wishes()).reasons
    assert reasons == [*(f"message {number}" for number in range(5)), "… and 3 more findings of severity error."]


def test_capacities_that_are_counted_otherwise_have_no_ratio() -> None:
    windows = {"engine.name": "sglang", "kv_cache.tokens": 100_000, "clue.windowed_pool": "windows or recurrent state"}
    report = _diff({}, windows)
    assert not any(reason.startswith("Capacity b ÷ a") for reason in report.reasons)
    assert any(reason.endswith("so their ratio says nothing.") for reason in report.reasons)
