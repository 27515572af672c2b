"""Which wrapper a document is in, decided on its head and its hits.

Room: `sources`. Strict shapes need no decision; here loose shapes are confirmed by how many lines carry them, JSON documents
that hold log lines are told from those that only quote some, and the wrapper gets its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kvaudit.patterns import LatePattern
from kvaudit.sources import shapes
from kvaudit.sources.partial import Partial
from kvaudit.sources.shapes import Loose, strip_loose
from kvaudit.sources.source import RawLine
from kvaudit.sources.unwrapping import Piece, Unwrapper, readable

_SAMPLE = 300
_LEAST_NAMED = 0.2
_MOST_SERVICES = 60
_LEVELS = frozenset({"DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL", "TRACE", "FATAL", "slot", "srv", "que", "main"})
_RAY = LatePattern(r"^\((?:\w[\w.:-]* )?pid=\d+, ip=|^\(pid=\d+\) |\[repeated \d+x across cluster\]")
_RAY_COLOUR = "\x1b[36m("
_STRING_LINE = LatePattern(r'^\s*"(?:[^"\\]|\\.)*"?\s*[,\]]*$')


@dataclass(frozen=True, slots=True)
class Wrapping:
    """How a document is wrapped: the name for the record, how to take it off, what a reader should know."""

    name: str | None
    unwrapper: Unwrapper
    notes: tuple[str, ...] = ()


def detect(head: bytes, hits: Sequence[RawLine], partial: Partial | None = None) -> Wrapping:
    """Decide on the head of a document and the lines that held a hint."""
    text = head.decode("utf-8", "replace")
    first = [line for raw in text.split("\n", _SAMPLE)[:_SAMPLE] if (line := readable(raw.encode())).strip()]
    found = [readable(raw.data) for raw in hits[:_SAMPLE]]
    unwrapper = Unwrapper(strings=_strings_of(text, first), partial=partial)
    notes: list[str] = []
    pasted = ((first, True), (found, not _is_printed_json(first)))  # within a document every line is indented
    for _ in range(3):
        samples = ((_bare(sample, unwrapper), may_be) for sample, may_be in pasted)
        loose = next((loose for lines, may_be in samples if (loose := _loose(lines, unwrapper, notes, indented=may_be))), None)
        if loose is None:
            break
        unwrapper = replace(unwrapper, loose=(*unwrapper.loose, loose))
    return Wrapping(_name(text, first, found, unwrapper), unwrapper, tuple(notes))


def _bare(sample: Iterable[str], unwrapper: Unwrapper) -> list[str]:
    return [piece.text for line in sample for piece in unwrapper.unwrapped(line) if piece.text.strip()]


def _is_printed_json(lines: list[str]) -> bool:
    """Whether a document begins as a JSON value that goes on over lines, unlike entries of one line each."""
    begins = lines[0].lstrip("\ufeff\0").rstrip() if lines else ""
    return begins in ("{", "[", "[{") or (begins.startswith(('{"', '["', "[{")) and begins.endswith((",", "{", "[")))


def _loose(lines: list[str], known: Unwrapper, notes: list[str], *, indented: bool) -> Loose | None:
    """The loose shape that these lines are full of, None where there is none beyond the known ones."""
    names = {loose.name for loose in known.loose}
    for loose, fits in _CONFIRMED:
        if loose.name not in names and fits(lines) and _share(lines, loose) >= loose.share:
            if loose is shapes.FILE_NAMES:
                notes.append("a selection of lines (grep): what is missing proves nothing")
            return loose
    numbers = None if names & {"grep-n", "numbered-listing", "rank-prefix"} else _numbers(lines, notes)
    width = min((len(line) - len(line.lstrip(" ")) for line in lines), default=0) if indented else 0
    if numbers is None and width > 1 and len(lines) > 1 and known.strings is None:
        return shapes.indented(width)
    return numbers


def _share(lines: list[str], loose: Loose) -> float:
    return sum(strip_loose(line, loose) is not None for line in lines) / len(lines) if lines else 0.0


def _are_services(lines: list[str]) -> bool:
    names = _services(lines, shapes.COMPOSE)
    return len(names) <= _MOST_SERVICES and not names & _LEVELS


def _are_files(lines: list[str]) -> bool:
    return len(lines) > 1 and len(_services(lines, shapes.FILE_NAMES)) <= _MOST_SERVICES


def _always(lines: list[str]) -> bool:
    return bool(lines)


def _name_processes(lines: list[str]) -> bool:
    """Whether a second process prefix stands behind the first in a good part of the lines."""
    if not any(line.count("pid=") > 1 for line in lines):
        return False
    left = [stripped.text for line in lines if (stripped := strip_loose(line, shapes.RAY))]
    return sum(bool(shapes.PROCESS.match(line)) for line in left) >= 0.3 * len(left)


def _are_cells(lines: list[str]) -> bool:
    """Whether the quotes that open the last column are closed at the end of the rows."""
    rows = [line for line in lines if strip_loose(line, shapes.CSV)]
    return len(rows) > 1 and sum(line.rstrip().endswith('"') for line in rows) >= 0.9 * len(rows)


_CONFIRMED: tuple[tuple[Loose, Callable[[list[str]], bool]], ...] = (
    (shapes.COMPOSE, _are_services),
    (shapes.FILE_NAMES, _are_files),
    (shapes.QUOTED, _always),
    (shapes.CSV, _are_cells),
    (shapes.RAY, _name_processes),
)


def _services(lines: list[str], loose: Loose) -> set[str]:
    return {str(stripped.service) for line in lines if (stripped := strip_loose(line, loose))}


def _numbers(lines: list[str], notes: list[str]) -> Loose | None:
    """A listing counts by one, a selection of grep skips, the ranks of a launcher repeat."""
    found = [match for line in lines if line.lstrip(" ")[:1].isdigit() and (match := shapes.NUMBERS.match(line))]
    if len(found) < 2 or len(found) < 0.6 * len(lines):
        return None
    numbers = [int(match.group("number")) for match in found]
    steps = [after - before for before, after in pairwise(numbers)]
    colons = all(match.group("mark") == ":" for match in found)
    if all(step > 0 for step in steps):
        if sum(step == 1 for step in steps) >= 0.9 * len(steps):
            return shapes.LISTING_NUMBERS
        notes.append("a selection of lines (grep -n): what is missing proves nothing")
        return shapes.GREP_NUMBERS if colons else shapes.LISTING_NUMBERS
    if colons and len(set(numbers)) <= max(1, len(numbers) // 2):
        return shapes.RANK_NUMBERS
    return None


_DOCUMENTS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("notebook-cells", lambda text: '"cell_type"' in text and '"cells"' in text),
    ("cloud-entry", lambda text: '"textPayload"' in text or ('"jsonPayload"' in text and '"insertId"' in text)),
    ("journald-json", lambda text: '"__REALTIME_TIMESTAMP"' in text or '"__CURSOR"' in text),
    ("cloudwatch", lambda text: '"ingestionTime"' in text and '"message"' in text),
    ("loki", lambda text: '"resultType"' in text and '"streams"' in text),
    ("loki", lambda text: '"line"' in text and '"timestamp"' in text and text.lstrip("\ufeff \t\r\n")[:1] == "["),
)


def _strings_of(text: str, lines: list[str]) -> str | None:
    """The name of the JSON document whose strings are log lines; None for other documents, and for one entry per line."""
    begins = text.lstrip("\ufeff \t\r\n\0")
    if begins[:1] in ("{", "[", '"', "}"):
        named = next((name for name, fits in _DOCUMENTS if fits(text)), None)
        if named:
            return None if _is_one_entry_per_line(lines) else named
        if begins[0] == "{":
            return None
        if begins[0] == "[" and begins[1:].lstrip()[:1] not in ('"', ""):
            return "json-array" if _is_one_entry_per_line(lines) else None
    strings = sum('"' in line and bool(_STRING_LINE.match(line)) for line in lines)
    if begins[:1] == "[" and begins[1:].lstrip().startswith('"'):
        return "json-array"
    return "json-array" if strings >= 2 and strings >= 0.8 * len(lines) else None


def _is_one_entry_per_line(lines: list[str]) -> bool:
    objects = [line for line in lines if line.strip().startswith("{") and line.rstrip().rstrip(",").endswith("}")]
    return bool(lines) and len(objects) >= 0.5 * len(lines) and any(len(line) > 40 for line in objects)


def _name(head: str, first: list[str], found: list[str], unwrapper: Unwrapper) -> str | None:
    """The commonest chain of wrappers among the hits, or of the head where nothing hit; else colours or Ray's prefixes."""
    sample = [*first, *found] if unwrapper.strings else found or first
    chains = Counter(piece.chain for line in sample for piece in _first_piece(unwrapper, line) if piece.chain)
    chain, count = max(chains.items(), key=lambda item: item[1], default=((), 0))
    if count and (unwrapper.strings or count >= _LEAST_NAMED * len(sample)):
        return "+".join(chain)
    if _RAY_COLOUR in head or any(_names_a_process(line) for line in (*first, *found)):
        return "ray"
    return "ansi" if "\x1b[" in head else None


def _names_a_process(line: str) -> bool:
    return ("pid=" in line or "[repeated" in line) and bool(_RAY.search(line))


def _first_piece(unwrapper: Unwrapper, line: str) -> list[Piece]:
    return next(([piece] for piece in unwrapper.unwrapped(line)), [])
