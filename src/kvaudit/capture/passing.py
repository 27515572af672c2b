"""Runs the command of `--around`: its output goes where it would have gone, and a bounded copy of it is kept.

Room: `capture`. The command is the user's own, an argument list, never a shell; it keeps standard input. Signals that reach
kvaudit reach it too, and its exit code comes back as a shell would give it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, BinaryIO

KEPT_BYTES = 8 << 20
"""Kept of each stream: half from its beginning, half from its end."""

NOT_FOUND, NOT_STARTED, BY_SIGNAL = 127, 126, 128
_PORTION = 1 << 16
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Tail:
    """The beginning and the end of a stream of bytes; `size` is all of it."""

    limit: int = KEPT_BYTES
    size: int = 0
    first: bytearray = field(default_factory=bytearray)
    last: deque[bytes] = field(default_factory=deque)
    held: int = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes in."""
        self.size += len(data)
        room = max(0, self.limit // 2 - len(self.first))
        self.first += data[:room]
        if rest := data[room:]:
            self.last.append(rest)
            self.held += len(rest)
            while self.held - len(self.last[0]) >= self.limit // 2:
                self.held -= len(self.last.popleft())

    def kept(self) -> bytes:
        """What is kept, with a line that says how much is left out between."""
        end = b"".join(self.last)
        left_out = self.size - len(self.first) - len(end)
        if not left_out:
            return bytes(self.first) + end
        return bytes(self.first) + f"\n[kvaudit capture: {left_out:,} bytes are left out here]\n".encode() + end


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (128 + N for signal N, 127 and 126 where it never ran), and its output."""

    code: int
    stdout: Tail
    stderr: Tail
    why: str = ""


def run(command: list[str]) -> Ended:
    """Run a command to its end. Raises nothing: what cannot be started comes back with a reason."""
    streams = Tail(), Tail()
    # In a group of its own it gets a signal once, from here; at a terminal the terminal itself signals the whole group.
    alone = None if sys.stdin is not None and sys.stdin.isatty() else 0
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=alone)  # noqa: S603
    except FileNotFoundError:
        return Ended(NOT_FOUND, *streams, why=f"{command[0]}: no such command")
    except OSError as error:
        return Ended(NOT_STARTED, *streams, why=f"{command[0]}: {error.strerror or error}")
    with _forwarding(process, to_group=alone is not None):
        pumps = [
            threading.Thread(target=_pump, args=(source, target, tail), daemon=True)
            for source, target, tail in zip((process.stdout, process.stderr), _own_streams(), streams, strict=True)
        ]
        for pump in pumps:
            pump.start()
        code = process.wait()
        for pump in pumps:
            pump.join(5)
    return Ended(BY_SIGNAL - code if code < 0 else code, *streams)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    return sys.stdout.buffer, sys.stderr.buffer


def _pump(source: IO[bytes] | None, target: BinaryIO, tail: Tail) -> None:
    """Hand every portion on at once. Where our own reader has gone, the command's output is still kept and read to its end."""
    open_ = True
    while source is not None and (data := os.read(source.fileno(), _PORTION)):
        tail.add(data)
        try:
            if open_:
                target.write(data)
                target.flush()
        except OSError:
            open_ = False


@contextmanager
def _forwarding(process: subprocess.Popen[bytes], *, to_group: bool) -> Iterator[None]:
    """Signals to this process go on to the command; Python's own handling comes back afterwards."""

    def forward(number: int, _frame: object) -> None:
        if process.poll() is not None or (number == signal.SIGINT and not to_group):
            return
        try:
            os.killpg(process.pid, number) if to_group else process.send_signal(number)
        except ProcessLookupError:
            return

    before = {number: signal.signal(number, forward) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
