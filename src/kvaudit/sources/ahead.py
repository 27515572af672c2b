"""sha256 of large plain files, begun while the rest of the program is still being loaded.

Room: `sources`, standard library only: importing it is nearly free. Loading takes as long as hashing half a gigabyte.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

_LEAST = 1 << 25
_BLOCK = 1 << 20
_HEAD = 1 << 12
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"PK\x03\x04")
_BEGUN: ContextVar[dict[tuple[int, int], Hashed] | None] = ContextVar("begun", default=None)


class Hashed:
    """The digest of one file, computed in a thread of its own. `close` ends it."""

    def __init__(self, stream: BinaryIO) -> None:
        import threading

        self._stream, self._digest, self._size = stream, hashlib.sha256(), 0
        self._ended = False
        self._failed: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="ahead", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._ended and self._take(_BLOCK):
                pass
        except OSError as error:
            self._failed = error

    def _take(self, most: int) -> bool:
        data = self._stream.read(most)
        self._digest.update(data)
        self._size += len(data)
        return bool(data)

    def sha256(self, size: int) -> str:
        """The digest of the first `size` bytes. A log may grow meanwhile; raises `OSError` for one that shrank."""
        self._thread.join()
        if self._failed:
            raise self._failed
        if self._size > size:
            self._stream.seek(0)
            self._digest, self._size = hashlib.sha256(), 0
        while self._size < size:
            if not self._take(min(_BLOCK, size - self._size)):
                raise OSError("it became shorter while it was read")
        return self._digest.hexdigest()

    def close(self) -> None:
        """Stop, whether it is needed or not."""
        self._ended = True
        self._thread.join()
        self._stream.close()


@contextmanager
def hashing_ahead(arguments: Iterable[str]) -> Iterator[None]:
    """While it is open, `sha256_of` knows the large plain files that these arguments of the command line name."""
    with ExitStack() as stack:
        found = {}
        for argument in arguments:
            for path in dict.fromkeys((argument, argument.partition("=")[2])):
                if path and (stream := _opened(path)):
                    status = os.fstat(stream.fileno())
                    hashed = Hashed(stream)
                    stack.callback(hashed.close)
                    found[status.st_dev, status.st_ino] = hashed
        token = _BEGUN.set(found or None)
        stack.callback(_BEGUN.reset, token)
        yield


def sha256_of(stream: BinaryIO) -> Callable[[int], str] | None:
    """What gives the digest of the first so many bytes of an open file; None where it was not begun."""
    found = _BEGUN.get()
    if not found:
        return None
    try:
        status = os.fstat(stream.fileno())
    except (OSError, AttributeError, ValueError):
        return None
    hashed = found.get((status.st_dev, status.st_ino))
    return hashed.sha256 if hashed else None


def _opened(path: str) -> BinaryIO | None:
    """The file, if it is a large one that will be read to its end: no weights, which are not, and nothing packed."""
    try:
        file = Path(path)
        if path.startswith(("/dev/", "/proc/")) or not file.is_file() or file.stat().st_size < _LEAST:
            return None
        stream = file.open("rb", buffering=0)
    except (OSError, ValueError):
        return None
    head = stream.read(_HEAD)
    if head.startswith(_PACKED) or b"\0" in head:
        stream.close()
        return None
    stream.seek(0)
    return stream
