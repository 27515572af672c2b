"""Long lines that a wrapper cut into several records: Docker at 16 KiB, CRI with its P flag, journald at 48 KiB.

Room: `sources`, on raw bytes. The scan keeps the records of one line together; unwrapping joins their texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import re2

_MOST_RECORDS = 256
_LONGEST_RECORD = 1 << 17
_JOURNAL_LINE = (48 * 1024 - 1, 48 * 1024)
_BYTES = re2.Options()
_BYTES.encoding = re2.Options.Encoding.LATIN1

_DOCKER_ENDS = re2.compile(rb'\\n"\s*[,}]', options=_BYTES)
_DOCKER_STREAM = re2.compile(rb'"stream"\s*:\s*"(\w+)"', options=_BYTES)
_CRI = re2.compile(rb"^\d{4}-\d\d-\d\dT\S+ (stdout|stderr) ([PF])", options=_BYTES)
_JOURNAL = re2.compile(rb"^(?:[A-Z][a-z]{2} [ \d]\d [\d:.]+|\d{4}-\S+) \S+ (\S+\[\d+\]): ", options=_BYTES)
_JOURNAL_PID = re2.compile(rb'"_PID"\s*:\s*"(\d+)"', options=_BYTES)
_JOURNAL_OPEN = re2.compile(rb'"_LINE_BREAK"\s*:\s*"line-max"|"CONTAINER_PARTIAL_MESSAGE"\s*:\s*"true"', options=_BYTES)

Part = tuple[bytes, bool]
"""The stream of a record, and whether its line goes on in the stream's next record."""


@dataclass(frozen=True, slots=True)
class Partial:
    """One wrapper's way of cutting lines: `part` reads it off a raw record, None for a line that is no record."""

    part: Callable[[bytes], Part | None]

    def extent(self, data: bytes, start: int, end: int) -> tuple[int, int]:
        """Where the records begin and end that make up the line in `data[start:end]`."""
        here = self.part(data[start:end]) if end - start <= _LONGEST_RECORD else None
        if here is None:
            return start, end
        return self._first(data, start, here[0]), self._last(data, end, here)

    def _first(self, data: bytes, start: int, stream: bytes) -> int:
        """The earliest record of the same stream that the one at `start` continues; other streams may lie between."""
        first = position = start
        for _ in range(_MOST_RECORDS):
            if position <= 0:
                break
            before = data.rfind(b"\n", 0, position - 1) + 1
            part = self.part(data[before : position - 1])
            position = before
            if part is None or (part[0] == stream and not part[1]):
                break
            if part[0] == stream:
                first = before
        return first

    def _last(self, data: bytes, end: int, here: Part) -> int:
        """The record that ends what is open; the end of the data where nothing does."""
        (stream, is_open), position, last = here, end, end
        for _ in range(_MOST_RECORDS):
            if not is_open or position >= len(data):
                break
            after = data.find(b"\n", position + 1)
            after = len(data) if after < 0 else after
            part = self.part(data[position + 1 : after])
            if part is None:
                break
            position = after
            if part[0] == stream:
                is_open, last = part[1], after
        return last

    def open_from(self, data: bytes, cut: int) -> int:
        """Where the earliest record of `data[:cut]` begins whose line goes on behind `cut`; `cut` where all lines end."""
        is_open: dict[bytes, bool] = {}
        first = position = cut
        for _ in range(_MOST_RECORDS):
            before = data.rfind(b"\n", 0, position - 1) + 1
            part = self.part(data[before : position - 1]) if position - before <= _LONGEST_RECORD else None
            if position <= 0 or part is None:
                break
            stream, goes_on = part
            is_open[stream] = goes_on and is_open.get(stream, True)
            if is_open[stream]:
                first = before
            position = before
        return first


def partial_of(head: bytes) -> Partial | None:
    """How the wrapper that `head` shows cuts long lines; None where lines are whole."""
    lines = head.split(b"\n", 40)[:40]
    for part in (_docker, _cri, _journal_json, _journal):
        if any(part(line.strip()) for line in lines):
            return Partial(part)
    return None


def _docker(line: bytes) -> Part | None:
    if not line.startswith(b'{"log":'):
        return None
    stream = _DOCKER_STREAM.search(line)
    return (stream.group(1), not _DOCKER_ENDS.search(line)) if stream else None


def _cri(line: bytes) -> Part | None:
    match = _CRI.match(line)
    return (match.group(1), match.group(2) == b"P") if match else None


def _journal_json(line: bytes) -> Part | None:
    match = _JOURNAL_PID.search(line) if line.startswith(b"{") and b'"MESSAGE"' in line else None
    return (match.group(1), bool(_JOURNAL_OPEN.search(line))) if match else None


def _journal(line: bytes) -> Part | None:
    match = _JOURNAL.match(line)
    return (match.group(1), len(line) - match.end() in _JOURNAL_LINE) if match else None
