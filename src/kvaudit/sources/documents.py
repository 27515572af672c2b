"""Several documents in one file: services of a compose log, files that `tail` or `head` named, a GPU table around a log.

Room: `sources`. Every part keeps the line numbers of the file. Only what is unmistakable is taken apart; a table that merely
stands inside a log stays where it is.
"""

from __future__ import annotations

from dataclasses import replace

import re2

from kvaudit.errors import InputError
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import hit_lines
from kvaudit.sources.source import HEAD_BYTES, Source

_HEADER = LatePattern(r"^==> (?P<name>\S.{0,300}?) <==$")
_SERVICES = LatePattern(r'(?m)^\s{0,4}"?services"?\s*:')
_MOST_PARTS = 60
_MOST_TABLE_LINES = 400
_LEAST_PASTED = 6
_REPLICA = LatePattern(r"[-_]\d{1,4}$")
_CELLS = LatePattern(r'(?m)^ {1,12}"(?P<kind>outputs|source)": \[')

Ranges = tuple[tuple[int, int], ...]


def split(source: Source) -> list[Source]:
    """The documents of a file: itself, or one source for each service or named file in it."""
    if sections := _sections(source):
        parts = [_part(source, name, ranges=ranges) for name, ranges in sections.items()]
        return [part for part in parts if part.hits or part.head.strip()]
    services = list(dict.fromkeys(_services(source)))
    if len(services) < 2:
        return [source]
    parts = [_part(source, service, service=service) for service in services[:_MOST_PARTS]]
    if len(services) > _MOST_PARTS:
        parts[-1].notes.append(f"{len(services)} services in one log; those behind this one are not read")
    return parts


def pick(source: Source, wanted: str) -> Source:
    """The document `wanted` of a file; a replica's number may be left out. Raises `InputError` that lists what there is."""
    sections = _sections(source)
    names = list(sections) or list(dict.fromkeys(_services(source)))
    if not names and _describes(source, wanted):
        return replace(source, path=f"{source.path}#{wanted}", parts=[], read_lines=None, read_text=None, json_keys=None)
    found = [name for name in names if name == wanted] or [name for name in names if _REPLICA.sub("", name) == wanted]
    if len(found) != 1:
        there = ", ".join(names[:12]) if names else "it is one document"
        raise InputError(f"{source.path}#{wanted}", f"no document of that name in the file: {there}")
    name = found[0]
    return _part(source, name, ranges=sections[name]) if sections else _part(source, name, service=name)


def _describes(source: Source, wanted: str) -> bool:
    """Whether the file is a description of services (a compose file) with a key of that name; its parser picks the service."""
    key = re2.escape(wanted)
    return bool(_SERVICES.search(source.head)) and re2.search(rf"(?m)^\s+[\"']?{key}[\"']?\s*:", source.text() or "") is not None


def _services(source: Source) -> list[str]:
    """Whose lines held hints, in order of appearance."""
    if source.wrapper is None:
        return []
    pieces = (piece for raw in source.hits for _, piece in source.unwrapper.pieces(raw.number, raw.data))
    return [piece.service for piece in pieces if piece.service]


def _sections(source: Source) -> dict[str, Ranges]:
    """Line ranges under each `==> name <==`; empty unless there are at least two names."""
    marked = (line for line in hit_lines(source) if line.text.startswith("==> "))
    headers = [(line.number, match.group("name")) for line in marked if (match := _HEADER.match(line.text))]
    found: dict[str, Ranges] = {}
    for index, (number, name) in enumerate(headers):
        last = headers[index + 1][0] - 1 if index + 1 < len(headers) else source.lines
        found[name] = (*found.get(name, ()), (number + 1, last))
    return found if 2 <= len(found) <= _MOST_PARTS else {}


def _part(source: Source, name: str, service: str | None = None, ranges: Ranges | None = None) -> Source:
    """The part of a file that one service or section is."""
    part = replace(
        source,
        path=f"{source.path}#{name}",
        service=service,
        line_ranges=ranges,
        parts=[],
        read_lines=None,
        read_text=None,
        json_keys=None,
    )
    part.notes = list(source.notes)
    if ranges is not None:
        part.hits = [raw for raw in source.hits if _within(raw.number, ranges)]
        part.lines = ranges[-1][1]
        part.notes.append("lines " + ", ".join(f"{first}-{last}" for first, last in ranges[:4]) + f" of {source.path}")
    else:
        own = {line.number for line in hit_lines(part)}
        part.hits = [raw for raw in source.hits if raw.number in own]
    part.read_lines = None
    part.head = head_of(part)
    return part


