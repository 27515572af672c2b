"""The bounds that SECURITY.md names: what is beyond them is said, and nothing of it costs memory or time without end."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from kvaudit.audit.rule_schema import check_folder
from kvaudit.audit.rules import load_rules
from kvaudit.errors import InputError, RuleError
from kvaudit.parsers.tables import is_absurd
from kvaudit.sources import arm
from kvaudit.sources.weights import FileRanges
from tests.conftest import ROOT
from tests.sources.reading import evidence_of, found_in, record_of
from tests.sources.writers import LOG, plain

MOST_MIB = 300


class Measured(NamedTuple):
    """A finished command with the most memory that it had, in MiB."""

    code: int
    out: str
    err: str
    mib: int


MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(done.returncode)
"""
"""A small process in between: a child starts with the memory of its parent, and that of the tests is large."""


def measured(command: str, *arguments: str | Path) -> Measured:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, command, *map(str, arguments)], capture_output=True, encoding="utf-8", check=False
    )
    *lines, mib = done.stderr.splitlines()
    return Measured(done.returncode, done.stdout, "\n".join(lines), int(mib))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_one_line_of_a_hundred_megabytes(packed: bool, tmp_path: Path, command: str) -> None:
    filler = b"x" * (50 << 20)
    data = plain(LOG) + filler + b" GPU KV cache size: 7 tokens " + filler + b"\n" + plain(LOG[-1:])
    path = tmp_path / "server.log"
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    del data, filler
    done = measured(command, "record", path)
    assert (done.code, done.err) == (0, "")
    assert '"value": 393216' in done.out
    assert len(done.out) < 400_000
    assert done.mib < MOST_MIB


def test_a_bomb_costs_no_memory(tmp_path: Path, command: str) -> None:
    path = tmp_path / "bomb.log.gz"
    block = gzip.compress(bytes(1 << 24), 9)
    path.write_bytes(block * 16)
    done = measured(command, "record", path)
    assert done.code == 2
    assert "bomb.log.gz" in done.err
    assert done.mib < MOST_MIB


def test_a_folder_of_a_hundred_thousand_files(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "a.log").write_bytes(plain(LOG))
    for number in range(99_999):
        (run / f"c{number:06d}").symlink_to("missing")
    record = record_of(run)
    assert record.value("kv_cache.tokens") == 393_216
    assert len(record.sources) == 2_001
    assert record.sources[-1].notes == ["more than 2000 files in this folder"]
    (run / "one-more").write_bytes(b"")
    (error,) = evidence_of(run).errors
    assert error.message == "more than 100,000 entries in one folder: name the files of the run"


def test_a_file_that_vanishes_while_its_folder_is_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_bytes(plain(LOG))
    before = arm._unreadable

    def vanishing(path: Path) -> str:
        reason = before(path)
        if path.name == "a.log":
            path.unlink()
        return reason

    monkeypatch.setattr(arm, "_unreadable", vanishing)
    evidence = evidence_of(tmp_path)
    assert [(Path(one.path).name, one.message) for one in evidence.errors] == [("a.log", "No such file or directory")]
    assert [one.shown for one in evidence.found] == [f"{tmp_path}/b.log"]


def test_a_file_of_weights_that_shrinks_gives_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    ranges = FileRanges(path, "model.gguf")
    path.write_bytes(b"GGUF" + bytes(10))
    assert len(ranges(0, 104)) == 14
    path.unlink()
    with pytest.raises(InputError, match=r"model\.gguf: No such file"):
        ranges(0, 4)


def test_links_that_leave_the_folder_through_another_link_are_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "server.log").write_bytes(plain(LOG))
    (run / "inside").symlink_to(tmp_path / "outside")
    (run / "server.log").symlink_to(Path("inside") / "server.log")
    assert {name: one.why_ignored for name, one in found_in(run).items()} == {
        "inside": "a link that leaves the run folder; refused",
        "server.log": "a link that leaves the run folder; refused",
    }


@pytest.mark.parametrize(
    ("text", "absurd"), [("9" * 18, False), ("9" * 19, True), ("-" + "9" * 5_000, True), ("9" * 19 + "a", False)]
)
def test_integers_beyond_every_engine(text: str, absurd: bool) -> None:
    assert is_absurd(text) is absurd


RULE = (ROOT / "rules" / "engine" / "engine-not-ready.yaml").read_text(encoding="utf-8")
RULES = {
    "number": f"{RULE}\nextra: {'9' * 5_000}\n",
    "date": f"{RULE}\nextra: 2026-99-99\n",
    "nesting": "a: " + "[" * 100_000,
    "tag": "a: !!python/object/apply:os.system [x]\n",
    "NUL": "a: \0",
    "nothing": "",
    "a list": "- a\n",
    "bytes": "\udcff\udcfe",
    "aliases": f"{RULE}\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
}


@pytest.mark.parametrize("name", RULES)
def test_a_hostile_rule_file_is_a_rule_error_that_names_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "engine-not-ready.yaml"
    path.write_bytes(RULES[name].encode("utf-8", "surrogateescape"))
    for load in (check_folder, load_rules):
        with pytest.raises(RuleError, match=r"engine-not-ready\.yaml"):
            load(tmp_path)


POLICIES = ["a = " + "9" * 5_000, "a = " + "[" * 100_000, "a = 2026-99-99", "\xff", "a = 'x", "x" * (2 << 20)]


@pytest.mark.parametrize("text", POLICIES, ids=["number", "nesting", "date", "bytes", "open", "size"])
def test_a_hostile_policy_is_an_input_error_that_names_it(text: str, tmp_path: Path) -> None:
    from kvaudit.audit.policy_file import policy_in_force

    path = tmp_path / "kvaudit.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"kvaudit\.toml"):
        policy_in_force([], policy=str(path))


BASELINES = ["9" * 5_000, "[" * 100_000, '{"document": "baseline", "findings": [[]]}', "\xff", "null"]


@pytest.mark.parametrize("text", BASELINES, ids=["number", "nesting", "types", "bytes", "nothing"])
def test_a_hostile_baseline_or_report_is_an_input_error_that_names_it(text: str, tmp_path: Path) -> None:
    from kvaudit.audit.baseline import read_baseline
    from kvaudit.cli.saved_report import arm_of_report

    path = tmp_path / "known.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"known\.json"):
        read_baseline(str(path))
    path.write_bytes(b'{"document": "report", "arms": ' + text.encode("latin-1") + b"}")
    with pytest.raises(InputError, match=r"known\.json"):
        arm_of_report(str(path), "a")
