"""Logs that a terminal broke at its width: records that begin with `time=` are put together again.

Room: physical lines in, lines out, each with the number of its first physical line. Only documents whose records are seen to
be broken are touched; PowerShell's redirection and pastes from a console do this.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import Line, hit_lines, without_colours
from kvaudit.sources.source import Source

_COMPONENTS = (
    "llama_\\w+|llm_load_\\w+|ggml_\\w+|print_info|load_tensors|load_backend|load|srv|slot|sched_reserve|common_\\w+|init|main"
)
_BEGINS = LatePattern(rf"^(?:\S+ : )?time=\d{{4}}-\d\d-\d\dT|^\[GIN|^(?:{_COMPONENTS})[: ]|^\s*$|^(?:INFO|WARN|ERROR) \[")
_BROKEN = LatePattern(r"(?m)^(?:\S+ : )?time=\d{4}-\d\d-\d\dT\S+ level=\w+ source=[\w.]+:\d+(?: msg=\"[^\"\n]*)?\s*$")
_LEAST_BROKEN = 2
_MOST_LINES = 80


def lines(source: Source) -> Iterator[Line]:
    """The lines to read: the hits, or the whole document with its broken records put together."""
    text = source.text()
    if text is None or len(_BROKEN.findall(source.head)) < _LEAST_BROKEN:
        yield from hit_lines(source)
        return
    physical = [without_colours(raw).rstrip("\r") for raw in text.replace("\0", "").split("\n")]
    records = list(_records(physical))
    width = _width(records)
    for number, parts in records:
        yield Line(number, _joined(parts, width))


def _records(physical: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The pieces of each record, with the number of its first line."""
    number, parts = 1, physical[:1]
    for count, line in enumerate(physical[1:], start=2):
        if _BEGINS.search(line) or "time=" not in parts[0][:40] or len(parts) >= _MOST_LINES:
            yield number, parts
            number, parts = count, [line]
        else:
            parts.append(line)
    yield number, parts


def _width(records: list[tuple[int, list[str]]]) -> int | None:
    """The width at which words were broken too: that of most broken pieces; None where breaks stand between words."""
    broken = [len(part) for _, parts in records for part in parts[:-1]]
    widest = max(broken, default=0)
    return widest if widest and broken.count(widest) * 2 > len(broken) else None


def _joined(parts: list[str], width: int | None) -> str:
    """The pieces as one line; a break between words took a blank away unless one is left."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += part if before.endswith(" ") or len(before) == width else f" {part}"
    return text
