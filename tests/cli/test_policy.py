"""Which policy file is in force, who may not say it, and what the report names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kvaudit.parsers.own_outputs import is_own_output
from kvaudit.reports.interface import RENDERERS
from tests.cli.conftest import Call
from tests.conftest import ROOT
from tests.sources.reading import source_of

GOOD = ROOT / "fixtures" / "demo" / "good"
REQUIRE = '[require]\nkv_cache.dtype = "fp8"\n'
"""What the good run does not have: its KV cache is bfloat16."""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a run folder `runs/today`."""
    (tmp_path / ".git").mkdir()
    shutil.copytree(GOOD / "a", tmp_path / "runs" / "today")
    return tmp_path


def write(path: Path, text: str = REQUIRE) -> Path:
    path.write_text(text)
    return path


def test_the_file_of_the_repository_is_in_force_and_named(repository: Path, call: Call) -> None:
    write(repository / "kvaudit.toml")
    done = call("check", "runs/today", "--format", "json", cwd=repository)
    assert (done.code, done.json["verdict"], done.json["settings"]["file"]) == (1, "fail", "kvaudit.toml")
    inside = call("check", "today", "--format", "json", cwd=repository / "runs")
    assert inside.json["settings"]["file"] == str(repository / "kvaudit.toml")


def test_the_table_of_a_pyproject_counts_and_the_own_file_goes_first(repository: Path, call: Call) -> None:
    write(repository / "pyproject.toml", '[project]\nname = "x"\n')
    assert call("check", "runs/today", "--format", "json", cwd=repository).json["settings"]["file"] is None
    write(repository / "pyproject.toml", '[tool.kvaudit.require]\nkv_cache.dtype = "fp8"\n')
    table = call("check", "runs/today", "--format", "json", cwd=repository)
    assert (table.code, table.json["settings"]["file"]) == (1, "pyproject.toml")
    write(repository / "kvaudit.toml", "")
    assert call("check", "runs/today", cwd=repository).code == 0


@pytest.mark.parametrize("arguments", [["runs/today"], ["runs/today/server.log", "runs/today/config.json"]])
def test_a_run_folder_does_not_say_how_it_is_judged(arguments: list[str], repository: Path, call: Call) -> None:
    """Neither from beside the evidence nor from the root of a folder that was given."""
    write(repository / "runs" / "today" / "kvaudit.toml", 'accept_unknown = ["kv_cache.dtype"]\n')
    (repository / "runs" / "today" / ".git").mkdir()
    done = call("check", *[str(repository / one) for one in arguments], "--format", "json", cwd=repository / "runs" / "today")
    assert done.json["settings"]["file"] is None
    assert "kvaudit.toml was not used" in done.err
    assert done.json["settings"]["notes"] != []


def test_evidence_beside_the_file_keeps_it_out_until_it_is_named(repository: Path, call: Call) -> None:
    write(repository / "kvaudit.toml")
    for name in ("server.log", "config.json"):
        shutil.copy(GOOD / "a" / name, repository)
    assert call("check", "server.log", "config.json", cwd=repository).code == 0
    assert call("check", "server.log", "config.json", "--config", "kvaudit.toml", cwd=repository).code == 1


def test_a_broken_file_beside_evidence_stops_nobody(tmp_path: Path, call: Call) -> None:
    for name in ("server.log", "config.json"):
        shutil.copy(GOOD / "a" / name, tmp_path)
    write(tmp_path / "kvaudit.toml", "[[[")
    write(tmp_path / "pyproject.toml", "[tool.kvaudit\n")
    assert call("check", "server.log", "config.json", cwd=tmp_path).code == 0


def test_a_link_beside_the_evidence_is_the_file_it_points_to(repository: Path, call: Call) -> None:
    target = write(repository / "runs" / "today" / "hidden.toml", 'fail_on = "never"\n')
    (repository / "kvaudit.toml").symlink_to(target)
    done = call("check", "runs/today", "--format", "json", cwd=repository)
    assert done.json["settings"]["file"] is None


