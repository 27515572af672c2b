"""Copies a log into the run folder: masked line by line, whole up to a bound, and beyond it with both its ends.

Room: `capture`. The beginning holds the configuration, the end what became of it; what is left out in between is said in the
copy and in the manifest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from kvaudit.capture.folder import RunFolder, Writing
from kvaudit.capture.masking import MaskedLines
from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources.encodings import decoder_of
from kvaudit.sources.opening import opened

LOG_BYTES = 256 << 20
"""Most bytes of a log that are copied; half from its beginning, half from its end."""

_BLOCK = 1 << 18
_LONGEST_LINE = 1 << 20


def copy_log(path: Path, folder: RunFolder, redactor: Redactor, limit: int = LOG_BYTES) -> None:
    """Copy a log file, decompressed and as UTF-8. Raises `InputError` naming it where it cannot be read or is empty."""
    with opened(path, str(path)) as stream:
        if not stream.first:
            raise InputError(str(path), "the log is empty")
        lines = lines_of(cast(BinaryIO, stream), stream.first)
        keep_lines(lines, Writing(folder, redactor), redactor.mask(str(path)), limit=limit)


def keep_lines(
    lines: Iterable[bytes], writing: Writing, source: str, *, name: str = "server.log", limit: int = LOG_BYTES
) -> None:
    """Write lines (without their newlines) as a log; those that do not fit between both ends are counted and left out."""
    more: dict[str, object] = {}
    with writing.folder.stream(name, "log", source, more) as stream:
        first, last, left_out = _both_ends(lines, writing.redactor, stream, limit // 2)
        if left_out:
            stream.write(f"[kvaudit capture: {left_out:,} lines from line {first + 1:,} on are left out here]\n".encode())
            more["left_out_lines"] = left_out
        stream.writelines(last)


def _both_ends(lines: Iterable[bytes], redactor: Redactor, stream: BinaryIO, half: int) -> tuple[int, deque[bytes], int]:
    written = first = left_out = held = 0
    last: deque[bytes] = deque()
    masking = MaskedLines(redactor)
    for line in lines:
        masked = masking.of(line) + b"\n"
        if not last and not left_out and written + len(masked) <= half:
            stream.write(masked)
            written, first = written + len(masked), first + 1
            continue
        last.append(masked)
        held += len(masked)
        while held > half and len(last) > 1:
            held -= len(last.popleft())
            left_out += 1
    return first, last, left_out


def lines_of(stream: BinaryIO, first: bytes = b"") -> Iterator[bytes]:
    """Lines split on newlines only, without them; a line without an end is cut where it becomes too long."""
    decode, _ = decoder_of(first)
    rest = b""
    while True:
        block = stream.read(_BLOCK)
        *whole, rest = (rest + (decode(block) if decode else block)).split(b"\n")
        yield from whole
        while len(rest) > _LONGEST_LINE:
            yield rest[:_LONGEST_LINE]
            rest = rest[_LONGEST_LINE:]
        if not block:
            break
    if rest:
        yield rest
