"""Files that are whole or not there: a report never stands half written in place of an old good one.

Room: `cli`. Text goes to a new file beside the target, which then takes its place.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_IN_PLACE = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.EROFS)
"""Errors of a folder where nothing can be made or moved, though the file itself may take text: a single file that is mounted."""


def is_evidence(path: str, arguments: Sequence[str]) -> bool:
    """Whether a file is evidence of this call: named by an argument (behind a label, before `#SERVICE`), or found in a folder."""
    if not Path(path).exists():
        return False
    from kvaudit.sources.arm import split_label

    for argument in arguments:
        _, named = split_label(argument)
        given = [Path(one) for one in (argument, named, named.partition("#")[0])]
        if any(one.is_file() and one.samefile(path) for one in given):
            return True
        if any(one.is_dir() and _within(path, one) for one in given) and _is_recognised(path):
            return True
    return False


def _within(path: str, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _is_recognised(path: str) -> bool:
    """Whether a file of a run folder is evidence, damaged or not; a report may be written anew, and so may an empty file."""
    from kvaudit.parsers.registry import all_hints, recognise
    from kvaudit.redaction import Redactor
    from kvaudit.sources.arm import collect

    read = collect([path], all_hints(), Redactor())
    if read.errors:
        return Path(path).stat().st_size > 0
    return any(one.source is not None and (one.source.form or recognise(one.source) is not None) for one in read.found)


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
