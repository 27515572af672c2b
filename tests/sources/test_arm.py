"""Arguments become documents: labels, folders and what is refused in them, every error named."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

from kvaudit.sources.arm import split_label
from tests.sources.reading import evidence_of, found_in
from tests.sources.writers import LOG, plain


def test_a_label_names_an_arm_and_an_existing_file_wins(tmp_path: Path) -> None:
    assert split_label("fp8=runs/a.log") == ("fp8", "runs/a.log")
    assert split_label("runs/x=1.log") == (None, "runs/x=1.log")
    (tmp_path / "a=b.log").write_bytes(b"x")
    assert split_label(str(tmp_path / "a=b.log")) == (None, str(tmp_path / "a=b.log"))


def test_a_folder_is_read_three_levels_deep(tmp_path: Path) -> None:
    for name in ("server.log", "a/server.log", "a/b/server.log", "a/b/c/server.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(plain(LOG))
    assert sorted(found_in(tmp_path)) == ["a/b/server.log", "a/server.log", "server.log"]


def test_what_is_no_evidence_in_a_folder_is_named_with_the_reason(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (tmp_path / "secret.txt").write_bytes(b"outside")
    (run / "out.log").symlink_to(tmp_path / "secret.txt")
    (run / "broken.log").symlink_to(run / "missing")
    (run / "empty.log").write_bytes(b"")
    (run / "core").write_bytes(bytes(range(256)) * 20)
    (run / "run.tar.gz").write_bytes(gzip.compress(b"\0" * 257 + b"ustar"))
    os.mkfifo(run / "pipe")
    (run / "server.log").write_bytes(plain(LOG))
    (run / "again.log").symlink_to(run / "server.log")
    reasons = {name: found.why_ignored for name, found in found_in(run).items()}
    assert reasons["out.log"] == "a link that leaves the run folder; refused"
    assert "broken link" in reasons["broken.log"]
    assert reasons["empty.log"] == "empty"
    assert reasons["core"] == "binary"
    assert "not a regular file" in reasons["pipe"]
    assert reasons["server.log"] == reasons["again.log"] == ""


def test_every_damaged_file_of_a_folder_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(plain(LOG))[:-9])
    (tmp_path / "b.log").write_bytes(plain(LOG))
    (tmp_path / "c.log.gz").write_bytes(gzip.compress(plain(LOG))[:-9])
    evidence = evidence_of(tmp_path)
    assert [Path(error.path).name for error in evidence.errors] == ["a.log.gz", "c.log.gz"]
    assert [Path(found.shown).name for found in evidence.found] == ["b.log"]


def test_a_link_loop_ends(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "again").symlink_to(tmp_path / "run", target_is_directory=True)
    (tmp_path / "run" / "self").symlink_to(tmp_path / "run" / "self")
    (tmp_path / "run" / "server.log").write_bytes(plain(LOG))
    assert "server.log" in found_in(tmp_path / "run")


def test_a_file_whose_name_holds_the_mark_of_services_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "run#2.log").write_bytes(plain(LOG))
    assert list(evidence_of(tmp_path / "run#2.log").found[0].shown) == list(str(tmp_path / "run#2.log"))