def test_isolated_looks_for_nothing(repository: Path, call: Call) -> None:
    write(repository / "kvaudit.toml")
    done = call("check", "runs/today", "--isolated", "--format", "json", cwd=repository)
    assert (done.code, done.json["settings"]["file"]) == (0, None)
    assert call("check", "runs/today", "--isolated", "--config", "kvaudit.toml", cwd=repository).code == 2
    assert call("check", "runs/today", "--isolated", "--policy", "kvaudit.toml", cwd=repository).code == 1


def test_a_named_policy_stands_instead_of_the_found_one_and_over_a_named_config(repository: Path, call: Call) -> None:
    write(repository / "kvaudit.toml")
    write(repository / "other.toml", '[require]\nkv_cache.dtype = "bfloat16"\n')
    alone = call("check", "runs/today", "--policy", "other.toml", "--format", "json", cwd=repository)
    assert (alone.code, alone.json["settings"]["file"]) == (0, "other.toml")
    both = call("check", "runs/today", "--config", "kvaudit.toml", "--policy", "other.toml", "--format", "json", cwd=repository)
    assert (both.code, both.json["settings"]["file"]) == (0, "kvaudit.toml and other.toml")


def test_without_a_repository_the_working_directory_stands_in(tmp_path: Path, call: Call) -> None:
    shutil.copytree(GOOD / "a", tmp_path / "today")
    write(tmp_path / "kvaudit.toml")
    assert call("check", "today", cwd=tmp_path).code == 1


@pytest.mark.parametrize("text", ["profil = 1", "[require]\nkv_cache.dtyp = 1", "not toml"])
def test_a_wrong_file_decides_nothing(text: str, repository: Path, call: Call) -> None:
    write(repository / "kvaudit.toml", text)
    done = call("check", "runs/today", "--format", "json", cwd=repository)
    assert (done.code, done.json["document"]) == (2, "error")
    assert done.json["errors"][0]["path"].endswith("kvaudit.toml")


def test_a_missing_or_huge_policy_is_named(repository: Path, call: Call) -> None:
    assert "nothing.toml" in call("check", "runs/today", "--policy", "nothing.toml", cwd=repository).err
    write(repository / "huge.toml", "#" * (1 << 20) + "\n")
    assert "larger than" in call("check", "runs/today", "--policy", "huge.toml", cwd=repository).err


def test_an_unknown_rule_in_a_policy_is_an_error_of_the_file(repository: Path, call: Call) -> None:
    write(repository / "kvaudit.toml", '[severity]\nseed-difers = "note"\n')
    done = call("check", "runs/today", cwd=repository)
    assert done.code == 2
    assert "kvaudit.toml: severity.seed-difers" in done.err
    assert "seed-differs" in done.err


def test_the_schema_of_a_policy_is_printed(call: Call) -> None:
    schema = call("schema", "policy").json
    assert {"require", "suppress", "severity", "profile"} <= schema["properties"].keys()
    assert "kv_cache.dtype" in schema["properties"]["require"]["properties"]


def test_a_baseline_keeps_what_was_there_and_counts_what_is_new(tmp_path: Path, bad: Path, call: Call) -> None:
    baseline = tmp_path / "baseline.json"
    shutil.copytree(bad, tmp_path / "bad")
    first = call("check", "bad/b", "--write-baseline", "baseline.json", cwd=tmp_path)
    assert first.code == 1
    assert [one["rule"] for one in json.loads(baseline.read_text())["findings"]] == ["hidden-fp8-kv"]
    log = tmp_path / "bad" / "b" / "server.log"
    log.write_text("a line\nanother line\n" + log.read_text())
    again = call("check", "bad/b", "--baseline", "baseline.json", "--format", "json", cwd=tmp_path)
    assert (again.code, again.json["verdict"], again.json["summary"]["suppressed"]) == (0, "pass", 1)
    assert again.json["findings"][0]["reason"] == "known from the baseline baseline.json"
    log.write_text(log.read_text().replace("'host': '0.0.0.0'", "'host': '0.0.0.0', 'kv_cache_dtype': 'fp8_e5m2'"))
    new = call("check", "bad/b", "--baseline", "baseline.json", "--format", "json", cwd=tmp_path)
    assert new.code == 1, new.out


