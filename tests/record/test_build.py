"""From paths to a record: run folders, errors named at once, saved records, several documents of one arm."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.rules import bundled_rules
from kvaudit.errors import InputErrors, UsageError
from kvaudit.record.build import Options, read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from kvaudit.reports.document import document, to_json
from tests.conftest import ROOT

FIXTURES = ROOT / "fixtures"
BAD, GOOD = FIXTURES / "demo" / "bad", FIXTURES / "demo" / "good"
OFFLINE = Options(local_checkpoint=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run folder: a log, a checkpoint one level down, and files that are no evidence."""
    root = tmp_path / "run"
    (root / "model").mkdir(parents=True)
    shutil.copy(BAD / "b" / "server.log", root / "server.log")
    shutil.copy(BAD / "b" / "config.json", root / "model" / "config.json")
    (root / "notes.txt").write_text("remember to restart\n")
    (root / "empty.log").touch()
    (root / "model" / "model.safetensors").write_bytes(bytes(range(256)) * 40)
    (root / "outside.json").symlink_to(BAD / "a" / "config.json")
    deep = root / "one" / "two" / "three"
    deep.mkdir(parents=True)
    shutil.copy(BAD / "a" / "config.json", deep / "config.json")
    return root


def test_a_run_folder_reads_what_it_knows_and_lists_the_rest(folder: Path, redactor: Redactor) -> None:
    record = read_arm([str(folder)], redactor)
    kinds = {Path(source.path).relative_to(folder).as_posix(): source.kind for source in record.sources}
    assert kinds == {
        "server.log": "engine-log",
        "model/config.json": "checkpoint",
        "notes.txt": "ignored",
        "empty.log": "ignored",
        "model/model.safetensors": "ignored",
        "outside.json": "ignored",
    }
    assert record.value("kv_cache.dtype") == "fp8_e4m3"
    assert record.value("kv_cache.scheme") == "fp8"
    assert record.label == str(folder)


def test_ignored_files_say_why(folder: Path, redactor: Redactor) -> None:
    notes = {
        Path(source.path).name: source.notes for source in read_arm([str(folder)], redactor).sources if source.kind == "ignored"
    }
    assert notes["empty.log"] == ["empty"]
    assert notes["model.safetensors"] == ["binary"]
    assert notes["outside.json"] == ["a link that leaves the run folder; refused"]
    assert notes["notes.txt"] == ["not recognised"]


def test_sources_are_described(redactor: Redactor) -> None:
    (source,) = read_arm([str(GOOD / "a" / "server.log")], redactor, OFFLINE).sources
    data = (GOOD / "a" / "server.log").read_bytes()
    assert (source.bytes, source.lines, source.engine) == (len(data), data.count(b"\n"), "vllm")
    assert len(source.sha256 or "") == 64


def test_everything_that_cannot_be_used_is_named_at_once(tmp_path: Path, redactor: Redactor) -> None:
    (tmp_path / "empty.log").touch()
    (tmp_path / "binary").write_bytes(b"\x00\x01\x02\x03" * 500)
    (tmp_path / "prose.txt").write_text("remember to restart\n")
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": ')
    (tmp_path / "cut.gz").write_bytes(gzip.compress(os.urandom(400_000))[:300_000])
    names = ["empty.log", "binary", "prose.txt", "config.json", "cut.gz", "missing.log"]
    with pytest.raises(InputErrors) as caught:
        read_arm([str(GOOD / "a" / "server.log"), *(str(tmp_path / name) for name in names)], redactor)
    said = {Path(error.path).name: error for error in caught.value.errors}
    assert sorted(said) == sorted(names)
    assert said["empty.log"].message == "the file is empty"
    assert said["binary"].message == "the file is binary"
    assert said["prose.txt"].message.startswith("not recognised as evidence")
    assert "kvaudit:record" in said["prose.txt"].tried
    assert "No such file" in said["missing.log"].message
    assert "damaged" in said["cut.gz"].message


