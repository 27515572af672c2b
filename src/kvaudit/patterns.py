"""Patterns of google-re2 that are compiled when they are first used: a run needs few of those that the modules hold.

Room: far left of the pipeline; any room may use it. Linear in the length of what is searched, whatever stands in it.
"""

from __future__ import annotations

from typing import Any


class LatePattern:
    """A pattern with the methods of a compiled one (`search`, `match`, `finditer`, `sub`, `groupindex`, …)."""

    def __init__(self, pattern: str | bytes) -> None:
        self.pattern: Any = pattern

    def __getattr__(self, name: str) -> Any:
        """An attribute of the compiled pattern, which is compiled once and kept."""
        if name.startswith("__"):
            raise AttributeError(name)
        import re2

        compiled = re2.compile(self.pattern)
        for one in ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn", "groupindex", "groups"):
            setattr(self, one, getattr(compiled, one))
        return getattr(compiled, name)
