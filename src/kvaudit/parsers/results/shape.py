"""What a document looks like from outside: the keys of its first object, read from its head.

Room: `parsers.results`. Cheap enough to be asked of every document; works on documents that are cut or damaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kvaudit.parsers.checkpoint.keys import upper_keys
from kvaudit.sources.source import Source


@dataclass(frozen=True, slots=True)
class Shape:
    """`keys` are those of the first object, each with the keys one level below; `listed` says that it stands in an array."""

    keys: dict[str, set[str]]
    listed: bool
    head: str

    def has(self, *names: str) -> bool:
        """Whether every name is a key of the first object."""
        return all(name in self.keys for name in names)

    def below(self, name: str) -> set[str]:
        """The keys of the object under a key; empty where it holds none."""
        return self.keys.get(name, set())


def shape_of(source: Source) -> Shape | None:
    """The shape of a JSON document; None for anything else."""
    return _shape(source.head)


@lru_cache(maxsize=4)
def _shape(head: str) -> Shape | None:
    text = head.removeprefix("\ufeff").lstrip()
    if text.startswith("{"):
        return Shape(upper_keys(text), listed=False, head=text)
    if not text.startswith("["):
        return None
    inner = text[1:].lstrip()
    return Shape(upper_keys(inner), listed=True, head=text) if inner.startswith("{") else None
