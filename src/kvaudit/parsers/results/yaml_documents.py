"""YAML result files: the safe reader's cells put together again, with the place of every value.

Room: `parsers.results`. Scalars become numbers and truth values by the rules of YAML's core schema, quoted ones too: the
cells do not tell them apart.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.results.figures import written_number
from kvaudit.parsers.results.shape import Shape
from kvaudit.parsers.services.cells import MOST_TEXT, Cell, Cells, documents
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import HEAD_BYTES, Source

_KEY = LatePattern(r"^(?P<space> *)(?:- )?(?P<key>[A-Za-z_][\w.-]{0,80}):(?:\s|$)")
_INDENTED = "indented"
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_WORDS: dict[str, Any] = {"true": True, "True": True, "false": False, "False": False, ".inf": float("inf"), ".nan": float("nan")}


@dataclass(slots=True)
class YamlDocument:
    """The value of a document, its text, and where its scalars stand."""

    value: Any
    text: str
    cells: Cells

    def places(self, pointers: Iterable[str]) -> dict[str, Place]:
        """The places of pointers; of a container that of its first scalar, of one that is not there its nearest ancestor's."""
        begins = self._line_starts()
        cells = {cell.pointer: cell for cell in self.cells.values()}
        names = sorted(cells)
        found = {}
        for pointer in dict.fromkeys(pointers):
            cell = _nearest(cells, names, pointer)
            line = cell.line if cell else 1
            begin = begins[line - 1] if line <= len(begins) else 0
            found[pointer] = Place(line, min(begin + (cell.position if cell else 0), len(self.text)))
        return found

    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts


def _nearest(cells: dict[str, Cell], names: list[str], pointer: str) -> Cell | None:
    """The scalar of a pointer, the first one below it, or what its nearest ancestor has; `names` are the sorted pointers."""
    while pointer:
        if pointer in cells:
            return cells[pointer]
        begin = bisect_left(names, pointer + "/")
        inside = [cells[name] for name in names[begin : begin + 500] if name.startswith(pointer + "/")]
        if inside:
            return min(inside, key=lambda cell: cell.line)
        pointer = pointer.rpartition("/")[0]
    return None


def load_yaml(source: Source) -> YamlDocument:
    """The first document of a YAML file. Raises `InputError` when it is damaged or too large."""
    text = _text(source)
    if text is None or len(text) > MOST_TEXT:
        raise InputError(source.path, f"YAML of more than {MOST_TEXT >> 20} MiB is not read; save the results as JSON")
    found = documents(text)
    if not found:
        raise InputError(source.path, "damaged: no YAML that can be read")
    return YamlDocument(_nested(found[0]), text, found[0])


def yaml_head(source: Source) -> str:
    """The head of a document that may be YAML."""
    return source.head if source.wrapper != _INDENTED or source.data is None else (_text(source) or "")[:HEAD_BYTES]


def _text(source: Source) -> str | None:
    """The text with its indentation, which means something here: a log that is indented as a whole is another matter."""
    if source.wrapper == _INDENTED and source.data is not None and source.service is None and source.line_ranges is None:
        return source.data.decode("utf-8", "replace")
    return source.text()


def yaml_shape(head: str) -> Shape | None:
    """The keys of the first mapping and one level below, from the lines of the head; None where it does not begin with a key."""
    keys: dict[str, set[str]] = {}
    upper, depth = "", 0
    for line in head.removeprefix("\ufeff").split("\n"):
        if not line.strip() or line.lstrip().startswith("#") or line.strip() == "---":
            continue
        match = _KEY.search(line)
        if match is None:
            if not keys:
                return None
            continue
        indent = len(match.group("space"))
        if indent == 0 and not line.startswith("-"):
            upper, depth = match.group("key"), 0
            keys.setdefault(upper, set())
        elif upper and (not depth or indent == depth):
            depth = indent
            keys[upper].add(match.group("key"))
    return Shape(keys, listed=False, head=head) if keys else None


def _nested(cells: Cells) -> Any:
    root: dict[str, Any] = {}
    for path, cell in cells.items():
        node = root
        for step in path[:-1]:
            below = node.setdefault(step, {})
            node = below if isinstance(below, dict) else {}
        if path:
            node.setdefault(path[-1], _scalar(cell))
    return _with_lists(root)


def _with_lists(node: Any) -> Any:
    """Mappings whose keys count from 0 on are sequences. As deep as the reader of cells allows, which is 40 levels."""
    if not isinstance(node, dict):
        return node
    built = {key: _with_lists(value) for key, value in node.items()}
    counted = [str(number) for number in range(len(built))]
    return list(built.values()) if built and list(built) == counted else built


def _scalar(cell: Cell) -> Any:
    if cell.block:
        return cell.text
    if cell.text in _NULLS:
        return None
    if cell.text in _WORDS:
        return _WORDS[cell.text]
    found = written_number(cell.text) if "," not in cell.text else None
    return cell.text if found is None else found
