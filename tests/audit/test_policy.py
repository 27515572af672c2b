"""Policies: what they require, change, allow and suppress, and what is wrong with a policy file."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.context import ArmContext
from kvaudit.audit.policy import Policy
from kvaudit.audit.policy_file import load, over
from kvaudit.audit.policy_model import given_in
from kvaudit.audit.policy_requirements import Requirement, met, requirements
from kvaudit.audit.policy_schema import policy_schema
from kvaudit.audit.predicates.policy import requirement_unmet
from kvaudit.audit.report import Report
from kvaudit.audit.rules import bundled_rules
from kvaudit.errors import InputError
from tests.audit.arms import GOOD, record

FP8 = {**GOOD, "kv_cache.dtype": [{"value": "auto", "stage": "requested"}, {"value": "fp8_e4m3", "stage": "resolved"}]}
TODAY = datetime.date(2026, 6, 1)


def audited(fields: dict[str, Any], text: str, **wishes: Any) -> Report:
    policy = Policy(**given_in(tomllib.loads(text)))
    return check(record(fields, "engine-log"), bundled_rules(), Wishes(policy=policy, today=TODAY, **wishes))


def fired(report: Report) -> dict[str, str]:
    return {one.rule: one.severity for one in report.findings if one.state == "fired"}


@pytest.mark.parametrize(
    ("require", "verdict"),
    [
        ('kv_cache.dtype = "bfloat16"', "pass"),
        ('"kv_cache.dtype" = "bf16"', "pass"),
        ('kv_cache.dtype = ["fp8", "bfloat16"]', "pass"),
        ('kv_cache.dtype = "fp8"', "fail"),
        ("kv_cache.prefix_caching = true", "pass"),
        ("kv_cache.prefix_caching = false", "fail"),
        ("kv_cache.tokens = {at_least = 262_144}", "pass"),
        ("kv_cache.tokens = {at_least = 262_145}", "fail"),
        ("memory.utilization = {at_least = 0.85, at_most = 0.9}", "pass"),
        ("memory.utilization = {at_most = 0.89}", "fail"),
        ('attention.backend = "FLASH_ATTN"', "cannot_tell"),
        ('gpu.names = "NVIDIA H100"', "cannot_tell"),
    ],
)
def test_required_values(require: str, verdict: str) -> None:
    report = audited(GOOD, f"[require]\n{require}")
    assert report.verdict == verdict
    assert ("policy-violated" in fired(report)) == (verdict == "fail")
    assert report.exit_code == {"pass": 0, "fail": 1, "cannot_tell": 3}[verdict]


def test_an_unknown_required_value_is_named_and_can_be_accepted() -> None:
    text = '[require]\nattention.backend = "FLASH_ATTN"'
    assert audited(GOOD, text).undecided == ["attention.backend"]
    assert any(one.rule == "policy-violated" for one in audited(GOOD, text).not_checked)
    assert audited(GOOD, text, accept_unknown=("attention.backend",)).verdict == "pass"


def test_a_finding_for_each_broken_requirement_with_its_evidence() -> None:
    report = audited(FP8, '[require]\nkv_cache.dtype = "bfloat16"\nkv_cache.tokens = {at_least = 300_000}')
    broken = [one for one in report.findings if one.rule == "policy-violated"]
    assert [one.evidence[0].field for one in broken] == ["kv_cache.dtype", "kv_cache.tokens"]
    assert broken[0].message == "The run has fp8_e4m3 where the policy requires kv_cache.dtype = bfloat16."
    assert broken[1].message == "The run has 262,144 where the policy requires kv_cache.tokens at least 300,000."


@pytest.mark.parametrize(
    ("name", "value", "wanted", "answer"),
    [
        ("kv_cache.dtype", "fp8", "fp8_e4m3", None),
        ("kv_cache.dtype", "fp8_e5m2", "fp8", True),
        ("kv_cache.dtype", "fp8_e5m2", "fp8_e4m3", False),
        ("kv_cache.dtype", {"prefill": "bfloat16", "decode": "fp8_e4m3"}, "bfloat16", False),
        ("speculative.method", None, "none", True),
        ("speculative.method", None, "eagle3", False),
        ("kv_cache.prefix_caching", None, False, True),
        ("gpu.names", ["NVIDIA H100", "NVIDIA H100"], "NVIDIA H100", True),
        ("gpu.names", ["NVIDIA H100", "NVIDIA L4"], "NVIDIA H100", False),
        ("parallel.tensor", 2, 2, True),
        ("parallel.tensor", 2, 4, False),
    ],
)
def test_what_meets_a_requirement(name: str, value: Any, wanted: Any, answer: bool | None) -> None:
    held = record({name: value if not isinstance(value, dict) else {"value": value}})
    assert met(held, Requirement(name, wanted)) is answer


def test_the_predicate_is_three_valued() -> None:
    required = requirements({"kv_cache.dtype": "bfloat16"})[0]
    answers = [
        requirement_unmet(ArmContext("a", record(fields), requirement=required), {}).truth
        for fields in ({"kv_cache.dtype": "fp8_e4m3"}, {"kv_cache.dtype": "bfloat16"}, {})
    ]
    assert answers == [True, False, None]
    assert requirement_unmet(ArmContext("a", record({})), {}).truth is False


def test_what_the_policy_requires_is_declared() -> None:
    assert fired(audited(FP8, "")) == {"hidden-fp8-kv": "error"}
    assert fired(audited(FP8, '[require]\nkv_cache.dtype = "fp8_e4m3"')) == {"hidden-fp8-kv": "note"}
    undeclared = fired(audited(FP8, '[require]\nkv_cache.dtype = "bfloat16"'))
    assert undeclared == {"hidden-fp8-kv": "error", "policy-violated": "error"}


def test_severities_are_changed_but_a_declared_value_stays_a_note() -> None:
    report = audited(FP8, '[severity]\nhidden-fp8-kv = "warning"')
    assert (report.verdict, report.exit_code, fired(report)) == ("pass", 0, {"hidden-fp8-kv": "warning"})
    text = '[require]\nkv_cache.dtype = "fp8"\n[severity]\nhidden-fp8-kv = "warning"'
    assert fired(audited(FP8, text)) == {"hidden-fp8-kv": "note"}


@pytest.mark.parametrize(
    ("text", "wishes", "code"),
    [
        ("", {}, 0),
        ('fail_on = "warning"', {}, 1),
        ('fail_on = "warning"', {"fail_on": "error"}, 0),
        ('profile = "strict"', {}, 1),
        ('profile = "strict"\nfail_on = "error"', {}, 0),
        ('fail_on = "error"', {"profile": "strict"}, 1),
    ],
)
def test_who_says_what_fails(text: str, wishes: dict[str, Any], code: int) -> None:
    severity = '\n[severity]\nhidden-fp8-kv = "warning"'
    assert audited(FP8, text + severity, **wishes).exit_code == code


def test_the_quick_profile_asks_for_less() -> None:
    fields = {name: value for name, value in GOOD.items() if name != "kv_cache.dtype"}
    assert audited(fields, "").verdict == "cannot_tell"
    assert audited(fields, 'profile = "quick"').verdict == "pass"
    assert audited(fields, 'accept_unknown = ["kv_cache.dtype"]').verdict == "pass"


def test_allowed_differences_are_under_test() -> None:
    other = {**GOOD, "scheduler.max_num_seqs": 512}
    a, b = (record(side, "engine-log") for side in ({**GOOD, "scheduler.max_num_seqs": 256}, other))
    assert diff(a, b, bundled_rules(), Wishes()).verdict == "not_comparable"
    allowed = diff(a, b, bundled_rules(), Wishes(policy=Policy(vary=["scheduler"])))
    assert (allowed.verdict, allowed.settings.vary) == ("comparable", ["scheduler"])


def test_allowed_tenants_are_left_out_of_rules_and_stay_in_the_record() -> None:
    own = {"gpu": 0, "pid": 10, "name": "VLLM::EngineCore", "type": "C", "mib": 60_000, "class": "own", "reason": "title"}
    stray = {"gpu": 0, "pid": 11, "name": "/usr/bin/dcgm-exporter", "type": "C", "mib": 6000, "class": "foreign"}
    fields = {**GOOD, "gpu.tenants": [own, stray], "gpu.count": 1}
    before, after = (
        check(record(fields, "engine-log", "gpu-snapshot"), bundled_rules(), Wishes(policy=Policy(allow_tenants=allowed)))
        for allowed in ([], ["dcgm-*"])
    )
    assert "stray-gpu-tenant" in fired(before)
    assert "stray-gpu-tenant" not in fired(after)
    assert len(after.arms[0].value("gpu.tenants")) == 2
    assert after.settings.allowed_tenants == ["dcgm-*"]


@pytest.mark.parametrize(
    ("where", "counts"),
    [
        ("", False),
        ('arm = "a"', False),
        ('arm = "b"', True),
        ('arm = "exam*"', False),
        ('field = "kv_cache.*"', False),
        ('field = "gpu.*"', True),
        ('path = "exam?le"', False),
        ('path = "example.log"', True),
        ("expires = 2026-06-01", False),
        ("expires = 2026-05-31", True),
    ],
)
def test_suppressions(where: str, counts: bool) -> None:
    report = audited(FP8, f'[[suppress]]\nrule = "hidden-fp8-kv"\nreason = "agreed"\n{where}')
    (finding,) = report.findings
    assert (report.verdict == "fail") is counts
    assert report.summary.suppressed == int(not counts)
    assert finding.state == ("fired" if counts else "suppressed")
    if not counts:
        assert (finding.reason or "").startswith("agreed")


def test_an_expired_suppression_says_that_it_counts_again() -> None:
    report = audited(FP8, '[[suppress]]\nrule = "hidden-fp8-kv"\nreason = "agreed"\nexpires = 2026-05-31')
    assert report.settings.notes == ["the suppression of hidden-fp8-kv expired on 2026-05-31: it counts again (agreed)"]
    assert report.findings[0].reason == "its suppression expired on 2026-05-31 (agreed)"


FAULTS = {
    'profil = "strict"': "profil: no such key; did you mean profile?",
    'fail_on = "never-ever"': "fail_on: Input should be",
    'accept_unknown = ["kv_cache.dtyp"]': "accept_unknown: no field is called 'kv_cache.dtyp'; did you mean kv_cache.dtype",
    'vary = ["weight"]': "vary: no field or group is called 'weight'; did you mean weights",
    '[require]\nkv_cache.dtyp = "fp8"': "require: kv_cache.dtyp: no field is called that; did you mean kv_cache.dtype",
    '[require]\nkv_cache.dtype = "auto"': "require: kv_cache.dtype: 'auto' leaves the decision to the engine",
    "[require]\nkv_cache.dtype = 8": "require: kv_cache.dtype: is a text, not 8",
    "[require]\nkv_cache.prefix_caching = 1": "require: kv_cache.prefix_caching: is true or false, not 1",
    "[require]\nkv_cache.dtype = {at_least = 8}": "require: kv_cache.dtype: limits need a number",
    "[require]\nkv_cache.tokens = {}": "require.kv_cache.tokens",
    "[require]\nkv_cache.tokens = []": "require: kv_cache.tokens: give at least one value",
    '[require]\ngpu.tenants = "x"': "require: gpu.tenants: cannot be required; allow_tenants names processes",
    '[severity]\nhidden-fp8-kv = "fatal"': "severity.hidden-fp8-kv: Input should be 'error', 'warning' or 'note'",
    '[[suppress]]\nrule = "hidden-fp8-kv"': "suppress.0.reason: Field required",
    '[[suppress]]\nrule = "hidden-fp8-kv"\nreason = "x y"\nexpires = "soon"': "suppress.0.expires: ",
    "[require": "no TOML: ",
    "vary = 1": "vary: Input should be a valid list",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_name_file_and_key(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kvaudit.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load(path, "kvaudit.toml")
    assert caught.value.path == "kvaudit.toml"
    assert FAULTS[text] in caught.value.message


@pytest.mark.parametrize("text", ['[severity]\nhidden-fp8 = "note"', '[[suppress]]\nrule = "hidden-fp8"\nreason = "agreed"'])
def test_a_rule_that_does_not_exist_is_named_with_the_nearest(text: str) -> None:
    with pytest.raises(InputError, match=r"kvaudit\.toml: (severity\.hidden-fp8|suppress\.0\.rule): .*hidden-fp8-kv"):
        audited(GOOD, text, settings_file="kvaudit.toml")


def test_nested_deeply_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "kvaudit.toml"
    path.write_text("vary = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(InputError):
        load(path, "kvaudit.toml")


def test_the_schema_takes_what_is_read_and_refuses_what_is_not() -> None:
    validator = jsonschema.Draft202012Validator(policy_schema())
    good = {
        "profile": "strict",
        "vary": ["weights", "run.seed"],
        "require": {"kv_cache.dtype": "bfloat16", "kv_cache": {"tokens": {"at_least": 1}}, "gpu.names": ["x"]},
        "severity": {"seed-differs": "error"},
        "suppress": [{"rule": "seed-differs", "reason": "agreed", "expires": "2027-01-31"}],
    }
    assert list(validator.iter_errors(good)) == []
    for bad in (
        {"profil": 1},
        {"require": {"kv_cache.dtyp": "x"}},
        {"require": {"kv_cache.prefix_caching": "yes"}},
        {"vary": ["x"]},
    ):
        assert list(validator.iter_errors(bad)), bad


def test_one_policy_over_another() -> None:
    lower = given_in({"fail_on": "warning", "vary": ["weights"], "require": {"kv_cache.dtype": "bfloat16"}})
    upper = given_in({"vary": ["kv"], "require": {"kv_cache.dtype": "fp8", "parallel.tensor": 2}})
    both = Policy(**over(upper, lower))
    assert (both.fail_on, both.vary) == ("warning", ["weights", "kv"])
    assert both.require == {"kv_cache.dtype": "fp8", "parallel.tensor": 2}
    assert both.suppress == []
