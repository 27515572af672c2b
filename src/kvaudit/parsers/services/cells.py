"""YAML and JSON documents as flat cells: every scalar by its path, with its line and pointer.

Room: `parsers.services`. YAML is read as events of the safe loader's parser, without recursion and without building objects:
tags are ignored, aliases and merge keys are followed within limits, scalars stay texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.launch_command.words import Piece, Word
from kvaudit.parsers.snapshots.json_cells import json_cells
from kvaudit.sources.source import Source

Path = tuple[str, ...]

MOST_TEXT = 1 << 20
_DEEPEST = 40
_MOST_CELLS = 60_000
_MOST_DOCUMENTS = 200
_MERGE = "<<"


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar: its text, where it begins, and whether it is a block scalar, whose text begins a line further down."""

    text: str
    line: int
    position: int = 0
    pointer: str = ""
    block: bool = False
    plain: bool = False
    folded: str = ""
    """The lines of a folded scalar as they stand in the file, from its indicator on."""

    @property
    def word(self) -> Word:
        """The cell as a word without variables; the text of a block stands behind its indicator."""
        return Word(
            (Piece(self.text),), self.line + self.block, 0 if self.block else self.position, not self.plain, pointer=self.pointer
        )


Cells = dict[Path, Cell]


@dataclass(slots=True)
class _Node:
    """A mapping, sequence or scalar while events come in; `items` are (key, node) pairs."""

    kind: str
    text: str = ""
    line: int = 0
    position: int = 0
    block: bool = False
    plain: bool = False
    folded: str = ""
    items: list[tuple[str, _Node]] = field(default_factory=list)
    key: _Node | None = None


@lru_cache(maxsize=8)
def documents(text: str) -> tuple[Cells, ...]:
    """The cells of each document of a YAML or JSON text; empty for anything else and beyond the limits."""
    if len(text) > MOST_TEXT:
        return ()
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return _json(text)
    try:
        return tuple(_flat(root) for root in _roots(text))
    except (ValueError, RecursionError):
        return ()


def _json(text: str) -> tuple[Cells, ...]:
    cells = json_cells(text)
    if cells is None:
        return ()
    lines_before = text[: len(text) - len(text.lstrip("\ufeff \t\r\n"))].count("\n")
    return (
        {
            path: Cell(_text(said.value), said.line.number + lines_before, said.position, said.line.pointer or "")
            for path, said in cells.items()
        },
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _roots(text: str) -> list[_Node]:
    """The root nodes of a YAML stream. Raises `ValueError` for what is no YAML or too deep."""
    import yaml

    builder = _Builder(text)
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    return builder.roots


class _Builder:
    """Nodes from events."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.roots: list[_Node] = []
        self.open: list[_Node] = []
        self.anchors: dict[str, _Node] = {}
        self.count = 0

    def take(self, event: Any) -> None:
        name = type(event).__name__
        if name in ("MappingStartEvent", "SequenceStartEvent"):
            node = self._node("map" if name.startswith("Map") else "list", event)
            self._place(node)
            self.open.append(node)
            if len(self.open) > _DEEPEST:
                raise ValueError("nested too deeply")
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self.open.pop()
        elif name == "ScalarEvent":
            node = self._node("text", event)
            node.text, node.block, node.plain = event.value, event.style in ("|", ">"), event.style is None
            if event.style == ">":
                node.folded = self.text[event.start_mark.index : event.end_mark.index]
            self._place(node)
        elif name == "AliasEvent":
            self._place(self.anchors.get(event.anchor, _Node("text")))

    def _node(self, kind: str, event: Any) -> _Node:
        self.count += 1
        if self.count > _MOST_CELLS:
            raise ValueError("too many nodes")
        node = _Node(kind, line=event.start_mark.line + 1, position=event.start_mark.column)
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _place(self, node: _Node) -> None:
        """A node under its key or at its step; in a mapping every second node is a key."""
        if not self.open:
            if len(self.roots) < _MOST_DOCUMENTS:
                self.roots.append(node)
            return
        parent = self.open[-1]
        if parent.kind == "list":
            parent.items.append((str(len(parent.items)), node))
        elif parent.key is None:
            parent.key = node
        else:
            parent.items.append((parent.key.text, node))
            parent.key = None


def _flat(root: _Node) -> Cells:
    cells: Cells = {}
    for path, node in _walk(root):
        if len(cells) >= _MOST_CELLS:
            raise ValueError("too many cells")
        pointer = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in path)
        cells.setdefault(path, Cell(node.text, node.line, node.position, pointer, node.block, node.plain, node.folded))
    return cells


def _walk(root: _Node) -> Iterator[tuple[Path, _Node]]:
    """Scalars with their paths; what a merge key brings comes after a mapping's own keys."""
    stack: list[tuple[Path, _Node]] = [((), root)]
    steps = 0
    while stack:
        path, node = stack.pop()
        steps += 1
        if steps > _MOST_CELLS or len(path) > _DEEPEST:
            raise ValueError("too many nodes")
        if node.kind == "text":
            yield path, node
            continue
        own = [((*path, key), child) for key, child in node.items if key != _MERGE or node.kind == "list"]
        merged = [(path, child) for key, child in node.items if key == _MERGE and node.kind == "map"]
        lists = [inner for _, child in merged if child.kind == "list" for _, inner in child.items]
        merged = [(path, child) for _, child in merged if child.kind == "map"] + [(path, inner) for inner in lists]
        stack += [*reversed(merged), *reversed(own)]


def first_document(source: Source) -> Cells:
    """The cells of the one document of a source. Raises `InputError` where it is none."""
    found = documents(source.text() or source.head)
    if not found:
        raise InputError(source.path, "damaged: neither YAML nor JSON that can be read")
    return found[0]


def below(cells: Cells, *base: str) -> Iterator[tuple[Path, Cell]]:
    """The cells under a path, with the rest of their paths."""
    size = len(base)
    for path, cell in cells.items():
        if len(path) > size and path[:size] == base:
            yield path[size:], cell


def subtree(cells: Cells, *base: str) -> Cells:
    """The cells under a path as cells of their own."""
    return dict(below(cells, *base))


def names(cells: Cells, *base: str) -> list[str]:
    """The keys or steps directly under a path, in order."""
    return list(dict.fromkeys(path[0] for path, _ in below(cells, *base)))


def listed(cells: Cells, *base: str) -> list[Cell]:
    """The scalars of a list, or the one scalar that stands in its place."""
    if base in cells:
        return [cells[base]]
    return [cell for path, cell in below(cells, *base) if len(path) == 1 and path[0].isdigit()]
