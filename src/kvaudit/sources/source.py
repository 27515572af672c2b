"""A source: one document of evidence, scanned once, with its hit lines, size and hash.

Room: `sources`. Nothing here knows an engine; parsers ask for lines and text, and make excerpts through the source so that
secrets are masked on the whole line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kvaudit.redaction import Redactor

HEAD_BYTES = 1 << 16
"""How much of a document recognition may look at."""


@dataclass(slots=True, frozen=True)
class RawLine:
    """A physical line that held a hint: 1-based number, raw bytes without the newline (cut around the hint if huge)."""

    number: int
    data: bytes


@dataclass(slots=True)
class Source:
    """One document.

    `data` is kept for documents up to the document limit and is None for larger logs; `hits` are the lines that held a hint
    of any parser, in order.
    """

    path: str
    size: int
    lines: int
    sha256: str
    head: str
    hits: list[RawLine]
    redactor: Redactor
    data: bytes | None = None
    notes: list[str] = field(default_factory=list)
    folder: str | None = None
    location: str | None = None
    """The real path on this machine, where there is one; never shown."""
    form: str = ""
    """`safetensors` or `gguf` for files of weights, which are never scanned; see `ranges`."""
    ranges: Callable[[int, int], bytes] | None = None
    """Reads bytes of a file of weights: start and length."""

    def text(self) -> str | None:
        """The whole document as text, or None when it is too large to be one document."""
        if self.data is None:
            return None
        return self.data.decode("utf-8", "replace")

    def excerpt(self, line: str, position: int = 0) -> str:
        """A masked, escaped excerpt of a line, centred on `position`."""
        return self.redactor.excerpt(line, position)
