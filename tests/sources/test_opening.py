"""What can be opened: files, pipes of this call, standard input; what is refused, with the file named."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest

from kvaudit.sources import opening
from kvaudit.sources.compression import Budget
from tests.conftest import Run
from tests.sources.reading import error_of, source_of
from tests.sources.test_archives import tar_of, zip_of
from tests.sources.writers import LOG, plain


def test_missing_empty_and_folder_without_evidence(tmp_path: Path) -> None:
    (tmp_path / "empty.log").write_bytes(b"")
    assert "empty" in error_of(tmp_path / "empty.log").message
    assert "No such file" in error_of(tmp_path / "missing.log").message
    assert error_of(tmp_path / "missing.log").path == str(tmp_path / "missing.log")


def test_a_fifo_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.log")
    assert error_of(tmp_path / "pipe.log").message == "not a regular file"
    assert error_of("/dev/zero").message == "not a regular file"


@pytest.mark.parametrize("packed", [plain(LOG), gzip.compress(plain(LOG))], ids=["plain", "gzip"])
def test_standard_input_and_process_substitution(command: str, packed: bytes) -> None:
    for script in ('cat | "$0" record -', '"$0" record <(cat)', '"$0" record /dev/stdin'):
        done = subprocess.run(["bash", "-c", script, command], input=packed, capture_output=True, check=False, timeout=60)  # noqa: S607
        assert (done.returncode, done.stderr) == (0, b""), script
        assert b'"value": 393216' in done.stdout


def test_a_pipe_without_an_end_is_an_error_and_a_file_of_any_size_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = plain(LOG)
    monkeypatch.setattr(opening, "Budget", lambda: Budget(len(log)))
    (tmp_path / "server.log").write_bytes(log * 2)
    with opening.opened(tmp_path / "server.log", "server.log") as stream:
        assert len(stream.read()) == 2 * len(log)
    for times, refused in ((1, False), (2, True)):
        read_end, write_end = os.pipe()
        try:
            os.write(write_end, log * times)  # less than a pipe holds
            os.close(write_end)
            shown = f"/dev/fd/{read_end}"
            if refused:
                assert "did not end" in error_of(shown).message
            else:
                with opening.opened(Path(shown), shown) as stream:
                    assert stream.read() == log
        finally:
            os.close(read_end)


def test_an_archive_may_come_through_a_pipe_unless_it_needs_its_end_first(command: str) -> None:
    for name, data in (("run.tar", tar_of({"server.log": plain(LOG)})), ("run.zip", zip_of({"server.log": plain(LOG)}))):
        script = 'cat | "$0" record -'
        done = subprocess.run(["bash", "-c", script, command], input=data, capture_output=True, check=False, timeout=60)  # noqa: S607
        assert done.returncode == (0 if name == "run.tar" else 2), name
        assert b"Traceback" not in done.stderr


def test_a_binary_file_is_called_one(tmp_path: Path, run: Run) -> None:
    (tmp_path / "core.log").write_bytes(bytes(range(256)) * 50)
    done = run("record", str(tmp_path / "core.log"))
    assert done.returncode == 2
    assert "core.log" in done.stderr
    assert "binary" in done.stderr


def test_the_real_path_is_kept_but_not_for_pipes(tmp_path: Path) -> None:
    source = source_of(tmp_path, plain(LOG))
    assert source.location == str(tmp_path / "server.log")
    assert source.folder == str(tmp_path)
