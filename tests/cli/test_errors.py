"""Usage and input errors: exit code 2, what was wrong, in which file, the nearest name, and the error document."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, Result


def _is_error(done: Result, *words: str) -> None:
    assert done.code == 2
    assert "Traceback" not in done.err
    for word in words:
        assert word in " ".join(done.err.split())


LOG = "fixtures/demo/good/a/server.log"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chek", LOG], ["No such command 'chek'", "did you mean check"]),
        (["dif", LOG, LOG], ["did you mean diff"]),
        (["zzzz"], ["No such command 'zzzz'"]),
        (["check", LOG, "--fail-om", "never"], ["--fail-om", "--fail-on"]),
        (["check", LOG, "--fail-on", "always"], ["'always' is not one of 'error', 'warning', 'never'"]),
        (["check", LOG, "--format", "yaml"], ["'yaml' is not one of", "json"]),
        (["check", LOG, "--redact", "some"], ["default", "full"]),
        (["check"], ["Missing argument 'PATH...'"]),
        (["diff", LOG], ["Missing argument 'B'"]),
        (["diff", LOG, LOG, "--vary", "kv_cache.dtpe"], ["--vary kv_cache.dtpe", "did you mean kv_cache.dtype", "groups are"]),
        (["diff", LOG, LOG, "--vary", "weight"], ["did you mean weights"]),
        (["check", LOG, "--select", "hiden-fp8-kv"], ["'hiden-fp8-kv'", "did you mean hidden-fp8-kv"]),
        (["check", LOG, "--ignore", "kv-dtype-difers"], ["did you mean kv-dtype-differs"]),
        (["check", LOG, "--accept-unknown", "gpu.tenant"], ["--accept-unknown gpu.tenant", "did you mean gpu.tenants"]),
        (["check", LOG, "--session", "2"], ["--session 2: the log holds 1 start"]),
        (["check", LOG, "--session", "last"], ["--session last"]),
        (["check", LOG, "-o", "yaml=x"], ["-o yaml=x: give FORMAT=PATH with FORMAT one of text, json"]),
        (["check", LOG, "-o", "report.json"], ["give FORMAT=PATH"]),
        (["check", LOG, "-o", "text=no/such/folder/x"], ["cannot write no/such/folder/x: No such file"]),
        (["record", LOG, "--output", "no/such/folder/x"], ["cannot write no/such/folder/x"]),
        (["check", LOG, "--rules", "no/such/folder"], ["Directory 'no/such/folder' does not exist"]),
        (["why", LOG, "kv_cache.dtpe"], ["no field is called 'kv_cache.dtpe'", "did you mean kv_cache.dtype"]),
        (["why", "kv_cache.dtype"], ["give at least one file before the field"]),
        (["explain", "hiden-fp8-kv"], ["did you mean hidden-fp8-kv"]),
        (["explain", "qqqq"], ["no rule or field is called 'qqqq'", "`kvaudit rules` lists the rules"]),
        (["schema", "recrd"], ["'recrd' is not one of 'record'"]),
        (["rules", "lst"], ["No such command 'lst'"]),
        (["check", "-", "-"], ["standard input (-) can be read only once"]),
        (["diff", "-", "-"], ["standard input (-) can be read only once"]),
        (["check", "-", "again=-"], ["standard input (-) can be read only once"]),
    ],
)
def test_usage(arguments: list[str], words: list[str], call: Call) -> None:
    done = call(*arguments, stdin=b"")
    _is_error(done, *words)
    assert done.out == "" or arguments[0] == "record"


@pytest.fixture
def unusable(tmp_path: Path) -> dict[str, Path]:
    """Files that are no evidence, by what is wrong with them."""
    files = {name: tmp_path / name for name in ("empty.log", "binary.log", "prose.txt", "cut.json", "cut.log.gz", "missing.log")}
    files["empty.log"].touch()
    files["binary.log"].write_bytes(os.urandom(4000))
    files["prose.txt"].write_text("The server was slow today.\n")
    files["cut.json"].write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 40')
    files["cut.log.gz"].write_bytes(gzip.compress(os.urandom(400_000))[:300_000])
    return files


SAID = {
    "empty.log": "the file is empty",
    "binary.log": "the file is binary",
    "prose.txt": "not recognised as evidence",
    "cut.json": "damaged JSON",
    "cut.log.gz": "damaged or unreadable",
    "missing.log": "No such file or directory",
}


@pytest.mark.parametrize("name", list(SAID))
@pytest.mark.parametrize("command", ["check", "record", "diff", "why"])
def test_a_file_that_cannot_be_used_is_named(name: str, command: str, unusable: dict[str, Path], call: Call) -> None:
    path = unusable[name]
    arguments: dict[str, list[str | Path]] = {
        "check": ["check", LOG, path],
        "record": ["record", LOG, path],
        "diff": ["diff", LOG, path],
        "why": ["why", LOG, path, "kv_cache.dtype"],
    }
    _is_error(call(*arguments[command]), name, SAID[name])


def test_all_of_them_are_named_at_once_on_both_arms(unusable: dict[str, Path], call: Call) -> None:
    first, *others = unusable.values()
    extra = [word for path in others for word in ("-b", path)]
    done = call("diff", first, LOG, *extra)
    _is_error(done, *unusable)
    assert len(re.findall(r"(?m)^kvaudit: ", done.err)) == len(unusable)


def test_what_was_tried_is_said(unusable: dict[str, Path], call: Call) -> None:
    done = call("check", unusable["prose.txt"])
    tried = done.err.partition("(tried: ")[2]
    assert {"vllm", "checkpoint"} <= set(tried.rstrip(")\n").split(", "))


def _document(done: Result) -> dict[str, Any]:
    assert done.code == 2
    written = done.json
    assert list(written) == ["document", "version", "verdict", "exit_code", "errors"]
    head = {key: written[key] for key in ("document", "version", "verdict", "exit_code")}
    assert head == {"document": "error", "version": 1, "verdict": "input_error", "exit_code": 2}
    assert all(set(error) == {"path", "message", "tried"} for error in written["errors"])
    return dict(written)


@pytest.mark.parametrize("command", ["check", "diff"])
def test_the_error_document(command: str, unusable: dict[str, Path], call: Call) -> None:
    done = call(command, unusable["prose.txt"], unusable["empty.log"], "--format", "json")
    errors = {Path(error["path"]).name: error for error in _document(done)["errors"]}
    assert set(errors) == {"prose.txt", "empty.log"}
    assert errors["empty.log"]["message"] == "the file is empty"
    assert any(name.startswith("vllm") for name in errors["prose.txt"]["tried"])


def test_record_speaks_json_without_being_asked(unusable: dict[str, Path], call: Call) -> None:
    assert _document(call("record", unusable["empty.log"]))["errors"][0]["message"] == "the file is empty"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", LOG, "--session", "9", "--format", "json"],
        ["check", LOG, "--select", "nope", "--format", "json"],
        ["check", LOG, "--bogus", "--format", "json"],
        ["check", "--format", "json"],
        ["diff", LOG, "--format=json"],
        ["check", LOG, "--format", "json", "-o", "yaml=x"],
        ["check", LOG, "--format", "json", "-o", "json=no/such/folder/x"],
    ],
)
def test_usage_errors_are_documents_too(arguments: list[str], call: Call) -> None:
    done = call(*arguments)
    (error,) = _document(done)["errors"]
    assert error["message"]
    assert "Traceback" not in done.err


def test_a_folder_without_evidence(tmp_path: Path, call: Call) -> None:
    _is_error(call("check", tmp_path), "no recognised evidence in it")


def test_names_of_files_cannot_draw_on_the_terminal(tmp_path: Path, call: Call) -> None:
    odd = tmp_path / "\x1b[2Jevil\u202egol.log"
    odd.touch()
    done = call("check", odd, "--format", "json")
    assert "\x1b" not in done.out + done.err
    assert "\u202e" not in done.out + done.err
    assert "\\x1b[2Jevil" in done.err


def test_a_rule_folder_that_is_damaged_is_named(tmp_path: Path, call: Call) -> None:
    (tmp_path / "my-rule.yaml").write_text("id: my-rule\ntitle: [unclosed\n")
    _is_error(call("check", LOG, "--rules", tmp_path), "my-rule.yaml")
    _is_error(call("rules", "test", tmp_path), "my-rule.yaml")


def test_a_file_that_ends_too_early_inside_a_library_is_no_interrupt(
    monkeypatch: pytest.MonkeyPatch, bad: Path, call: Call
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr("kvaudit.record.build.read_arm", ended)
    done = call("check", "a", cwd=bad)
    assert done.code == 2
    assert "a file ended too early: marshal data too short" in done.err