def test_a_folder_without_evidence_is_an_input_error(tmp_path: Path, redactor: Redactor) -> None:
    (tmp_path / "notes.txt").write_text("nothing\n")
    with pytest.raises(InputErrors, match="no recognised evidence in it"):
        read_arm([str(tmp_path)], redactor)


def test_a_damaged_file_inside_a_folder_is_an_input_error(folder: Path, redactor: Redactor) -> None:
    (folder / "model" / "config.json").write_text(
        '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": '
    )
    with pytest.raises(InputErrors, match=r"config\.json"):
        read_arm([str(folder)], redactor)


def test_a_label_names_the_arm_unless_a_file_has_that_name(
    tmp_path: Path, redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = GOOD / "a" / "server.log"
    assert read_arm([f"before={log}"], redactor, OFFLINE).label == "before"
    assert read_arm([str(log)], redactor, OFFLINE).label == str(log)
    shutil.copy(log, tmp_path / "a=b.log")
    monkeypatch.chdir(tmp_path)
    record = read_arm(["a=b.log"], redactor, OFFLINE)
    assert (record.label, record.sources[0].path) == ("a=b.log", "a=b.log")


def test_sessions_of_the_log_and_the_choice_of_one(redactor: Redactor) -> None:
    log = str(FIXTURES / "vllm" / "second-start-serves" / "server.log")
    serving = read_arm([log], redactor, OFFLINE)
    assert (serving.sessions.count, serving.sessions.selected, serving.sessions.ready) == (2, 2, True)
    first = read_arm([log], redactor, Options(session="1", local_checkpoint=False))
    assert (first.sessions.selected, first.sessions.ready) == (1, False)
    assert first.state("kv_cache.tokens") == "unknown"
    assert serving.value("kv_cache.tokens") == 268_624
    with pytest.raises(UsageError, match="holds 2 starts"):
        read_arm([log], redactor, Options(session="3"))


def test_every_line_number_is_of_the_original_file(redactor: Redactor) -> None:
    log = BAD / "b" / "server.log"
    lines = log.read_bytes().split(b"\n")
    record = read_arm([str(log), str(BAD / "b" / "config.json")], redactor)
    origins = [origin for state in record.fields.values() for fact in state.facts for origin in fact.origins]
    of_log = [origin for origin in origins if origin.file == str(log)]
    assert len(of_log) > 30
    for origin in of_log:
        assert origin.line is not None
        text = lines[origin.line - 1].decode()
        inner = origin.excerpt.strip("…")
        assert inner[:40] in text
    of_config = [origin for origin in origins if origin.file.endswith("config.json") and origin.excerpt]
    assert of_config
    assert all(origin.pointer is not None and origin.line is not None for origin in of_config)


def _saved(path: Path, record: Record, redactor: Redactor) -> Path:
    path.write_text(to_json(document(record, redactor)))
    return path


def _bare(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what says from which files its arms were read."""
    for arm in report["arms"]:
        arm.update(sources=[], label="")
    return report


@pytest.mark.parametrize("pair", ["demo/bad", "demo/good", "vllm/explicit-fp8-flag", "vllm/prefix-caching-off"])
def test_saved_records_give_the_report_of_the_evidence(pair: str, tmp_path: Path) -> None:
    redactor = Redactor()
    arms = [read_arm([str(FIXTURES / pair / name)], redactor, OFFLINE) for name in "ab"]
    paths = [_saved(tmp_path / f"{name}.json", arm, redactor) for name, arm in zip("ab", arms, strict=True)]
    again = [read_arm([str(path)], redactor, OFFLINE) for path in paths]
    wishes = Wishes(vary=("weights",))
    reports = [document(diff(a, b, bundled_rules(), wishes), redactor) for a, b in (arms, again)]
    assert _bare(reports[0]) == _bare(reports[1])


@pytest.mark.parametrize("name", sorted(path.parent.name for path in (FIXTURES / "vllm").glob("*/server.log")))
def test_a_saved_record_checks_like_its_log(name: str, tmp_path: Path) -> None:
    redactor = Redactor()
    paths = [str(path) for path in sorted((FIXTURES / "vllm" / name).iterdir()) if path.name != "case.yaml"]
    record = read_arm(paths, redactor, OFFLINE)
    saved = _saved(tmp_path / "run.json", record, redactor)
    again = read_arm([str(saved)], redactor, OFFLINE)
    reports = [document(check(one, bundled_rules(), Wishes()), redactor) for one in (record, again)]
    assert _bare(reports[0]) == _bare(reports[1])
    twice = read_arm([str(_saved(tmp_path / "again.json", again, redactor))], redactor, OFFLINE)
    assert twice.fields == again.fields
    assert twice.clues == again.clues


@pytest.mark.parametrize(("name", "kinds"), [("config.json", ["checkpoint"]), ("server.log", ["engine-log"])])
def test_a_saved_record_is_evidence_of_what_it_was_made_of_only(
    name: str, kinds: list[str], tmp_path: Path, redactor: Redactor
) -> None:
    record = read_arm([str(BAD / "b" / name)], redactor, OFFLINE)
    again = read_arm([str(_saved(tmp_path / "run.json", record, redactor))], redactor, OFFLINE)
    assert [source.kind for source in again.sources] == ["record", *kinds]
    reports = [check(one, bundled_rules(), Wishes()) for one in (record, again)]
    assert reports[0].undecided == reports[1].undecided
    assert [one.rule for one in reports[0].not_checked] == [one.rule for one in reports[1].not_checked]


def test_a_saved_record_and_the_checkpoint_that_was_missing(tmp_path: Path, redactor: Redactor) -> None:
    log_alone = read_arm([str(BAD / "b" / "server.log")], redactor, OFFLINE)
    assert log_alone.state("kv_cache.dtype") == "unknown"
    saved = _saved(tmp_path / "run.json", log_alone, redactor)
    completed = read_arm([str(saved), str(BAD / "b" / "config.json")], redactor, OFFLINE)
    assert completed.value("kv_cache.dtype") == "fp8_e4m3"


def test_a_saved_record_is_of_one_start(tmp_path: Path, redactor: Redactor) -> None:
    log = str(FIXTURES / "vllm" / "second-start-serves" / "server.log")
    first = read_arm([log], redactor, Options(session="1", local_checkpoint=False))
    saved = str(_saved(tmp_path / "run.json", first, redactor))
    again = read_arm([saved], redactor, OFFLINE)
    assert (again.sessions.count, again.sessions.selected, again.sessions.ready) == (2, 1, False)
    assert read_arm([saved], redactor, Options(session="1")).sessions.selected == 1
    with pytest.raises(UsageError, match="the saved record is of start 1"):
        read_arm([saved], redactor, Options(session="2"))


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "damage",
    [
        lambda written: written.update(version=99),
        lambda written: written.update(fields=[]),
        lambda written: written["fields"]["model.path"].update(facts=[{"stage": "guessed", "value": 1}]),
        lambda written: written["fields"].update({"model.path": None}),
        lambda written: written.update(sources=[{"kind": 1}]),
        lambda written: written.update(sources=["server.log"]),
        lambda written: written.update(sessions={"list": [{"first_line": "x"}]}),
        lambda written: written["fields"]["run.args"]["facts"][0].update(value=_nested(400)),
    ],
)
def test_a_damaged_record_is_named(damage: Any, tmp_path: Path, redactor: Redactor) -> None:
    written = document(read_arm([str(GOOD / "a" / "server.log")], redactor, OFFLINE), redactor)
    damage(written)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(written))
    with pytest.raises(InputErrors, match=r"run\.json: a"):
        read_arm([str(path)], redactor)


def test_what_a_record_says_of_unknown_fields_is_left_out(tmp_path: Path, redactor: Redactor) -> None:
    written = document(read_arm([str(GOOD / "a" / "server.log")], redactor, OFFLINE), redactor)
    written["fields"]["kv_cache.colour"] = written["fields"]["model.path"]
    written["clues"]["clue.colour"] = []
    path = tmp_path / "run.json"
    path.write_text(json.dumps(written))
    assert "kv_cache.colour" not in read_arm([str(path)], redactor, OFFLINE).fields
