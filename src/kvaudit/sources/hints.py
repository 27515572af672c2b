"""Literal hints and where they stand in a block of raw bytes: the next one after a position, line by line.

Room: `sources`. Works on bytes only; it knows no parser. Small inputs are searched with google-re2, large ones with Hyperscan
where it is installed: both are linear in the size of the input, whatever stands in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kvaudit.sources.bulk import Bulk

_MARKERS = (b"==> ",)
"""Headers of `tail` and `head` over several files, wanted by `documents`."""


class Cursor(Protocol):
    """The hits of one block, asked for in order."""

    def after(self, position: int) -> int:
        """Offset of the first hit at or after `position`, -1 if there is none. Positions never go back."""


class Hints:
    """The hints of all parsers, compiled once into linear-time patterns over bytes.

    `periodic` hints are those of statistics lines, which a server prints by the million: they may be sampled.
    """

    def __init__(self, hints: tuple[bytes, ...], periodic: tuple[bytes, ...] = ()) -> None:
        self._kinds = tuple(dict.fromkeys(periodic))
        self._regular = tuple(hint for hint in dict.fromkeys((*hints, *_MARKERS)) if hint not in self._kinds)
        self._any = _compile((*self._regular, *self._kinds))
        self._periodic = _compile(self._kinds)

    def search(self, data: bytes, position: int, only_periodic: bool = False) -> int:
        """Offset of the next hit at or after `position`, -1 if there is none."""
        pattern = self._periodic if only_periodic else self._any
        match = pattern.search(data, position) if pattern else None
        return match.start() if match else -1

    def over(self, data: bytes, only_periodic: bool = False) -> Cursor:
        """The hits of a small block."""
        return _Search(self, data, only_periodic)

    def bulk(self) -> Bulk | None:
        """The same hints for large inputs; None where Hyperscan does not run on this machine."""
        from kvaudit.sources.bulk import bulk

        return bulk(self._regular, self._kinds)

    def kind_of(self, line: bytes) -> bytes | None:
        """The hint that makes a line one of those that may be sampled, None for all other lines."""
        for hint in self._kinds:
            if hint in line:
                return hint
        return None


class _Search:
    def __init__(self, hints: Hints, data: bytes, only_periodic: bool) -> None:
        self._hints, self._data, self._only_periodic = hints, data, only_periodic

    def after(self, position: int) -> int:
        return self._hints.search(self._data, position, self._only_periodic)


def _compile(hints: tuple[bytes, ...]) -> Any:
    if not hints:
        return None
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return re2.compile(b"|".join(re2.escape(hint) for hint in hints), options=options)
