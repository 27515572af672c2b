"""The hints of all parsers in large inputs: one pass of Hyperscan over a block finds them all, beside other threads.

Room: `sources`. Hyperscan is linear in the input and several times faster than an automaton that takes one byte a step; it is
imported for large inputs only. A hint of statistics lines may be reported once a slice instead of on every line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any


class Starts:
    """A cursor over offsets that are known already, in order."""

    def __init__(self, offsets: Sequence[int]) -> None:
        self._offsets, self._next = offsets, 0

    def after(self, position: int) -> int:
        """The first offset at or after `position`, -1 if there is none."""
        self._next = bisect_left(self._offsets, position, self._next)
        return self._offsets[self._next] if self._next < len(self._offsets) else -1


def bulk(regular: tuple[bytes, ...], periodic: tuple[bytes, ...]) -> Bulk | None:
    """The compiled hints; None where Hyperscan is not installed or does not run on this machine."""
    try:
        import hyperscan
    except ImportError:
        return None
    try:
        return Bulk(regular, periodic)
    except hyperscan.HyperscanError:
        return None


class Bulk:
    """Regular and periodic hints, compiled for all hits, for one periodic hit a call, and for that alone.

    An object serves one thread. Hyperscan reports where a match ends; literals have one length, which gives where it starts.
    """

    def __init__(self, regular: tuple[bytes, ...], periodic: tuple[bytes, ...]) -> None:
        import hyperscan

        self._lengths = [len(hint) for hint in (*regular, *periodic)]
        self._overlap = max(self._lengths, default=1) - 1
        self._first_periodic = len(regular)
        self._hints, self._kinds = (*regular, *periodic), periodic
        self._once = [hyperscan.HS_FLAG_SINGLEMATCH] * len(periodic)
        self._all = _compiled(self._hints, [0] * len(self._lengths))

    @cached_property
    def _sampled(self) -> Any:
        return _compiled(self._hints, [0] * self._first_periodic + self._once)

    @cached_property
    def _periodic(self) -> Any:
        return _compiled(self._kinds, self._once, first=self._first_periodic) if self._kinds else None

    def every(self, data: bytes, within: tuple[int, int]) -> Starts:
        """All hits in `data` between two offsets."""
        start, stop = within
        return Starts(sorted(start + one for one in self._starts(self._all, memoryview(data)[start:stop])))

    def sampled(self, data: bytes, within: tuple[int, int], step: int, only_periodic: bool = False) -> Starts:
        """All regular hits between two offsets, and of each kind of periodic hits one a slice of `step` bytes.

        Around regular hits all are reported: the last statistics line before a start is that of the start before.
        """
        start, stop = within
        view, found = memoryview(data)[:stop], set[int]()
        database = self._periodic if only_periodic else self._sampled
        before = start
        for first in range(start, stop, step) if database else ():
            last = first + step + self._overlap
            numbers: list[int] = []
            found.update(first + one for one in self._starts(database, view[first:last], numbers))
            if numbers and min(numbers) < self._first_periodic:
                found.update(before + one for one in self._starts(self._all, view[before:last]))
            before = first
        return Starts(sorted(found))

    def last(self, data: bytes, within: tuple[int, int]) -> Starts:
        """The last hit of each periodic kind between two offsets."""
        start, stop = within
        numbers: list[int] = []
        starts = self._starts(self._all, memoryview(data)[start:stop], numbers)
        latest = {number: start + one for number, one in zip(numbers, starts, strict=True) if number >= self._first_periodic}
        return Starts(sorted(latest.values()))

    def _starts(self, database: Any, view: memoryview, numbers: list[int] | None = None) -> list[int]:
        lengths, starts = self._lengths, list[int]()

        def on_match(number: int, _from: int, end: int, _flags: int, _context: Any) -> None:
            starts.append(end - lengths[number])
            if numbers is not None:
                numbers.append(number)

        if len(view):
            database.scan(view, match_event_handler=on_match)
        return starts


def _compiled(hints: tuple[bytes, ...], flags: list[int], first: int = 0) -> Any:
    import hyperscan

    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(expressions=list(hints), ids=list(range(first, first + len(hints))), flags=flags, literal=True)
    return database
