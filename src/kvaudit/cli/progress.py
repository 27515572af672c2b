"""A line on the terminal that says how far reading has come, once it has taken two seconds.

Room: `cli`. It goes to stderr, only where that is a terminal, and leaves nothing behind.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_PATIENCE = 2.0
"""Seconds before anything is said."""

_EVERY = 0.25
_LONGEST_NAME = 40


class ProgressLine:
    """Rewrites one line of a terminal; `clear` takes it away."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next = time.monotonic() + _PATIENCE
        self._written = False

    def tell(self, shown: str, size: int) -> None:
        """So many bytes of this document have been read."""
        from kvaudit.redaction import escape

        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        name = escape(shown)
        name = name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"
        self._write(f"\r\x1b[Kreading {name}: {size >> 20:,} MiB")
        self._written = True

    def clear(self) -> None:
        """Leave the terminal as it was."""
        if self._written:
            self._write("\r\x1b[K")
            self._written = False

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def progress_shown() -> Iterator[None]:
    """While it is open, reading is shown where stderr is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from kvaudit.sources.progress import watched

    line = ProgressLine(sys.stderr)
    try:
        with watched(line.tell):
            yield
    finally:
        line.clear()
