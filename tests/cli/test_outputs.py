"""What the commands print, where they print it, and that the documents follow the schemas they publish."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kvaudit.audit.rules import bundled_rules
from kvaudit.cli.rules_command import catalogue_lines
from kvaudit.fields import FIELDS
from tests.cli.conftest import Call
from tests.conftest import ROOT

VLLM = ROOT / "fixtures" / "vllm"


def test_the_report_is_on_stdout_and_one_line_on_stderr(bad: Path, call: Call) -> None:
    done = call("diff", "a", "b", "--vary", "weights", cwd=bad)
    assert done.code == 1
    assert done.out.startswith("NOT COMPARABLE")
    assert done.err.count("\n") == 1
    assert done.err.startswith("kvaudit diff: not comparable; ")


def test_accepted_and_undecided_facts_are_named_on_stderr_and_in_the_verdict_line(call: Call) -> None:
    log = VLLM / "unproven-without-checkpoint" / "server.log"
    undecided = call("check", log)
    assert undecided.code == 3
    accepted = call("check", log, "--accept-unknown", "kv_cache.dtype")
    assert accepted.code == 0
    for done in (undecided, accepted):
        assert "kv_cache.dtype" in done.err
        assert "kv_cache.dtype" in done.out.partition("\n\n")[0]


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        (["diff", "demo/good/a", "demo/good/b"], 0, "comparable"),
        (["diff", "demo/bad/a", "demo/bad/b"], 1, "not_comparable"),
        (["diff", "demo/bad/a", "demo/bad/b", "--fail-on", "never"], 0, "not_comparable"),
        (["check", "demo/bad/b"], 1, "fail"),
        (["check", "demo/bad/a"], 0, "pass"),
        (["check", "demo/bad/b/server.log"], 3, "cannot_tell"),
        (["check", "demo/bad/b/server.log", "--allow-unknown"], 0, "pass"),
        (["check", "demo/bad/b/server.log", "--fail-on", "never"], 0, "cannot_tell"),
        (["check", "demo/bad/b", "--ignore", "hidden-fp8-kv"], 0, "pass"),
        (["check", "demo/bad/b", "--select", "kv-dtype-unproven"], 0, "pass"),
        (["check", "demo/bad/b/config.json"], 0, "pass"),
    ],
)
def test_exit_codes_and_verdicts(arguments: list[str], code: int, verdict: str, call: Call) -> None:
    done = call(*arguments, "--format", "json", cwd=ROOT / "fixtures")
    assert (done.code, done.json["exit_code"], done.json["verdict"]) == (code, code, verdict)


def test_more_evidence_for_one_arm(bad: Path, call: Call) -> None:
    bare = call("diff", "a/server.log", "b/server.log", "--format", "json", cwd=bad).json
    assert bare["arms"][1]["fields"]["kv_cache.dtype"]["state"] == "unknown"
    more = call(
        "diff", "a/server.log", "b/server.log", "-a", "a/config.json", "-b", "b/config.json", "--format", "json", cwd=bad
    ).json
    assert [arm["fields"]["kv_cache.dtype"]["value"] for arm in more["arms"]] == ["bfloat16", "fp8_e4m3"]
    assert "hidden-fp8-kv" in {finding["rule"] for finding in more["findings"]}


def test_labels_and_positions(bad: Path, call: Call) -> None:
    report = call("diff", "before=a", "after=b", "--format", "json", cwd=bad).json
    assert [arm["label"] for arm in report["arms"]] == ["before", "after"]
    assert {name for finding in report["findings"] for name in finding["arms"]} == {"a", "b"}


def test_standard_input(good: Path, call: Call) -> None:
    log = (good / "a" / "server.log").read_bytes()
    done = call("check", "-", "--format", "json", stdin=log)
    assert done.code == 0
    (source,) = done.json["arms"][0]["sources"]
    assert (source["path"], source["kind"], source["bytes"]) == ("-", "engine-log", len(log))
    labelled = call("diff", "piped=-", good / "b", "--format", "json", stdin=log).json
    assert [arm["label"] for arm in labelled["arms"]] == ["piped", str(good / "b")]


def test_empty_standard_input_is_named(call: Call) -> None:
    done = call("check", "-", stdin=b"")
    assert (done.code, done.err) == (2, "kvaudit: -: the file is empty\n")


def test_reports_go_to_files_too(bad: Path, tmp_path: Path, call: Call) -> None:
    text, document = tmp_path / "report.txt", tmp_path / "report.json"
    done = call("diff", "a", "b", "-o", f"text={text}", "-o", f"json={document}", cwd=bad)
    assert done.code == 1
    assert done.out.startswith("NOT COMPARABLE")
    assert text.read_text().startswith("NOT COMPARABLE")
    assert json.loads(document.read_text()) == call("diff", "a", "b", "--format", "json", cwd=bad).json


def test_a_record_goes_to_stdout_or_to_a_file(good: Path, tmp_path: Path, call: Call) -> None:
    printed = call("record", "a", cwd=good)
    written = call("record", "a", "--output", tmp_path / "run.json", cwd=good)
    assert (printed.code, written.code, written.out) == (0, 0, "")
    assert (tmp_path / "run.json").read_text() == printed.out
    assert call("diff", tmp_path / "run.json", "b", cwd=good).code == 0


def test_inputs_are_never_written(bad: Path, tmp_path: Path, call: Call) -> None:
    shutil.copytree(bad, tmp_path / "run")
    for path in (tmp_path / "run").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = sorted((path, path.stat().st_mtime_ns) for path in (tmp_path / "run").rglob("*"))
    assert call("diff", "a", "b", cwd=tmp_path / "run").code == 1
    assert sorted((path, path.stat().st_mtime_ns) for path in (tmp_path / "run").rglob("*")) == before


def test_why_shows_every_fact_with_file_and_line(bad: Path, call: Call) -> None:
    done = call("why", "b", "kv_cache.dtype", cwd=bad)
    assert done.code == 0
    assert done.out.startswith("kv_cache.dtype = fp8_e4m3")
    assert "b/server.log:28" in done.out
    assert "b/config.json:" in done.out
    assert "auto (requested): delegates" in done.out


def test_why_of_a_saved_report_is_why_of_its_evidence(bad: Path, tmp_path: Path, call: Call) -> None:
    call("diff", "a", "b", "-o", f"json={tmp_path / 'report.json'}", cwd=bad)
    for arm in ("a", "b"):
        for field in ("kv_cache.dtype", "kv_cache.tokens", "model.path"):
            saved = call("why", tmp_path / "report.json", "--arm", arm, field).out.splitlines()
            live = call("why", arm, field, cwd=bad).out.splitlines()
            assert saved[3:] == live[3:]
            assert saved[0] == live[0].replace(" = ", f" of arm {arm} = ", 1)


@pytest.mark.parametrize(
    "damage", ['{"document": "report", "arms": [', '{"document": "report", "arms": [1]}', '{"document": "report"}']
)
def test_a_damaged_report_is_named(damage: str, tmp_path: Path, call: Call) -> None:
    (tmp_path / "report.json").write_text(damage)
    done = call("why", "report.json", "kv_cache.dtype", cwd=tmp_path)
    assert done.code == 2
    assert "report.json: " in done.err


def test_every_field_and_rule_has_a_page(call: Call) -> None:
    listed = [line.split()[0] for line in call("rules").out.splitlines()]
    assert len(listed) > 50
    for name in (*FIELDS, *listed[::5], "hidden-fp8-kv"):
        done = call("explain", name)
        assert (done.code, done.err) == (0, "")
        assert name in done.out.splitlines()[0]


def test_the_catalogue(call: Call) -> None:
    done = call("rules", "list")
    assert call("rules").out == done.out
    rows = {line.split()[0]: line.split()[1:3] for line in done.out.splitlines()}
    assert rows["hidden-fp8-kv"] == ["error", "arm"]
    assert rows["unequal-kv-capacity"] == ["error/warning/note", "pair"]
    assert rows["stray-gpu-tenant"] == ["error/warning", "arm"]
    assert len({line.index(f"  {rows[line.split()[0]][1]} ") for line in done.out.splitlines()}) == 1
    assert "\x1b" not in done.out


def test_the_catalogue_on_a_terminal_is_grouped_and_fits() -> None:
    lines = list(catalogue_lines(bundled_rules(), 100, colour=False))
    assert {"engine", "gpu", "kv-cache", "parity", "service"} <= set(lines)
    assert max(map(len, lines)) <= 100
    words = " ".join(" ".join(lines).split())
    assert all(rule.title.split()[-1] in words for rule in bundled_rules())
    assert any("\x1b[31m" in line for line in catalogue_lines(bundled_rules(), 100, colour=True))


def test_examples_of_a_rule_folder_run(tmp_path: Path, call: Call) -> None:
    shutil.copy(ROOT / "rules" / "parity" / "max-len-differs.yaml", tmp_path)
    done = call("rules", "test", tmp_path)
    assert done.code == 0
    assert done.out.startswith("1 rules, ")
    assert done.out.endswith("0 failed\n")
    text = (tmp_path / "max-len-differs.yaml").read_text()
    (tmp_path / "max-len-differs.yaml").write_text(text.replace("expect: fires", "expect: clear"))
    failed = call("rules", "test", tmp_path)
    assert failed.code == 1
    assert "max-len-differs: example 1: expected clear, got fires" in failed.out


def test_a_rule_of_the_user_joins_and_replaces(tmp_path: Path, good: Path, call: Call) -> None:
    own = (ROOT / "rules" / "parity" / "max-len-differs.yaml").read_text().replace("max-len-differs", "house-rule")
    own = own.replace("scope: pair", "scope: pair").replace(
        "differs: {fields: [model.max_len]}", "same: {fields: [model.max_len]}"
    )
    (tmp_path / "house-rule.yaml").write_text(own)
    done = call("diff", good / "a", good / "b", "--rules", tmp_path, "--format", "json")
    assert "house-rule" in {finding["rule"] for finding in done.json["findings"]}


def _schema(name: str, call: Call) -> dict[str, Any]:
    done = call("schema", name)
    assert (done.code, done.err) == (0, "")
    schema = done.json
    jsonschema.Draft202012Validator.check_schema(schema)
    return dict(schema)


def test_records_and_reports_follow_their_schemas(bad: Path, call: Call) -> None:
    record, report = _schema("record", call), _schema("report", call)
    for arguments in (["record", "a"], ["record", "b/config.json"], ["record", str(VLLM / "second-start-serves" / "server.log")]):
        jsonschema.validate(call(*arguments, cwd=bad).json, record)
    for arguments in (
        ["diff", "a", "b", "--vary", "weights"],
        ["check", "b/server.log"],
        ["diff", "a/server.log", "b/server.log"],
    ):
        jsonschema.validate(call(*arguments, "--format", "json", cwd=bad).json, report)


def test_a_schema_refuses_what_is_none(bad: Path, call: Call) -> None:
    record, report = _schema("record", call), _schema("report", call)
    written = call("record", "a", cwd=bad).json
    written["fields"]["kv_cache.dtype"]["state"] = "maybe"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(written, record)
    shown = call("check", "a", "--format", "json", cwd=bad).json
    shown["verdict"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(shown, report)


def test_the_schema_of_rules_is_the_published_one(call: Call) -> None:
    assert set(_schema("rule", call)["required"]) >= {"id", "title", "scope", "severity", "when", "message", "why", "fix"}


def test_the_demo(call: Call) -> None:
    done = call("demo")
    assert done.code == 1
    assert "fp8_e4m3" in done.out
    assert "1.775" in done.out
    assert "exit code 1 is the expected result here" in done.err
    assert call("demo", "--format", "json").json["verdict"] == "not_comparable"


def test_the_good_demo(call: Call) -> None:
    done = call("demo", "--good")
    assert done.code == 0
    assert done.out.startswith("COMPARABLE")


def _in_a_terminal(command: str, folder: Path, **environment: str) -> str:
    """What a terminal of 100 columns gets."""
    master, slave = pty.openpty()
    held = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "GITHUB_ACTIONS")}
    with subprocess.Popen(
        [command, "check", "b"],
        cwd=folder,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        env={**held, "TERM": "xterm-256color", **environment},
    ) as process:
        os.close(slave)
        chunks = []
        try:
            while chunk := os.read(master, 65536):
                chunks.append(chunk)
        except OSError:
            pass  # how Linux says that the other end has gone
        process.wait(30)
    os.close(master)
    return b"".join(chunks).decode()


def test_colour_is_for_terminals_that_want_it(bad: Path, command: str, call: Call) -> None:
    assert "\x1b[" in _in_a_terminal(command, bad)
    assert "\x1b" not in _in_a_terminal(command, bad, NO_COLOR="1")
    assert "\x1b" not in call("check", "b", cwd=bad).out


@pytest.mark.parametrize(
    "arguments",
    [["check", "b"], ["diff", "a", "b", "--format", "json"], ["record", "b"], ["rules", "list"], ["explain", "hidden-fp8-kv"]],
)
def test_a_reader_that_leaves_gets_no_traceback(arguments: list[str], bad: Path, command: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([command, *arguments], cwd=bad, stdout=write_end, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    os.close(write_end)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode == 141