def _within(number: int, ranges: Ranges) -> bool:
    return any(first <= number <= last for first, last in ranges)


def head_of(part: Source) -> str:
    """The first lines of a part; of a file that is not kept, its first hits."""
    text = part.text()
    lines = text.split("\n") if text is not None else [line.text for line in hit_lines(part)]
    return "\n".join(line for line in lines if line)[:HEAD_BYTES]


def snapshot_beside(source: Source) -> Source | None:
    """The `nvidia-smi` table that stands in front of the first hit of a log, or behind its last; None where there is none.

    Tables inside a log are of another moment of the run, and several are of several: those stay unread.
    """
    if source.data is None or b"NVIDIA-SMI" not in source.data or not source.hits:
        return None
    lines = (source.text() or "").split("\n")
    tables = _tables(lines, 1, len(lines))
    hits = [line.number for line in hit_lines(source) if not _within(line.number, tables)]
    if not hits:
        return None
    before = [table for table in tables if table[1] < hits[0]]
    behind = [table for table in tables if table[0] > hits[-1]]
    beside = before or behind
    if len(beside) != 1 or len(before) + len(behind) < len(tables):
        return None
    first, last = beside[0]
    table = replace(
        source, line_ranges=((first, last),), hits=[], parts=[], read_lines=None, read_text=None, json_keys=None, lines=last
    )
    table.notes = [*source.notes, f"lines {first}-{last} of the file"]
    table.head = head_of(table)
    table.size = len(table.head)
    return table


def _tables(lines: list[str], first: int, last: int) -> Ranges:
    """Line ranges of the boxes that begin with the name of the tool, the date above them included."""
    found, number = [], first
    while number <= last:
        if "NVIDIA-SMI" not in lines[number - 1]:
            number += 1
            continue
        begin, end = number, number
        while begin > first and number - begin < 3 and (_is_box(lines[begin - 2]) or number - begin == 1):
            begin -= 1
        while end < last and end - number < _MOST_TABLE_LINES and (_is_box(lines[end]) or _is_gap(lines, end)):
            end += 1
        found.append((begin, end))
        number = end + 1
    return tuple(found)


def _is_box(line: str) -> bool:
    return line.strip()[:1] in ("|", "+")


def _is_gap(lines: list[str], index: int) -> bool:
    """The blank line between the GPUs and their processes."""
    return not lines[index].strip() and index + 1 < len(lines) and _is_box(lines[index + 1])


def pasted_block(source: Source) -> Ranges | None:
    """The fenced block of a page that is one pasted log with words around it, as in a bug report; None for any other page.

    Nearly all hits stand in that block, and it is longer than the words: a page that quotes lines of several runs is no log.
    """
    lines = source.data.split(b"\n") if source.data and b"```" in source.data else []
    marks = [number for number, line in enumerate(lines, start=1) if line.lstrip()[:3] == b"```"]
    blocks = [(first + 1, last - 1) for first, last in zip(marks[::2], [*marks[1::2], len(lines) + 1], strict=False)]
    if not blocks or marks[0] == 1 or len(source.hits) < _LEAST_PASTED:
        return None
    hits = [sum(_within(raw.number, (block,)) for raw in source.hits) for block in blocks]
    filled = [sum(bool(line.strip()) for line in lines[first - 1 : last]) for first, last in blocks]
    words = sum(bool(line.strip()) for line in lines) - sum(filled) - len(marks)
    most = hits.index(max(hits))
    return (blocks[most],) if hits[most] >= 0.9 * len(source.hits) and filled[most] >= words else None


def printed_cells(source: Source) -> Ranges | None:
    """Where a notebook's outputs stand; its source is no log. None for anything else."""
    if source.wrapper is None or "notebook-cells" not in source.wrapper or source.data is None:
        return None
    text = source.data.decode("utf-8", "replace")
    marks = [(text.count("\n", 0, match.start()) + 1, match.group("kind")) for match in _CELLS.finditer(text)]
    if not marks:
        return None
    ends = [number - 1 for number, _ in marks[1:]] + [source.lines]
    return tuple((number, end) for (number, kind), end in zip(marks, ends, strict=False) if kind == "outputs")
