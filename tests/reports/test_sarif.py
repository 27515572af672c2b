"""SARIF: valid by the official schema, on the line of the log, the same fingerprint when the log has moved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft4Validator

from kvaudit.audit.report import Finding, Report
from kvaudit.redaction import Redactor
from kvaudit.reports.interface import render_sarif
from kvaudit.reports.sarif import message
from tests.reports.test_hostile import HOSTILE, everywhere


def rendered(report: Report, redactor: Redactor) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render_sarif(report, redactor))
    return log


@pytest.mark.parametrize("name", ["bad_pair", "comparable_pair", "undecided_pair", "single_arm"])
def test_valid_by_the_official_schema(
    name: str, request: pytest.FixtureRequest, validator: Draft4Validator, redactor: Redactor
) -> None:
    log = rendered(request.getfixturevalue(name), redactor)
    assert [error.message for error in validator.iter_errors(log)] == []


def test_valid_with_hostile_text_everywhere(bad_pair: Report, validator: Draft4Validator, redactor: Redactor) -> None:
    log = rendered(everywhere(bad_pair, f"javascript:alert(1) ../../x {HOSTILE}"), redactor)
    assert [error.message for error in validator.iter_errors(log)] == []
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("javascript%3A")


def test_a_result_stands_on_the_line_of_the_log(bad_pair: Report, redactor: Redactor) -> None:
    run = rendered(bad_pair, redactor)["runs"][0]
    first = run["results"][0]
    place = first["locations"][0]["physicalLocation"]
    assert (first["ruleId"], first["level"], first["kind"]) == ("hidden-fp8-kv", "error", "fail")
    assert place["artifactLocation"]["uri"] == "b/server.log"
    assert place["region"] == {"startLine": 130, "snippet": {"text": "Using fp8_e4m3 data type to store kv cache"}}
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "hidden-fp8-kv"
    assert run["invocations"][0]["exitCode"] == 1


def test_suppressed_and_undecidable_findings_do_not_count(single_arm: Report, redactor: Redactor) -> None:
    states: list[Any] = ["suppressed", "unknown"]
    single_arm.findings = [Finding(rule="hidden-fp8-kv", severity="error", state=state, reason="known") for state in states]
    suppressed, unknown = rendered(single_arm, redactor)["runs"][0]["results"]
    assert suppressed["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "known"}]
    assert (unknown["kind"], unknown["level"]) == ("open", "none")
    assert unknown["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "server.log"


def test_the_fingerprint_does_not_move_with_the_lines(bad_pair: Report, redactor: Redactor) -> None:
    before = [one["partialFingerprints"] for one in rendered(bad_pair, redactor)["runs"][0]["results"]]
    for finding in bad_pair.findings:
        for one in finding.evidence:
            one.line, one.file = (one.line or 0) + 1000, "elsewhere.log"
    assert [one["partialFingerprints"] for one in rendered(bad_pair, redactor)["runs"][0]["results"]] == before
    bad_pair.findings[0].evidence[0].value = "fp8_e5m2"
    after = [one["partialFingerprints"] for one in rendered(bad_pair, redactor)["runs"][0]["results"]]
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_no_text_of_a_log_is_a_link_or_a_placeholder() -> None:
    assert message("see [here](http://e) and {0}") == {"text": "see [here] (http://e) and {{0}}"}
