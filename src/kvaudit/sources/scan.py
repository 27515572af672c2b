"""One pass over the raw bytes of a document: hit lines, line count, size and sha256.

Room: `sources`. Works on bytes only; it knows literal hints and nothing of what they mean. Lines are split on newline alone:
progress bars put carriage returns inside lines, and universal newlines would shift every line number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from kvaudit.sources.partial import Partial, partial_of
from kvaudit.sources.source import HEAD_BYTES, RawLine

BLOCK_BYTES = 1 << 22
DOCUMENT_BYTES = 1 << 25
"""A document (JSON, XML, snapshot) larger than 32 MiB is not kept whole."""

_MARKERS = (b"==> ",)
"""Headers of `tail` and `head` over several files, wanted by `documents`."""
_WINDOW_BEFORE = 1 << 16
_WINDOW_AFTER = 1 << 18
_TAIL_BYTES = 1 << 12
_MOST_HITS = 200_000
_MOST_HIT_BYTES = 1 << 28
_MOST_PERIODIC = 4_000
"""Statistics lines number millions: beyond this every second one is dropped, first and last are kept."""


@dataclass(slots=True)
class Scanned:
    """What one pass found.

    `data` is None for documents beyond the document limit, `head` leaves holes of NUL bytes out, `partial` says how the
    wrapper cuts long lines.
    """

    size: int = 0
    lines: int = 0
    sha256: str = ""
    head: bytes = b""
    hits: list[RawLine] = field(default_factory=list)
    data: bytes | None = b""
    truncated_hits: bool = False
    holes: bool = False
    partial: Partial | None = None


class Hints:
    """The hints of all parsers, compiled once into linear-time patterns over bytes."""

    def __init__(self, hints: tuple[bytes, ...], periodic: tuple[bytes, ...] = ()) -> None:
        self._periodic = _compile(periodic)
        self._any = _compile((*hints, *periodic, *_MARKERS))

    def search(self, data: bytes, position: int, only_periodic: bool = False) -> int:
        """Offset of the next hit at or after `position`, -1 if there is none."""
        pattern = self._periodic if only_periodic else self._any
        match = pattern.search(data, position) if pattern else None
        return match.start() if match else -1

    def is_periodic(self, line: bytes) -> bool:
        """Whether the line belongs to a kind that may be sampled."""
        return bool(self._periodic and self._periodic.search(line))


def _compile(hints: tuple[bytes, ...]) -> Any:
    if not hints:
        return None
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(b"|".join(re2.escape(hint) for hint in dict.fromkeys(hints)), options=options)


def scan(stream: BinaryIO, hints: Hints, decode: Callable[[bytes], bytes] | None = None) -> Scanned:
    """Read `stream` to its end. `decode` turns raw blocks into UTF-8 first (UTF-16 logs); the hash is of the raw bytes."""
    return _Scan(hints).run(stream, decode)


class _Scan:
    def __init__(self, hints: Hints) -> None:
        self.hints = hints
        self.found = Scanned()
        self.kept: list[bytes] = []
        self.regular: list[RawLine] = []
        self.periodic: list[RawLine] = []
        self.hit_bytes = 0
        self.stride = 1
        self.seen_periodic = 0
        self.last_periodic: RawLine | None = None

    def run(self, stream: BinaryIO, decode: Callable[[bytes], bytes] | None) -> Scanned:
        found, digest, carry = self.found, hashlib.sha256(), b""
        while raw := stream.read(BLOCK_BYTES):
            digest.update(raw)
            found.size += len(raw)
            carry = self._take(decode(raw) if decode else raw, carry)
        if decode and (rest := decode(b"")):
            carry = self._take(rest, carry)
        self._hits_of(carry)
        found.lines += carry.count(b"\n") + (not carry.endswith(b"\n") if carry else 0)
        found.sha256 = digest.hexdigest()
        found.head = found.head[:HEAD_BYTES]
        found.hits = self._all_hits()
        found.data = b"".join(self.kept) if found.data is not None else None
        return found

    def _take(self, block: bytes, carry: bytes) -> bytes:
        first = not self.found.head
        self._keep(block)
        if first:
            self.found.partial = partial_of(self.found.head)
        return self._block(carry + block)

    def _keep(self, block: bytes) -> None:
        found = self.found
        hole = b"\0" in block
        found.holes = found.holes or hole
        if len(found.head) < HEAD_BYTES:
            found.head += (block.replace(b"\0", b"") if hole else block)[:HEAD_BYTES]
        if found.size > DOCUMENT_BYTES:
            found.data, self.kept = None, []
        else:
            self.kept.append(block)

    def _block(self, data: bytes) -> bytes:
        """Scan the whole lines of `data`; what follows the last newline comes back to be scanned with the next block."""
        cut = data.rfind(b"\n") + 1
        if cut and self.found.partial:
            cut = self.found.partial.open_from(data, cut)
        if cut:
            self._hits_of(data[:cut])
            self.found.lines += data.count(b"\n", 0, cut)
            return data[cut:]
        if len(data) > 2 * BLOCK_BYTES:
            self._hits_of(data)
            return data[-_TAIL_BYTES:]
        return data

    def _hits_of(self, data: bytes) -> None:
        number, counted, position = self.found.lines + 1, 0, 0
        while (hit := self.hints.search(data, position, only_periodic=self.found.truncated_hits)) >= 0:
            number += data.count(b"\n", counted, hit)
            counted = hit
            start = max(data.rfind(b"\n", 0, hit) + 1, hit - _WINDOW_BEFORE, position)
            end = data.find(b"\n", hit)
            end = min(len(data) if end < 0 else end, hit + _WINDOW_AFTER)
            if self.found.partial:
                start, end = self.found.partial.extent(data, start, end)
            self._add(RawLine(number - data.count(b"\n", start, hit), data[start:end]))
            position = end

    def _add(self, line: RawLine) -> None:
        if not self.hints.is_periodic(line.data):
            self.hit_bytes += len(line.data)
            if len(self.regular) < _MOST_HITS and self.hit_bytes < _MOST_HIT_BYTES:
                self.regular.append(line)
            else:
                self.found.truncated_hits = True
            return
        self.last_periodic = line
        self.seen_periodic += 1
        if self.seen_periodic % self.stride == 0:
            self.periodic.append(line)
        if len(self.periodic) >= _MOST_PERIODIC:
            self.periodic = self.periodic[::2]
            self.stride *= 2

    def _all_hits(self) -> list[RawLine]:
        if self.last_periodic and (not self.periodic or self.periodic[-1] is not self.last_periodic):
            self.periodic.append(self.last_periodic)
        return sorted([*self.regular, *self.periodic], key=lambda line: line.number)
