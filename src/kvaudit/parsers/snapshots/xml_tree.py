"""The XML of `nvidia-smi -x -q` as flat cells with line numbers and pointers.

Room: `parsers.snapshots`. Only the root element is given to expat: what stands before it (document type, entity declarations)
and behind it is never parsed, so nothing is fetched and nothing expands. Depth and size are limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from kvaudit.errors import InputError

_ROOT = "nvidia_smi_log"
_REPEATING = frozenset({"gpu", "process_info", "mig_device"})
_DEEPEST = 40
_MOST_LOGS = 64
_MOST_ELEMENTS = 400_000


@dataclass(slots=True)
class Element:
    """An element: its text, the line it opens on, children in order, attributes, and its pointer."""

    tag: str
    line: int
    pointer: str
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    children: list[Element] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def all(self, tag: str) -> list[Element]:
        """The children of this tag."""
        return [child for child in self.children if child.tag == tag]

    def cells(self) -> dict[str, Element]:
        """Elements without children by their path below this one; the first of a repeated path stands."""
        found: dict[str, Element] = {}
        stack = [(child, child.tag) for child in reversed(self.children)]
        while stack:
            element, path = stack.pop()
            if not element.children:
                found.setdefault(path, element)
            stack += [(child, f"{path}/{child.tag}") for child in reversed(element.children)]
        return found


def documents(text: str) -> int:
    """How many logs the text holds."""
    return text.count(f"<{_ROOT}")


def logs(text: str, path: str) -> Iterator[Element]:
    """The logs of the text, at most 64, up to one that is damaged. Raises `InputError` when the first is, or is cut."""
    end = 0
    for count in range(_MOST_LOGS):
        start = text.find(f"<{_ROOT}", end)
        end = text.find(f"</{_ROOT}>", start)
        if start < 0 or end < 0:
            if count:
                return
            raise InputError(path, "an nvidia-smi XML log that is cut: its end is missing")
        end += len(_ROOT) + 3
        try:
            root = _parsed(text[start:end], text.count("\n", 0, start), path)
        except InputError:
            if count:
                return
            raise
        yield root


def _parsed(document: str, before: int, path: str) -> Element:
    builder = _Builder(path, before)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.open
    parser.EndElementHandler = builder.close
    parser.CharacterDataHandler = builder.characters
    builder.parser = parser
    try:
        parser.Parse(document.replace("\r", ""), True)
    except expat.ExpatError as error:
        line = builder.before + error.lineno
        raise InputError(path, f"a damaged nvidia-smi XML log: {expat.ErrorString(error.code)} on line {line}") from error
    return builder.root


def _place(parent: Element, tag: str) -> str:
    """The place among equal elements, 1-based, for the elements that repeat."""
    if tag not in _REPEATING:
        return ""
    parent.counts[tag] = parent.counts.get(tag, 0) + 1
    return f"[{parent.counts[tag]}]"


class _Builder:
    def __init__(self, path: str, before: int) -> None:
        self.path, self.before = path, before
        self.parser: expat.XMLParserType | None = None
        self.root = Element("", 0, "")
        self.open_elements: list[Element] = []
        self.count = 0

    def open(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open_elements) >= _DEEPEST or self.count > _MOST_ELEMENTS:
            raise InputError(self.path, "an nvidia-smi XML log nested too deeply or too large")
        parent = self.open_elements[-1] if self.open_elements else None
        pointer = f"/{tag}" if parent is None else f"{parent.pointer}/{tag}{_place(parent, tag)}"
        line = self.before + (self.parser.CurrentLineNumber if self.parser else 0)
        element = Element(tag, line, pointer, attributes)
        if parent:
            parent.children.append(element)
        else:
            self.root = element
        self.open_elements.append(element)

    def close(self, _tag: str) -> None:
        element = self.open_elements.pop()
        element.text = element.text.strip()

    def characters(self, text: str) -> None:
        self.open_elements[-1].text += text
