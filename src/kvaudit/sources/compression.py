"""Compressed files as plain byte streams: gzip, bzip2, xz, Zstandard; a limit against decompression bombs.

Room: `sources`. Which compression it is, is seen by the first bytes, never by a name. Damage raises one of `DAMAGED` while
reading; too much raises `InputError`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from kvaudit.errors import InputError

if TYPE_CHECKING:
    import zstandard
    from _typeshed import WriteableBuffer

LARGEST = 8 << 30
"""A compressed file may hold 8 GiB; the largest logs of weeks are a tenth of that."""

DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError)

_XZ_MAGIC = b"\xfd7zXZ\x00"
_XZ_CHUNK = 1 << 14
_XZ_MEMORY = 160 << 20
"""A header of xz may ask for a dictionary of 4 GiB; its strongest preset has 64 MiB."""

_ZSTD_CHUNK = 1 << 11
"""Compressed bytes per step: Zstandard blows four bytes up to 128 KiB at worst, so a step makes 64 MiB at most."""


def is_compressed(first: bytes) -> bool:
    """Whether a document that begins so is opened by `decompressed`."""
    return any(first.startswith(start) for start in _KINDS)


@dataclass(slots=True)
class Budget:
    """How many bytes an input may still unfold into."""

    left: int = LARGEST


def decompressed(stream: BinaryIO, first: bytes, shown: str, budget: Budget) -> BinaryIO:
    """The stream decompressed where its first bytes say so, else itself. Raises `InputError` beyond the budget."""
    opener = next((opener for start, opener in _KINDS.items() if first.startswith(start)), None)
    return cast(BinaryIO, io.BufferedReader(Limited(opener(stream), shown, budget), 1 << 16)) if opener else stream


UNFOLDS = "unfolds into more than 8 GiB: not read"


class Limited(io.RawIOBase):
    """A stream that ends in an `InputError` with this message when its budget is spent."""

    def __init__(self, stream: BinaryIO, shown: str, budget: Budget, message: str = UNFOLDS) -> None:
        self._stream, self._shown, self._budget, self._message = stream, shown, budget, message

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill the buffer; 0 at the end."""
        view = memoryview(buffer)
        data = self._stream.read(len(view))
        self._budget.left -= len(data)
        if self._budget.left < 0:
            raise InputError(self._shown, self._message)
        view[: len(data)] = data
        return len(data)


class _Zstandard(io.RawIOBase):
    """Frame after frame; a frame that does not end is damage, which zstandard's own reader passes over in silence."""

    def __init__(self, stream: BinaryIO) -> None:
        import zstandard

        self._stream, self._made, self._open = stream, b"", False
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame: zstandard.ZstdDecompressionObj = self._decompressor.decompressobj()
        self._error = zstandard.ZstdError

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._made and self._step():
            pass
        view = memoryview(buffer)
        data, self._made = self._made[: len(view)], self._made[len(view) :]
        view[: len(data)] = data
        return len(data)

    def _step(self) -> bool:
        """Take one chunk in; False at the end of the file."""
        chunk = self._stream.read(_ZSTD_CHUNK)
        if not chunk:
            if self._open:
                raise EOFError("the compressed data ends inside a frame")
            return False
        made = []
        while chunk:
            try:
                made.append(self._frame.decompress(chunk))
            except self._error as error:
                raise OSError(str(error)) from error
            self._open, chunk = not self._frame.eof, self._frame.unused_data
            if not self._open:
                self._frame = self._decompressor.decompressobj()
        self._made = b"".join(made)
        return True


class _Xz(io.RawIOBase):
    """Stream after stream, with a bound on the dictionary that a header may ask for; `lzma.LZMAFile` has none."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left = stream, b""
        self._decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        while True:
            if self._decompressor.eof and not self._next_stream():
                return 0
            if self._decompressor.needs_input and not self._left:
                self._left = self._stream.read(_XZ_CHUNK)
                if not self._left:
                    raise EOFError("the compressed data ends inside a stream")
            data = self._decompressor.decompress(self._left, max_length=len(view))
            self._left = b""
            if data:
                view[: len(data)] = data
                return len(data)

    def _next_stream(self) -> bool:
        """Begin with what follows a stream; padding and anything that is no further stream is passed over."""
        rest = self._decompressor.unused_data.lstrip(b"\0")
        while not rest and (more := self._stream.read(_XZ_CHUNK)):
            rest = more.lstrip(b"\0")
        if not rest.startswith(_XZ_MAGIC):
            return False
        self._decompressor, self._left = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), rest
        return True


def _zstandard(stream: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Zstandard(stream), 1 << 16))


def _gzip(stream: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream))


def _bzip2(stream: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, bz2.BZ2File(stream))


def _xz(stream: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Xz(stream), 1 << 16))


_KINDS: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": _gzip,
    b"BZh": _bzip2,
    _XZ_MAGIC: _xz,
    b"\x28\xb5\x2f\xfd": _zstandard,
    b"\x50\x2a\x4d\x18": _zstandard,
}
"""Openers by magic number; the last one is the skippable frame that pzstd begins with."""
