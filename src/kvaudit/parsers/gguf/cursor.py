"""Reads a GGUF header forwards through ranges of the file, in blocks, never past a limit.

Room: gguf parser. Bytes and numbers only; no key of the format is named here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from kvaudit.errors import InputError

LONGEST_HEADER = 1 << 28
"""Key-value pairs beyond 256 MiB are no tokenizer any more."""

_BLOCK = 1 << 20


class Cursor:
    """A position in a file. Every read raises `InputError` at the end of the file or of the limit."""

    def __init__(self, path: str, size: int, ranges: Callable[[int, int], bytes]) -> None:
        self.path, self.size = path, min(size, LONGEST_HEADER)
        self.order = "<"
        self._ranges = ranges
        self._start, self._block, self._offset = 0, b"", 0
        self._cut = size > LONGEST_HEADER

    @property
    def position(self) -> int:
        """Bytes read or passed over so far."""
        return self._start + self._offset

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        if self._offset + count > len(self._block):
            self._load(count)
        found = self._block[self._offset : self._offset + count]
        self._offset += count
        return found

    def number(self, code: str) -> int | float:
        """The next number, by its `struct` code."""
        form = self.order + code
        value: int | float = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def unsigned(self, code: str = "Q") -> int:
        """The next unsigned number."""
        return int(self.number(code))

    def skip(self, count: int) -> None:
        """Pass over `count` bytes without reading them."""
        target = self.position + count
        self._check(target)
        self._start, self._block, self._offset = target, b"", 0

    def skip_strings(self, count: int) -> None:
        """Pass over `count` strings, each a length of 64 bits and its bytes."""
        form = struct.Struct(self.order + "Q")
        for _ in range(count):
            if self._offset + form.size > len(self._block):
                self._load(form.size)
            (length,) = form.unpack_from(self._block, self._offset)
            self._offset += form.size
            if self._offset + length <= len(self._block):
                self._offset += length
            else:
                self.skip(length)

    def _load(self, count: int) -> None:
        start = self.position
        self._check(start + count)
        self._block, self._start, self._offset = self._ranges(start, max(count, _BLOCK)), start, 0
        if len(self._block) < count:
            raise InputError(self.path, f"the GGUF header ends at byte {start + len(self._block):,}, in the middle of a value")

    def _check(self, end: int) -> None:
        if end <= self.size:
            return
        if self._cut:
            raise InputError(self.path, f"the GGUF header is longer than {LONGEST_HEADER >> 20} MiB")
        raise InputError(self.path, f"the GGUF header claims bytes up to {end:,}, the file has {self.size:,}")
