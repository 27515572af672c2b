"""Where nothing was decided, every format says so in its own way, valid and masked."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.reports.errors import render_errors
from kvaudit.reports.interface import RENDERERS

SECRET = "hf_" + "Zq7" * 8
ERRORS = [InputError("a\x1b.log", f"empty ##[x] HF_TOKEN={SECRET}", ["vllm"]), InputError("", "::error::no such field")]


@pytest.mark.parametrize("format_", RENDERERS)
def test_every_format_names_the_errors(format_: str, redactor: Redactor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = render_errors(ERRORS, redactor, format_)
    assert "no such field" in text
    assert SECRET not in text
    assert "\x1b" not in text
    assert "##[" not in text
    assert [line for line in text.splitlines() if line.startswith("::") and not line.startswith("::error title=kvaudit")] == []


def test_machines_read_that_nothing_was_decided(redactor: Redactor, validator: Draft4Validator) -> None:
    sarif = json.loads(render_errors(ERRORS, redactor, "sarif"))
    assert [error.message for error in validator.iter_errors(sarif)] == []
    assert sarif["runs"][0]["invocations"][0]["executionSuccessful"] is False
    junit = ElementTree.fromstring(render_errors(ERRORS, redactor, "junit"))  # noqa: S314 - our own output
    assert junit.get("errors") == "1"
    assert [one["severity"] for one in json.loads(render_errors(ERRORS, redactor, "gitlab"))] == ["blocker", "blocker"]
    document = json.loads(render_errors(ERRORS, redactor, "json"))
    assert (document["document"], document["verdict"], document["errors"][0]["tried"]) == ("error", "input_error", ["vllm"])
