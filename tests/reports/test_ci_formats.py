"""JUnit, GitHub, GitLab and Markdown: red exactly when the exit code is not 0, on the right line, and never obeyed."""

from __future__ import annotations

import json
from copy import copy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import re2

from kvaudit.audit.report import Finding, Report
from kvaudit.redaction import Redactor
from kvaudit.reports.github import command
from kvaudit.reports.interface import RENDERERS, render_github, render_gitlab, render_junit, render_markdown
from kvaudit.reports.markup import code, prose
from kvaudit.reports.places import repository_path
from tests.reports.test_hostile import everywhere

REPORTS = pytest.mark.parametrize("name", ["bad_pair", "comparable_pair", "undecided_pair", "single_arm"])
RUNNER_COMMAND = re2.compile(r"(?m)^\s*::|##\[")


def xml(report: Report, redactor: Redactor) -> ElementTree.Element:
    return ElementTree.fromstring(render_junit(report, redactor))  # noqa: S314 - our own output


@REPORTS
def test_junit_is_red_when_the_exit_code_is_not_0(name: str, request: pytest.FixtureRequest, redactor: Redactor) -> None:
    report = request.getfixturevalue(name)
    root = xml(report, redactor)
    red = int(root.get("failures", "")) + int(root.get("errors", ""))
    assert bool(red) == bool(report.exit_code)
    assert int(root.get("tests", "")) == len(root.findall(".//testcase"))
    assert int(root.get("skipped", "")) == len(root.findall(".//skipped"))


def test_junit_names_the_finding_its_line_and_its_evidence(bad_pair: Report, redactor: Redactor) -> None:
    case = xml(bad_pair, redactor).findall(".//testcase")[1]
    assert case.attrib | {
        "classname": "kvaudit.diff",
        "name": "hidden-fp8-kv (arm b)",
        "file": "b/server.log",
        "line": "130",
    } == (case.attrib)
    failure = case.find("failure")
    assert failure is not None
    assert "b/server.log:130  Using fp8_e4m3 data type" in str(failure.text)


def test_junit_follows_fail_on(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.settings.fail_on = "warning"
    assert xml(bad_pair, redactor).get("failures") == "3"
    bad_pair.settings.fail_on, bad_pair.exit_code = "never", 0
    assert xml(bad_pair, redactor).get("failures") == "0"


def test_junit_skips_what_is_suppressed_with_the_reason(single_arm: Report, redactor: Redactor) -> None:
    single_arm.findings = [Finding(rule="hidden-fp8-kv", severity="error", state="suppressed", reason="agreed <b>")]
    skipped = xml(single_arm, redactor).find(".//skipped")
    assert skipped is not None
    assert skipped.get("message") == "suppressed: agreed <b>"


def test_github_annotates_the_line_and_says_the_verdict_last(bad_pair: Report, redactor: Redactor) -> None:
    lines = render_github(bad_pair, redactor).splitlines()
    assert lines[0].startswith("::error file=b/server.log,line=130,title=kvaudit hidden-fp8-kv::Arm b keeps")
    assert lines[1].startswith("::warning file=a/server.log,line=140,title=kvaudit unequal-kv-capacity::")
    assert lines[-1].startswith("::error title=kvaudit::NOT COMPARABLE")


def test_github_warns_where_it_cannot_tell(undecided_pair: Report, redactor: Redactor) -> None:
    lines = render_github(undecided_pair, redactor).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::warning"]
    assert "kv_cache.dtype is not decided" in lines[0]


def test_nothing_ends_a_command_and_starts_another() -> None:
    text = command("error", "50%\n::set-env name=X::y\r##[error]z", file="a,b:c\n::warning::d", title="t")
    assert "\n" not in text
    assert text == ("::error file=a%2Cb%3Ac%0A%3A%3Awarning%3A%3Ad,title=t::50%25%0A::set-env name=X::y%0D\\x23#[error]z")


@pytest.mark.parametrize("format_", RENDERERS)
def test_no_line_of_a_log_is_a_command_of_the_runner(
    format_: str, bad_pair: Report, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = RENDERERS[format_](everywhere(bad_pair, "::set-output name=a::b ##[command]rm"), redactor)
    own = ("::error ", "::warning ", "::notice ")
    assert [line for line in text.splitlines() if RUNNER_COMMAND.search(line) and not line.startswith(own)] == []
    assert "##[" not in text


def test_gitlab_has_one_entry_for_each_finding_that_fired(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.findings.append(copy(bad_pair.findings[0]))
    entries: list[dict[str, Any]] = json.loads(render_gitlab(bad_pair, redactor))
    assert [(one["check_name"], one["severity"], one["location"]) for one in entries] == [
        ("hidden-fp8-kv", "critical", {"path": "b/server.log", "lines": {"begin": 130}}),
        ("unequal-kv-capacity", "minor", {"path": "a/server.log", "lines": {"begin": 140}}),
    ]
    assert len({one["fingerprint"] for one in entries}) == 2


def test_gitlab_shows_what_is_undecided(undecided_pair: Report, redactor: Redactor) -> None:
    (entry,) = json.loads(render_gitlab(undecided_pair, redactor))
    assert (entry["check_name"], entry["severity"], entry["location"]["path"]) == ("cannot-tell", "major", "a.log")


def test_markdown_holds_verdict_evidence_and_differences(bad_pair: Report, redactor: Redactor) -> None:
    text = render_markdown(bad_pair, redactor)
    assert text.startswith("# kvaudit diff: not comparable\n\n**NOT COMPARABLE** · 1 error, 1 warning · exit 1")
    assert "`b/server.log:130` `Using fp8_e4m3 data type to store kv cache`" in text
    assert "| `kv_cache.tokens` | `400,000 tokens` | `720,000 tokens` | derived | `kv_cache.dtype` |" in text


def test_markdown_obeys_nothing_of_a_log(bad_pair: Report, redactor: Redactor) -> None:
    hostile = "<img src=x> [l](http://e.test) @someone | cell"
    text = render_markdown(everywhere(bad_pair, hostile), redactor)
    shown = "\\<img src=x\\> \\[l\\](http<!-- -->://e.test) @<!-- -->someone \\| cell"
    assert f"- {shown}\n" in text
    assert f"| evidence | `{hostile.replace('|', chr(92) + '|')}` |" in text
    outside = re2.sub(r"`[^`]*`", "", text)
    assert hostile not in outside


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("kv_cache.dtype _x_", "kv_cache.dtype \\_x\\_"),
        ("1. no list", "1\\. no list"),
        ("- no list", "\\- no list"),
        ("a | b\nc", "a \\| b c"),
        ("mail to ops@example.test", "mail to ops@<!-- -->example.test"),
    ],
)
def test_prose(text: str, shown: str) -> None:
    assert prose(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("plain", "`plain`"), ("a`b", "``a`b``"), ("`a`", "`` `a` ``"), ("a|b", "`a\\|b`"), ("", "` `")]
)
def test_code(text: str, shown: str) -> None:
    assert code(text, in_table=True) == shown


def test_paths_are_those_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert repository_path("./a.log") == "a.log"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert repository_path("a.log") == "runs/a.log"
    assert repository_path(str(folder / "b.log")) == "runs/b.log"
    assert repository_path("../../out.log") == "../../out.log"
    assert repository_path("-") == "stdin"
