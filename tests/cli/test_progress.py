"""The progress line: only on a terminal, only after two seconds, and gone afterwards."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from kvaudit.cli.progress import ProgressLine, progress_shown
from kvaudit.sources.opening import scan_file
from kvaudit.sources.scan import Hints


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("kvaudit.cli.progress.time.monotonic", found)
    return found


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_said_for_two_seconds(clock: Clock) -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    clock.now += 1.9
    line.tell("server.log", 1 << 30)
    line.clear()
    assert stream.getvalue() == ""
    clock.now += 0.2
    line.tell("server.log", 1 << 30)
    assert stream.getvalue() == "\r\x1b[Kreading server.log: 1,024 MiB"


def test_the_line_is_rewritten_now_and_then_and_taken_away(clock: Clock) -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    for _ in range(100):
        clock.now += 0.03
        line.tell("server.log", 5 << 20)
    assert 3 <= stream.getvalue().count("reading") <= 5
    line.clear()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_name_cannot_move_the_cursor_or_fill_the_line(clock: Clock) -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    clock.now += 3
    line.tell("\x1b[2J" + "x" * 300 + "\u202e.log", 1)
    told = stream.getvalue().removeprefix("\r\x1b[K")
    assert told.isprintable()
    assert told.startswith("reading …xxx")
    assert len(told) < 70


def test_reading_is_watched_on_a_terminal_alone(clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"line\n" * 1_000_000)
    shown = []
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        with progress_shown():
            clock.now += 3
            scan_file(path, "server.log", Hints((b"needle",)))
        shown.append(stream.getvalue())
    assert shown == ["\r\x1b[Kreading server.log: 0 MiB\r\x1b[K", ""]


def test_a_broken_terminal_is_no_error(clock: Clock) -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    stream.close()
    clock.now += 3
    line.tell("server.log", 1)
    line.clear()
