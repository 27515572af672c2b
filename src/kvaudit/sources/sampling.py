"""Statistics lines number millions: a sample that keeps the first, the last, and the last before every other line of interest.

Room: `sources`.
"""

from __future__ import annotations

from kvaudit.sources.source import RawLine

_MOST = 4_000
"""So many lines are all kept."""

_ENOUGH = 500
"""Beyond that, between so many and twice as many: each one stands for as many lines as any other."""

_MOST_LAST = 20_000
_LEAST_STEP = 1 << 10


class Sample:
    """The lines of periodic kinds that are kept. `stride` says how many lines one of them stands for."""

    def __init__(self) -> None:
        # step and gap: bytes and physical lines between two lines of a sample with stride 1
        self.stride = 1
        self._kept: list[RawLine] = []
        self._seen = self._number = 0
        self._step = 0
        self._gap = 0
        self._at: dict[bytes, int] = {}
        self._latest: dict[bytes, RawLine] = {}
        self._last: dict[int, RawLine] = {}

    def take(self, kind: bytes, line: RawLine) -> None:
        """One more line; where the scan leaves lines out, the line stands for those up to the next one."""
        self._latest[kind] = line
        self._seen, self._number = self._seen + 1, line.number
        if self._step:
            if line.number < self._at.get(kind, 0):
                return
            self._at[kind] = line.number + self._gap * self.stride
            self._kept.append(line)
        elif self._seen % self.stride == 0:
            self._kept.append(line)
        if len(self._kept) >= (_MOST if self.stride == 1 else 2 * _ENOUGH):
            factor = len(self._kept) // _ENOUGH
            self._kept = self._kept[::factor]
            self.stride *= factor

    def interrupted(self) -> None:
        """Another line of interest follows: it may begin the next start, so the latest line of each kind is kept."""
        if self._latest and len(self._last) < _MOST_LAST:
            self._last.update((line.number, line) for line in self._latest.values())
            self._latest.clear()

    def step(self, size: int) -> int:
        """How many bytes of the input one line may stand for, after `size` bytes; 0 as long as all lines are looked at."""
        if self._seen and self.stride > 1 and not self._step:
            spacing = size // self._seen
            if spacing * self.stride >= _LEAST_STEP:
                self._step, self._gap = max(1, spacing), self._number // self._seen
        return self._step * self.stride

    def lines(self) -> list[RawLine]:
        """What is kept, in no order."""
        self._last.update((line.number, line) for line in self._latest.values())
        return list({line.number: line for line in (*self._kept, *self._last.values())}.values())
