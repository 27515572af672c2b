"""Opens one file as a binary stream: compression, encodings, and what cannot be read at all.

Room: `sources`. Bytes in, bytes out; nothing is decided about the content beyond its encoding.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from kvaudit.errors import InputError
from kvaudit.sources.scan import Hints, Scanned, scan

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
)
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError)


def scan_file(path: Path, shown: str, hints: Hints) -> tuple[Scanned, list[str]]:
    """Scan a file (or standard input for `-`).

    Returns the scan and notes about the encoding. Raises `InputError`, naming the file, when it is missing, unreadable,
    empty or damaged.
    """
    with _opened(path, shown) as stream:
        first = stream.peek(4096)[:4096] if isinstance(stream, io.BufferedReader) else b""
        decode, notes = _decoder(first)
        try:
            found = scan(cast(BinaryIO, stream), hints, decode)
        except _DAMAGED as error:
            raise InputError(shown, f"damaged or unreadable: {error}") from error
    if not found.size:
        raise InputError(shown, "the file is empty")
    return found, notes


@contextmanager
def _opened(path: Path, shown: str) -> Iterator[io.BufferedReader]:
    if shown == "-":
        yield io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer), 1 << 16)
        return
    try:
        raw = path.open("rb")
    except OSError as error:
        raise InputError(shown, error.strerror or str(error)) from error
    with raw:
        magic = raw.peek(8)[:8]
        yield _decompressed(raw, magic)


def _decompressed(raw: io.BufferedReader, magic: bytes) -> io.BufferedReader:
    kind = next((name for start, name in _MAGIC if magic.startswith(start)), "")
    if kind == "gzip":
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw)), 1 << 16)
    if kind == "bzip2":
        return io.BufferedReader(cast(io.RawIOBase, bz2.BZ2File(raw)), 1 << 16)
    if kind == "xz":
        return io.BufferedReader(cast(io.RawIOBase, lzma.LZMAFile(raw)), 1 << 16)
    return raw


def _decoder(first: bytes) -> tuple[Callable[[bytes], bytes] | None, list[str]]:
    """A block transcoder to UTF-8 where the text is UTF-16, by byte order mark or by its pattern of NUL bytes."""
    encoding = ""
    if first.startswith(codecs.BOM_UTF16_LE) or _every_second_is_nul(first[1::2], first[0::2]):
        encoding = "utf-16-le"
    elif first.startswith(codecs.BOM_UTF16_BE) or _every_second_is_nul(first[0::2], first[1::2]):
        encoding = "utf-16-be"
    if not encoding:
        return None, []
    incremental = codecs.getincrementaldecoder(encoding)("replace")

    def decode(block: bytes) -> bytes:
        return incremental.decode(block).encode("utf-8", "replace")

    return decode, [f"read as {encoding}"]


def _every_second_is_nul(nul: bytes, text: bytes) -> bool:
    return len(nul) >= 16 and nul.count(0) > 0.9 * len(nul) and text.count(0) < 0.1 * len(text)
