"""One pass over the raw bytes of a document: hit lines, line count, size and sha256.

Room: `sources`. Works on bytes only; it knows literal hints and nothing of what they mean. Lines are split on newline alone:
progress bars put carriage returns inside lines, and universal newlines would shift every line number.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO

from kvaudit.sources.bulk import Bulk
from kvaudit.sources.collecting import Block, Collector, Mode
from kvaudit.sources.hints import Cursor, Hints
from kvaudit.sources.lanes import Lane
from kvaudit.sources.partial import Partial, partial_of
from kvaudit.sources.source import HEAD_BYTES, RawLine

__all__ = ["BLOCK_BYTES", "DOCUMENT_BYTES", "Hints", "Scanned", "scan"]

BLOCK_BYTES = 1 << 22
DOCUMENT_BYTES = 1 << 25
"""A document (JSON, XML, snapshot) larger than 32 MiB is not kept whole."""

LARGE = 1 << 22
"""From here on an input is worth threads and a faster scanner, which take a tenth of a second to load."""

_TAIL_BYTES = 1 << 12
_HOLE = 1 << 9
"""Bytes: a hole in a sparse file is of whole blocks of the disk, so that a large block need not be looked at byte by byte."""

_LONGEST_LINE = 1 << 23
_MOST_HITS = 200_000
_TRUNCATED_STEP = 1 << 16


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
    sampled: bool = False
    holes: bool = False
    partial: Partial | None = None


def scan(
    stream: BinaryIO,
    hints: Hints,
    decode: Callable[[bytes], bytes] | None = None,
    tell: Callable[[int], None] | None = None,
) -> Scanned:
    """Read `stream` to its end. `decode` turns raw blocks into UTF-8 first (UTF-16 logs); the hash is of the raw bytes.

    `tell` is given the number of bytes read so far, block after block.
    """
    with ExitStack() as threads:
        return _Scan(hints, threads).run(_blocks(stream, tell), decode)


def _blocks(stream: BinaryIO, tell: Callable[[int], None] | None) -> Iterator[bytes]:
    size = 0
    while block := stream.read(BLOCK_BYTES):
        yield block
        size += len(block)
        if tell:
            tell(size)


class _Scan:
    """Reads and searches; hashing and what is done with the hits run beside it."""

    def __init__(self, hints: Hints, threads: ExitStack) -> None:
        self.hints, self.threads = hints, threads
        self.bulk: Bulk | None = None
        self.is_large = False
        self.found = Scanned()
        self.kept: list[bytes] = []
        self.digest = hashlib.sha256()
        self.collector = Collector(hints, _MOST_HITS)
        self.hashing, self.collecting = Lane[None](None), Lane(Mode())
        self.searched: list[Block] = []
        self.latest: deque[Block] = deque(maxlen=3)
        self.mode = Mode()

    def run(self, blocks: Iterator[bytes], decode: Callable[[bytes], bytes] | None) -> Scanned:
        found, carry = self.found, b""
        for raw in blocks:
            found.size += len(raw)
            if found.size > LARGE and not self.is_large:
                self._grow()
            block = decode(raw) if decode else raw
            self.hashing.put(partial(self._hash, raw, block))
            carry = self._take(block, carry)
        if decode and (rest := decode(b"")):
            carry = self._take(rest, carry)
        if carry:
            self._search(carry, 0, len(carry))
        self._collect()
        self._finish(ends_in_line=bool(carry) and not carry.endswith(b"\n"))
        return found

    def _finish(self, ends_in_line: bool) -> None:
        found = self.found
        self.hashing.finish()
        if self.collecting.finish().step and self.bulk:
            last = self.bulk.last
            self.collector.end([replace(one, hits=last(one.data, (one.start, one.stop))) for one in self.latest])
        found.lines = self.collector.lines + ends_in_line
        found.sha256 = self.digest.hexdigest()
        found.head = found.head[:HEAD_BYTES]
        found.hits, found.sampled = self.collector.hits(), self.collector.is_sampled
        found.truncated_hits = self.collector.truncated
        found.data = b"".join(self.kept) if found.data is not None else None

    def _grow(self) -> None:
        self.is_large, self.bulk = True, self.hints.bulk()
        self.hashing.start(self.threads)
        self.collecting.start(self.threads)

    def _take(self, block: bytes, carry: bytes) -> bytes:
        first = not self.found.head
        self._keep(block)
        if first:
            self.found.partial = self.collector.partial = partial_of(self.found.head)
        end = block.find(b"\n") + 1
        if not carry or not end or self.found.partial:
            return self._block(carry + block if carry else block, 0)
        self._search(carry + block[:end], 0, len(carry) + end)
        return self._block(block, end)

    def _hash(self, raw: bytes, block: bytes) -> None:
        """What looks at every byte and waits for nothing."""
        self.digest.update(raw)
        self.found.holes = self.found.holes or b"\0" in (block[::_HOLE] if len(block) >= BLOCK_BYTES else block)

    def _keep(self, block: bytes) -> None:
        found = self.found
        if len(found.head) < HEAD_BYTES:
            found.head += (block.translate(None, b"\0") if b"\0" in block else block)[:HEAD_BYTES]
        if found.size > DOCUMENT_BYTES:
            found.data, self.kept = None, []
        else:
            self.kept.append(block)

    def _block(self, data: bytes, start: int) -> bytes:
        """Search the whole lines of `data`; what follows the last newline comes back to be searched with the next block."""
        cut = data.rfind(b"\n") + 1
        if cut and self.found.partial:
            cut = self.found.partial.open_from(data, cut)
        if cut:
            self._search(data[:cut] if self.found.partial else data, start, cut)
            self._collect()
            return data[cut:]
        if len(data) > _LONGEST_LINE:
            self._search(data, start, len(data))
            self._collect()
            return data[-_TAIL_BYTES:]
        return data

    def _search(self, data: bytes, start: int, stop: int) -> None:
        self.searched.append(Block(data, start, stop, self._hits(data, start, stop), self.found.size))

    def _collect(self) -> None:
        if not self.searched:
            return
        blocks, self.searched = self.searched, []
        self.latest.extend(blocks)
        self.mode = self.collecting.put(partial(self.collector.take, blocks))

    def _hits(self, data: bytes, start: int, stop: int) -> Cursor:
        step, only_periodic = self.mode
        if self.bulk is None:
            return self.hints.over(data[:stop], only_periodic)
        if step or only_periodic:
            return self.bulk.sampled(data, (start, stop), max(step, _TRUNCATED_STEP if only_periodic else 1), only_periodic)
        return self.bulk.every(data, (start, stop))
