"""Takes wrappers off lines: what the engine printed, as text, and whose line it was.

Room: `sources`. Wrappers nest (`grep -n` of journald, stamps around compose), so prefixes and JSON entries come off in turn,
at most four deep. Only hit lines pass here, or a small document as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kvaudit.patterns import LatePattern
from kvaudit.sources.entries import entry_lines, string_lines
from kvaudit.sources.partial import Partial
from kvaudit.sources.shapes import Loose, Stripped, strip_loose, strip_strict

_DEEPEST = 4
_ANSI = LatePattern(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")
_SHOWN_COLOUR = LatePattern(r"(?:\^\[|\\u001[bB]|\\x1[bB]|\\033|\\e|[\x{241b}\x{fffd}\x{2190}])?\[(?:\d{1,3};){0,4}\d{1,3}m")
"""A colour whose escape character a pager, a web form or a pasting hand showed as text, or dropped."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line without its wrapper: the wrappers that came off, outermost first, and the service that the line is of."""

    text: str
    chain: tuple[str, ...] = ()
    service: str | None = None


@dataclass(frozen=True, slots=True)
class Unwrapper:
    """How the lines of one document are wrapped.

    `loose` are the shapes that the document is full of, `strings` names a pretty-printed JSON document whose strings are the
    lines, `partial` joins records of one line.
    """

    loose: tuple[Loose, ...] = ()
    strings: str | None = None
    partial: Partial | None = None

    def pieces(self, number: int, data: bytes) -> Iterator[tuple[int, Piece]]:
        """The lines in one raw hit, with the physical line on which each begins."""
        records = data.split(b"\n") if self.partial else [data]
        if len(records) == 1:
            for piece in self.unwrapped(readable(data)):
                yield number, piece
            return
        for index, joined in sorted(self._joined(records), key=lambda item: item[0]):
            for piece in joined:
                yield number + index, piece

    def document(self, data: bytes, service: str | None, ranges: tuple[tuple[int, int], ...] | None) -> str:
        """The whole document unwrapped, one line of text for each physical line; lines of other parts are empty."""
        lines = []
        for number, raw in enumerate(data.split(b"\n"), start=1):
            if ranges is not None and not any(first <= number <= last for first, last in ranges):
                lines.append("")
                continue
            pieces = [piece.text for piece in self.unwrapped(readable(raw)) if service is None or piece.service == service]
            lines.append("\r".join(pieces))
        return "\n".join(lines)

    def unwrapped(self, text: str) -> Iterator[Piece]:
        """The lines that one wrapped line holds: one, or several where a JSON string held several."""
        yield from self._unwrapped(Piece(text))

    def _unwrapped(self, piece: Piece) -> Iterator[Piece]:
        if len(piece.chain) < _DEEPEST:
            if stripped := self._prefix(piece):
                yield from self._unwrapped(Piece(stripped.text, (*piece.chain, stripped.name), stripped.service or piece.service))
                return
            if (found := self._entries(piece)) is not None:
                for name, text in found:
                    for line in text.rstrip("\r\n").split("\n"):
                        bare = without_colours(line).rstrip("\r")
                        yield from self._unwrapped(Piece(bare, (*piece.chain, name), piece.service))
                return
        yield piece

    def _prefix(self, piece: Piece) -> Stripped | None:
        if stripped := strip_strict(piece.text):
            return stripped
        for loose in self.loose:
            if loose.name not in piece.chain and (stripped := strip_loose(piece.text, loose)):
                return stripped
        return None

    def _entries(self, piece: Piece) -> list[tuple[str, str]] | None:
        """The lines in a piece of JSON, None where it is none; empty for a piece that holds no line."""
        if self.strings and self.strings not in piece.chain:
            return string_lines(piece.text, self.strings)
        return (entry_lines(piece.text) or None) if piece.text.startswith("{") else None

    def _joined(self, records: list[bytes]) -> Iterator[tuple[int, list[Piece]]]:
        """Records of one stream joined as long as they say that their line goes on."""
        held: dict[bytes, tuple[int, list[Piece]]] = {}
        for index, record in enumerate(records):
            part = self.partial.part(record) if self.partial else None
            stream, is_open = part or (b"", False)
            first, before = held.pop(stream, (index, []))
            pieces = _appended(before, list(self.unwrapped(readable(record))))
            if is_open:
                held[stream] = (first, pieces)
            else:
                yield first, pieces
        yield from held.values()


def _appended(before: list[Piece], pieces: list[Piece]) -> list[Piece]:
    if not before or not pieces:
        return before or pieces
    last, first = before[-1], pieces[0]
    return [*before[:-1], Piece(without_colours(last.text + first.text), last.chain, last.service), *pieces[1:]]


def readable(data: bytes) -> str:
    """One raw line as text: no colours, no NUL bytes, no carriage return at its end, no byte order mark."""
    text = data.decode("utf-8", "replace").removesuffix("\r")
    return without_colours(text.replace("\0", "").removeprefix("\ufeff"))


def without_colours(text: str) -> str:
    """The text without ANSI escape sequences, and without colours whose escape character was lost on the way."""
    bare = str(_ANSI.sub("", text)) if "\x1b" in text else text
    return str(_SHOWN_COLOUR.sub("", bare)) if "[0m" in bare or "[0;0m" in bare else bare