def test_a_baseline_written_over_itself_keeps_what_it_knew(tmp_path: Path, bad: Path, call: Call) -> None:
    written = ("--write-baseline", str(tmp_path / "new.json"))
    call("check", "b", *written, cwd=bad)
    before = json.loads((tmp_path / "new.json").read_text())
    assert call("check", "b", "--baseline", str(tmp_path / "new.json"), *written, cwd=bad).code == 0
    assert json.loads((tmp_path / "new.json").read_text()) == before


def test_a_baseline_holds_the_masks_of_its_own_level(tmp_path: Path, bad: Path, call: Call) -> None:
    path = str(tmp_path / "new.json")
    call("diff", "a", "b", "--vary", "weights", "--redact", "full", "--write-baseline", path, cwd=bad)
    assert json.loads(Path(path).read_text())["redact"] == "full"
    done = call("diff", "a", "b", "--vary", "weights", "--baseline", path, "--format", "json", cwd=bad)
    assert (done.code, done.json["summary"]["suppressed"]) == (0, 4)


def test_what_is_gone_from_a_baseline_is_noted(tmp_path: Path, bad: Path, call: Call) -> None:
    path = str(tmp_path / "new.json")
    call("check", "b", "--write-baseline", path, cwd=bad)
    assert "1 of 1 findings of the baseline" in call("check", "a", "--baseline", path, cwd=bad).err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"document": "report"}', '{"findings": [{"fingerprint": "x"}]}', "[" * 9000])
def test_what_is_no_baseline_is_an_error(text: str, tmp_path: Path, bad: Path, call: Call) -> None:
    path = write(tmp_path / "baseline.json", text)
    done = call("check", "b", "--baseline", str(path), cwd=bad)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_evidence_is_never_written_over(tmp_path: Path, bad: Path, call: Call) -> None:
    shutil.copytree(bad / "b", tmp_path / "b")
    before = (tmp_path / "b" / "server.log").read_bytes()
    for option in (["-o", "sarif=b/server.log"], ["--write-baseline", "b/server.log"]):
        done = call("check", "b/server.log", *option, cwd=tmp_path)
        assert done.code == 2
        assert "is evidence of this call" in done.err
    assert (tmp_path / "b" / "server.log").read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "b", "-o", "sarif=b/server.log"],
        ["check", "b", "--write-baseline", "b/server.log"],
        ["check", "b", "-o", "json=b/link.log"],
        ["check", "control=b/server.log", "-o", "json=b/server.log"],
        ["check", "b/compose.yaml#otter", "-o", "text=b/compose.yaml"],
        ["diff", "b/server.log", "b/server.log", "-a", "b", "-o", "json=b/damaged.json"],
        ["record", "b/server.log", "--output", "b/server.log"],
        ["record", "b", "--output", "b/link.log"],
    ],
    ids=" ".join,
)
def test_no_way_of_naming_evidence_lets_it_be_written_over(arguments: list[str], tmp_path: Path, bad: Path, call: Call) -> None:
    folder = tmp_path / "b"
    shutil.copytree(bad / "b", folder)
    (folder / "link.log").symlink_to("server.log")
    write(
        folder / "compose.yaml", "services:\n  otter:\n    image: vllm/vllm-openai:v0.25.1\n    command: --model acme/otter-8b\n"
    )
    if "json=b/damaged.json" in arguments:
        write(folder / "damaged.json", '{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden')
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = call(*arguments, cwd=tmp_path)
    assert done.code == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_report_within_a_run_folder_may_be_written_anew(tmp_path: Path, bad: Path, call: Call) -> None:
    shutil.copytree(bad / "b", tmp_path / "b")
    for _ in range(2):
        for name in ("text", "json", "markdown", "sarif", "junit", "github", "gitlab"):
            done = call("check", "b", "-o", f"{name}=b/report.{name}", cwd=tmp_path)
            assert done.code == 1, name
            assert (tmp_path / "b" / f"report.{name}").stat().st_size > 100


