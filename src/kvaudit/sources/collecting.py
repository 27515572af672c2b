"""Hits become lines: where a line begins and ends, which number it has, whether it is kept.

Room: `sources`. Bytes in, raw lines out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kvaudit.sources.counting import newlines
from kvaudit.sources.hints import Cursor, Hints
from kvaudit.sources.partial import Partial
from kvaudit.sources.sampling import Sample
from kvaudit.sources.source import RawLine

_WINDOW_BEFORE = 1 << 16
_WINDOW_AFTER = 1 << 18
_MOST_BYTES = 1 << 28


class Mode(NamedTuple):
    """How closely the next block is looked at.

    `step`: of periodic lines one in so many bytes is enough, 0 for all. `only_periodic`: there are enough of all others.
    """

    step: int = 0
    only_periodic: bool = False


@dataclass(slots=True)
class Block:
    """Whole lines: `data[start:stop]`, with the hits in them. `size` bytes of the input were read when they were searched."""

    data: bytes
    start: int
    stop: int
    hits: Cursor
    size: int


class Collector:
    """The hit lines of one input, block after block; `lines` counts its newlines so far."""

    def __init__(self, hints: Hints, most: int) -> None:
        self.lines = 0
        self.truncated = False
        self.partial: Partial | None = None
        self._hints, self._most = hints, most
        self._regular: list[RawLine] = []
        self._regular_bytes = 0
        self._sample = Sample()

    def take(self, blocks: list[Block]) -> Mode:
        """Keep the lines that were hit, count all of them. Returns how the blocks after the next are to be searched."""
        for block in blocks:
            self._take(block)
        return Mode(self._sample.step(blocks[-1].size), self.truncated)

    def end(self, blocks: list[Block]) -> None:
        """Take the last blocks once more, with the last hit of each periodic kind, which a sample may have left out."""
        for block in blocks:
            self.lines -= newlines(block.data, block.start, block.stop)
        self.take(blocks)

    def _take(self, block: Block) -> None:
        data, stop = block.data, block.stop
        number, counted, position = self.lines + 1, block.start, block.start
        while (hit := block.hits.after(position)) >= 0:
            number += newlines(data, counted, hit)
            counted = hit
            start = max(data.rfind(b"\n", 0, hit) + 1, hit - _WINDOW_BEFORE, position)
            end = data.find(b"\n", hit, stop)
            end = min(stop if end < 0 else end, hit + _WINDOW_AFTER)
            if self.partial:
                start, end = self.partial.extent(data, start, end)
            self._add(RawLine(number - data.count(b"\n", start, hit), data[start:end]))
            position = end
        self.lines = number - 1 + newlines(data, counted, stop)

    def _add(self, line: RawLine) -> None:
        if kind := self._hints.kind_of(line.data):
            self._sample.take(kind, line)
            return
        self._sample.interrupted()
        self._regular_bytes += len(line.data)
        if len(self._regular) < self._most and self._regular_bytes < _MOST_BYTES:
            self._regular.append(line)
        else:
            self.truncated = True

    @property
    def is_sampled(self) -> bool:
        """Whether lines of periodic kinds were left out."""
        return self._sample.stride > 1

    def hits(self) -> list[RawLine]:
        """All lines that are kept, in order."""
        return sorted([*self._regular, *self._sample.lines()], key=lambda line: line.number)
