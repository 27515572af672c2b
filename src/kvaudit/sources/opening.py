"""Opens one document as a stream of bytes: what cannot be opened, compression, archives told from files.

Room: `sources`. Bytes in, bytes out; nothing is decided about the content beyond its packing and encoding.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from kvaudit.errors import InputError
from kvaudit.sources.compression import DAMAGED, Budget, Limited, decompressed, is_compressed
from kvaudit.sources.encodings import decoder_of
from kvaudit.sources.progress import watcher_of
from kvaudit.sources.scan import Hints, Scanned, scan
from kvaudit.sources.source import HEAD_BYTES

_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Process substitution and redirection: pipes that were opened for this call, unlike a FIFO that lies in a folder."""

_ENDLESS = "more than 8 GiB came through the pipe and it did not end: not read; give a file, or the part of the log that matters"


class Begun(io.RawIOBase):
    """A stream of which the first bytes were already looked at; they are read again."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._position = stream, 0
        self.first = _filled(stream, HEAD_BYTES)

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; everything for -1."""
        if self._position < len(self.first):
            end = len(self.first) if size < 0 else self._position + size
            data, self._position = self.first[self._position : end], min(end, len(self.first))
            return data + self._stream.read() if size < 0 else data
        return self._stream.read(size)

    def rewound(self) -> BinaryIO | None:
        """The plain file from its beginning, where it can be gone back to; None for a pipe and for what was decompressed."""
        if not self._stream.seekable():
            return None
        self._stream.seek(0)
        return self._stream


def _filled(stream: BinaryIO, size: int) -> bytes:
    """The first `size` bytes, or all there are; a pipe hands them out in smaller portions."""
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


@contextmanager
def opened(path: Path, shown: str) -> Iterator[Begun]:
    """The bytes of a file, decompressed. Raises `InputError`, naming the file, when it cannot be opened or is damaged."""
    with _raw(path, shown) as raw, guarded(shown):
        yield begun(raw, shown)


def begun(raw: BinaryIO, shown: str, budget: Budget | None = None) -> Begun:
    """A stream decompressed, with its first bytes at hand. What it unfolds into counts against the budget."""
    packed = Begun(raw)
    if not is_compressed(packed.first):
        return packed
    return Begun(decompressed(cast(BinaryIO, packed), packed.first, shown, budget or Budget()))


@contextmanager
def guarded(shown: str) -> Iterator[None]:
    """Damage met while reading becomes an `InputError` that names the file."""
    try:
        yield
    except DAMAGED as error:
        raise InputError(shown, f"damaged or unreadable: {error}") from error


@contextmanager
def _raw(path: Path, shown: str) -> Iterator[BinaryIO]:
    if shown == "-":
        yield _bounded(sys.stdin.buffer, shown)
        return
    try:
        _refuse_devices(path, shown)
        stream = path.open("rb")
    except OSError as error:
        raise InputError(shown, error.strerror or str(error)) from error
    with stream:
        yield _bounded(stream, shown)


def _bounded(stream: BinaryIO, shown: str) -> BinaryIO:
    """A regular file as it is; a pipe, which may never end, up to as much as a compressed file may hold."""
    try:
        ends = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # no file of the system, but bytes in memory
        ends = True
    return stream if ends else cast(BinaryIO, io.BufferedReader(Limited(stream, shown, Budget(), _ENDLESS), 1 << 18))


def _refuse_devices(path: Path, shown: str) -> None:
    """A FIFO blocks for ever and a device has no end; pipes of this call are fine."""
    if not stat.S_ISREG(path.stat().st_mode) and not shown.startswith(_STREAMS):
        raise InputError(shown, "not a regular file")


def scan_stream(stream: Begun, shown: str, hints: Hints) -> tuple[Scanned, list[str]]:
    """Scan an opened document. Returns the scan and notes about the encoding; an empty one is an `InputError`."""
    decode, notes = decoder_of(stream.first)
    found = scan(cast(BinaryIO, stream), hints, decode, watcher_of(shown))
    if not found.size:
        raise InputError(shown, "the file is empty")
    return found, notes


def scan_file(path: Path, shown: str, hints: Hints) -> tuple[Scanned, list[str]]:
    """Scan a file, or standard input for `-`. Raises `InputError`, naming it, when it is missing, empty or damaged."""
    with opened(path, shown) as stream:
        return scan_stream(stream, shown, hints)
