"""The digest that is begun before anything is read: that of what was read, whatever became of the file meanwhile."""

from __future__ import annotations

import gzip
import hashlib
import threading
from pathlib import Path

import pytest

from kvaudit.errors import InputError
from kvaudit.sources import ahead
from kvaudit.sources.ahead import hashing_ahead, sha256_of
from kvaudit.sources.opening import opened, scan_stream
from kvaudit.sources.scan import Hints, Scanned

HINTS = Hints((b"needle",))
TEXT = b"a line of a log\n" * 1_000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "_LEAST", 10_000)
    monkeypatch.setattr(ahead, "_BLOCK", 1_000)


def scanned(path: Path) -> Scanned:
    with opened(path, str(path)) as stream:
        return scan_stream(stream, str(path), HINTS)[0]


def written(folder: Path, data: bytes = TEXT) -> Path:
    path = folder / "server.log"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("argument", ["{}", "label={}"])
def test_the_digest_is_that_of_the_file(argument: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    with hashing_ahead([argument.format(path), "-", "", "missing.log"]):
        with path.open("rb") as stream:
            assert sha256_of(stream) is not None
        assert scanned(path).sha256 == hashlib.sha256(TEXT).hexdigest()
    with path.open("rb") as stream:
        assert sha256_of(stream) is None


def test_a_log_that_grows_has_the_digest_of_what_was_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    with hashing_ahead([str(path)]), path.open("rb") as stream:
        digest = sha256_of(stream)
        assert digest is not None
        with path.open("ab") as more:
            more.write(b"one more line\n")
        assert digest(len(TEXT) + 14) == hashlib.sha256(TEXT + b"one more line\n").hexdigest()
        assert digest(len(TEXT)) == hashlib.sha256(TEXT).hexdigest()
        assert digest(5) == hashlib.sha256(TEXT[:5]).hexdigest()


def test_a_log_that_shrinks_is_an_input_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path)

    with hashing_ahead([str(path)]), path.open("rb") as stream:
        digest = sha256_of(stream)
        assert digest is not None
        monkeypatch.setattr("kvaudit.sources.opening.sha256_of", lambda _: lambda size: digest(size + 1))
        with pytest.raises(InputError, match="became shorter"):
            scanned(path)


@pytest.mark.parametrize("data", [gzip.compress(TEXT * 100, 0), b"GGUF\0\0" + TEXT, TEXT[:9_000]])
def test_packed_files_weights_and_small_files_are_not_begun(data: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, data)
    with hashing_ahead([str(path)]), path.open("rb") as stream:
        assert sha256_of(stream) is None


def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    with hashing_ahead([str(written(tmp_path))]):
        pass
    assert threading.active_count() == before