def test_what_kvaudit_wrote_is_no_evidence_but_its_records_are(tmp_path: Path, bad: Path, call: Call) -> None:
    """A report quotes the lines of the log that it is about."""
    pages = [[*what, "--format", name] for what in (["check", "b"], ["diff", "a", "b"]) for name in RENDERERS]
    pages += [["why", "b", "run.args"], ["why", "b", "gpu.count"], ["check", "missing.log", "--format", "json"]]
    for number, arguments in enumerate(pages):
        written = call(*arguments, cwd=bad).out
        (tmp_path / f"page-{number}.txt").write_text(written, encoding="utf-8")
        assert call("check", f"page-{number}.txt", cwd=tmp_path).code == 2, arguments
    (tmp_path / "run.json").write_text(call("record", "b", cwd=bad).out, encoding="utf-8")
    assert call("check", "run.json", cwd=tmp_path).code == 1
    assert call("check", ".", cwd=tmp_path).code == 1


@pytest.mark.parametrize(
    "text", ["FAIL · 1 error · exit 1: x", "NOT COMPARABLE · 7 errors,\n1 note · exit 1:\nx", "\x1b[1mPASS · exit 0"]
)
def test_a_report_is_told_by_its_first_lines_however_wide(text: str, tmp_path: Path) -> None:
    assert is_own_output(source_of(tmp_path, text.encode()))
    assert not is_own_output(source_of(tmp_path, f"step 1\n{text}".encode()))


@pytest.mark.parametrize("format_", ["text", "json", "markdown", "sarif", "junit", "github", "gitlab"])
@pytest.mark.parametrize(("arguments", "code"), [(["check", "a"], 0), (["check", "b"], 1), (["check", "b/server.log"], 3)])
def test_the_exit_code_is_the_same_in_every_format(format_: str, arguments: list[str], code: int, bad: Path, call: Call) -> None:
    assert call(*arguments, "--format", format_, cwd=bad).code == code


def test_several_formats_at_once(tmp_path: Path, bad: Path, call: Call) -> None:
    formats = {"sarif": "r.sarif", "junit": "r.xml", "gitlab": "r.json", "markdown": "r.md", "github": "r.txt"}
    options = [word for name, file in formats.items() for word in ("-o", f"{name}={tmp_path / file}")]
    assert call("diff", "a", "b", *options, cwd=bad).code == 1
    assert all((tmp_path / file).stat().st_size > 100 for file in formats.values())


def test_the_job_summary_is_added_to(tmp_path: Path, bad: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = write(tmp_path / "summary.md", "before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    call("check", "b", cwd=bad)
    assert summary.read_text() == "before\n"
    call("check", "b", "--format", "github", cwd=bad)
    assert summary.read_text().startswith("before\n# kvaudit check: fail\n")


def test_a_report_of_an_earlier_call_is_not_left_where_nothing_was_decided(tmp_path: Path, bad: Path, call: Call) -> None:
    path = tmp_path / "r.xml"
    call("check", "a", "-o", f"junit={path}", cwd=bad)
    assert 'errors="0"' in path.read_text()
    assert call("check", "nothing.log", "-o", f"junit={path}", cwd=bad).code == 2
    assert 'errors="1"' in path.read_text()
    assert "nothing.log" in path.read_text()


def test_errors_are_annotations_for_github(bad: Path, call: Call) -> None:
    done = call("check", "nothing.log", "--format", "github", cwd=bad)
    assert done.code == 2
    assert done.out.startswith("::error title=kvaudit%3A nothing was decided::nothing.log: ")
