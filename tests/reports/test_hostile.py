"""Evidence is written by others: it cannot colour the page, reverse it, order a CI runner about or leak a secret."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kvaudit.audit.report import Difference, Evidence, Finding, NotChecked, OtherDifference, Report
from kvaudit.redaction import Redactor
from kvaudit.reports.interface import RENDERERS, render_json, render_text
from kvaudit.reports.summary import summary_line
from kvaudit.reports.why import why_page

HOSTILE = "[red]x[/red] [link=http://e]y\x1b[31mred\x1b[0m \u202egnp\u202c \u200bzero\x00 :bomb:"
FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def everywhere(report: Report, text: str) -> Report:
    """The report with a text in every place that evidence can reach."""
    changed = deepcopy(report)
    arm = changed.arms[0]
    arm.label = text
    arm.sources[0].path = text
    arm.sources[0].notes = [text]
    path = arm.fields["model.path"]
    fact = replace(
        path.facts[0],
        value=text,
        how=text,
        origins=[replace(path.facts[0].origins[0], file=text, excerpt=text)],
    )
    arm.fields["model.path"] = replace(path, value=text, facts=[fact], because=text)
    changed.reasons = [text]
    changed.findings = [
        Finding(
            rule="hidden-fp8-kv",
            severity="error",
            arms=["a"],
            title=text,
            message=f"Said: {text}",
            fix=text,
            missing=[text],
            evidence=[
                Evidence(arm="a", field="model.path", stage="resolved", value=text, file=text, line=7, excerpt=text, how=text)
            ],
        )
    ]
    values = (text, {"key": [text], text: text})
    changed.differences = [Difference(field="model.path", values=values, states=("known", "known"), class_="confound")]
    changed.other_differences = [OtherDifference(source=text, pointer=f"/{text}", values=(text, [text]))]
    changed.not_checked = [NotChecked(rule="hidden-fp8-kv", arms=["a"], needs=[text])]
    changed.settings.file = text
    return changed


def forbidden(text: str) -> list[str]:
    return [one for one in text if one != "\n" and unicodedata.category(one) in FORBIDDEN_CATEGORIES]


@pytest.mark.parametrize("name", RENDERERS)
def test_control_and_bidi_characters_never_reach_the_output(name: str, bad_pair: Report, redactor: Redactor) -> None:
    assert forbidden(RENDERERS[name](everywhere(bad_pair, HOSTILE), redactor)) == []


def test_markup_and_emoji_codes_are_shown_as_they_stand(bad_pair: Report, redactor: Redactor) -> None:
    text = render_text(everywhere(bad_pair, HOSTILE), redactor, 200)
    assert "[red]x[/red] [link=http://e]y\\x1b[31mred" in text
    assert ":bomb:" in text


@pytest.mark.parametrize("name", RENDERERS)
def test_secrets_are_masked_with_equal_masks(name: str, bad_pair: Report, redactor: Redactor) -> None:
    secret = "hf_" + "Zq7" * 8
    text = html.unescape(RENDERERS[name](everywhere(bad_pair, f"HF_TOKEN={secret}"), redactor))
    assert secret not in text
    assert "HF_TOKEN=<secret-1>" in text
    assert "<secret-2>" not in text


def test_a_secret_is_masked_by_the_name_of_its_key(bad_pair: Report, redactor: Redactor) -> None:
    values = ({"api_key": "kestrel"}, {"api_key": "merlin"})
    bad_pair.differences = [Difference(field="run.args", values=values, states=("known", "known"), class_="context")]
    text = render_text(bad_pair, redactor)
    assert "kestrel" not in text
    assert "merlin" not in text
    assert "api_key=<secret-1>" in text


@pytest.mark.parametrize(
    "told",
    [
        *(
            ("GITHUB_ACTIONS", order)
            for order in ("::error::owned", "  ::add-mask::x", "\x1b[0m::error::owned", "a ##[command]rm")
        ),
        ("TF_BUILD", "a ##vso[task.setvariable variable=PATH]x"),
        ("TF_BUILD", "##[group]x"),
        ("TEAMCITY_VERSION", "##teamcity[buildStop]"),
    ],
)
@pytest.mark.parametrize("name", RENDERERS)
def test_a_ci_runner_finds_no_command(
    told: tuple[str, str], name: str, bad_pair: Report, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, order = told
    monkeypatch.setenv(runner, "True")
    text = RENDERERS[name](everywhere(bad_pair, order), redactor, 24)
    own = ("::error file=", "::warning title=", "::error title=") if name == "github" else ()
    assert [line for line in text.splitlines() if line.lstrip().startswith("::") and not line.startswith(own)] == []
    assert not re.search(r"##\w*\[", text)


def test_json_still_means_the_same_on_a_ci_runner(bad_pair: Report, redactor: Redactor, monkeypatch: pytest.MonkeyPatch) -> None:
    report = everywhere(bad_pair, "a ##[command]rm")
    outside = json.loads(render_json(report, redactor))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert json.loads(render_json(report, redactor)) == outside


def test_the_runner_is_only_feared_where_there_is_one(
    bad_pair: Report, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert "##[command]" in render_text(everywhere(bad_pair, "a ##[command]rm"), redactor)


def test_the_summary_line_stays_one_line(bad_pair: Report) -> None:
    bad_pair.undecided = ["gpu.tenants\n::error::owned"]
    assert "\n" not in summary_line(bad_pair)


def test_the_page_of_why_is_masked_and_escaped_too(bad_pair: Report, redactor: Redactor) -> None:
    record = everywhere(bad_pair, f"{HOSTILE} password=hunter2").arms[0]
    text = why_page(record, "model.path", redactor)
    assert forbidden(text) == []
    assert "hunter2" not in text
    assert "[red]x[/red]" in text


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=120), width=st.integers(24, 210))
@example(text="\x1f⺀\U0001b2fc", width=24)
@example(text="⺀\ud7fc\U000102d1", width=24)
@example(text="漢字" * 30, width=24)
def test_any_text_at_any_width(text: str, width: int, bad_pair: Report) -> None:
    from kvaudit.reports.text.layout import width_of

    page = render_text(everywhere(bad_pair, text), Redactor(), width)
    assert forbidden(page) == []
    assert [line for line in page.split("\n") if width_of(line) > width] == []
