"""Files that are whole or not there: a report never stands half written in place of an old good one.

Room: `cli`. Text goes to a new file beside the target, which then takes its place.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_IN_PLACE = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.EROFS)
"""Errors of a folder where nothing can be made or moved, though the file itself may take text: a single file that is mounted."""


def replace_file(path: str, data: bytes) -> None:
    """Bytes to a file, which keeps its permissions; a link stays a link. Raises `OSError`, and then the old content stands."""
    if path.startswith(("/dev/", "/proc/")) or (Path(path).exists() and not Path(path).is_file()):
        with Path(path).open("wb", buffering=0) as stream:  # a pipe, a device: there is nothing to replace
            _write_all(stream.fileno(), data)
        return
    target = Path(os.path.realpath(path))
    try:
        _swap(target, data)
    except OSError as error:
        if error.errno not in _IN_PLACE or not target.is_file() or not os.access(target, os.W_OK):
            raise
        _overwrite(target, data)


def _swap(target: Path, data: bytes) -> None:
    beside = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _overwrite(target: Path, data: bytes) -> None:
    """The last resort: what was there is put back where the new text does not fit."""
    before = target.read_bytes()
    try:
        target.write_bytes(data)
    except BaseException:
        with suppress(OSError):
            target.write_bytes(before)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
