"""A scan becomes a source: wrapper found, parts of notebooks and pasted text put right, what was met is noted.

Room: `sources`.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from kvaudit.patterns import LatePattern
from kvaudit.redaction import Redactor
from kvaudit.sources.detection import detect
from kvaudit.sources.documents import head_of, pasted_block, printed_cells, snapshot_beside
from kvaudit.sources.pasted import rejoined, width_of
from kvaudit.sources.scan import Hints, Scanned
from kvaudit.sources.source import HEAD_BYTES, RawLine, Source
from kvaudit.sources.unwrapping import readable

_TIME = LatePattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_LEAST_TIMES = 8
_BLOB = b"B blob data]"
_WHOLE_LINE = 1 << 18


def made(scanned: tuple[Scanned, list[str]], shown: str, path: Path | None, hints: Hints, redactor: Redactor) -> Source:
    """The source of one scanned document, with the notes of the scan.

    `path` is the file on this machine, None for members of archives and pipes.
    """
    found, notes = scanned
    wrapping = detect(found.head, found.hits, found.partial)
    source = Source(
        path=shown,
        size=found.size,
        lines=found.lines,
        sha256=found.sha256,
        head=found.head.decode("utf-8", "replace"),
        hits=found.hits,
        redactor=redactor,
        data=found.data,
        notes=[*notes, *wrapping.notes, *_damage(found)],
        sampled=found.sampled,
        location=str(path) if path else None,
        folder=str(path.parent) if path else None,
        wrapper=wrapping.name,
        unwrapper=wrapping.unwrapper,
    )
    if source.data is not None:
        _put_right(source, source.data, hints)
    if source.is_wrapped and _is_newest_first(source.head):
        source.hits.reverse()
        source.notes.append("entries stand newest first; they are read from the oldest on")
    if source.is_wrapped:
        source.head = _readable_head(source)
    if table := snapshot_beside(source):
        source.parts.append(table)
    return source


def _damage(found: Scanned) -> list[str]:
    notes = []
    if found.holes:
        notes.append("holes of NUL bytes were skipped")
    if not _is_utf8(found):
        notes.append("bytes that are no UTF-8 were replaced")
    if found.truncated_hits:
        notes.append("too many matching lines; the later ones were not read")
    if found.data and (blobs := found.data.count(_BLOB)):
        notes.append(f"journald left out {blobs} lines as blob data; `journalctl --all` shows them")
    return notes


def _is_utf8(found: Scanned) -> bool:
    """Whether everything that is kept decodes; a cut character at the end of the head is no damage."""
    kept = (
        [found.data]
        if found.data is not None
        else [found.head[:-4], *(raw.data for raw in found.hits if len(raw.data) < HEAD_BYTES)]
    )
    try:
        for data in kept:
            data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _put_right(source: Source, data: bytes, hints: Hints) -> None:
    """Hits that need the document around them, where it is kept."""
    if source.unwrapper.strings:
        source.hits = _whole_lines(data, source.hits)
        if data.rstrip().endswith((b"]", b"}")):
            source.data = data + b"\n"  # the document is whole, so its last line is not one that was cut
    if (cells := printed_cells(source)) is not None:
        source.line_ranges = cells
        source.hits = [raw for raw in source.hits if any(first <= raw.number <= last for first, last in cells)]
    if source.wrapper in (None, "ansi") and (block := pasted_block(source)) is not None:
        ((first, last),) = source.line_ranges = block
        source.hits = [raw for raw in source.hits if first <= raw.number <= last]
        source.head = head_of(source)
        source.notes.append(f"lines {first}-{last}, a fenced block, are the log; the words around it are not read")
        return
    if source.wrapper in (None, "ansi") and (width := width_of(data[:HEAD_BYTES])):
        source.hits = rejoined(data, width, hints)
        source.notes.append(f"lines that were cut at {width} columns are read as one")


def _whole_lines(data: bytes, hits: list[RawLine]) -> list[RawLine]:
    """JSON can only be read as a whole: a huge line that the scan cut around its hints is taken whole, once."""
    if all(len(raw.data) < _WHOLE_LINE for raw in hits):
        return hits
    lines, numbers = data.split(b"\n"), dict.fromkeys(raw.number for raw in hits)
    return [RawLine(number, lines[number - 1]) for number in numbers]


def _is_newest_first(head: str) -> bool:
    """Whether the stamps of the wrapper run backwards, as cloud and Loki exports have them. Seconds are enough."""
    lines = head.split("\n")
    named = [line for line in lines if '"timestamp"' in line]  # entries also say when they were received
    times = [match.group() for line in named or lines if (match := _TIME.search(line, max(0, line.find('"timestamp"'))))]
    return len(times) >= _LEAST_TIMES and times[0] > times[-1] and all(a >= b for a, b in pairwise(times))


def _readable_head(source: Source) -> str:
    """What a reader of the head sees without the wrapper."""
    lines = source.head.split("\n")
    pieces = (piece for line in lines for piece in source.unwrapper.unwrapped(readable(line.encode("utf-8", "replace"))))
    return "\n".join(piece.text for piece in pieces)[:HEAD_BYTES]
