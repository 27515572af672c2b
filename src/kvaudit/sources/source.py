"""A source: one document of evidence, scanned once, with its hit lines, size and hash.

Room: `sources`. Nothing here knows an engine; parsers ask for lines and text, and make excerpts through the source so that
secrets are masked on the whole line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kvaudit.redaction import Redactor
from kvaudit.sources.unwrapping import Unwrapper

HEAD_BYTES = 1 << 16
"""How much of a document recognition may look at."""


@dataclass(slots=True, frozen=True)
class RawLine:
    """A physical line that held a hint: 1-based number, raw bytes without the newline (cut around the hint if huge).

    Where a wrapper cut one line into several records, `data` holds them all, newlines between, and `number` is the first's.
    """

    number: int
    data: bytes


@dataclass(slots=True, frozen=True)
class Line:
    """A line as text, its wrapper removed: `number` is the 1-based physical line in the original file."""

    number: int
    text: str


@dataclass(slots=True)
class Source:
    """One document: a file, or a part of one (a service of several, a table in front of a log).

    `data` is kept for documents up to the document limit and is None for larger logs; `hits` are the lines that held a hint
    of any parser, in order. `head` is readable: no wrapper, no holes. A part keeps the physical line numbers of its file:
    `line_ranges` are its lines (1-based, inclusive), `service` the name its lines carry in the wrapper.
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
    wrapper: str | None = None
    """What wrapped the lines, outermost first: `docker-json`, `rfc3339+compose`."""
    unwrapper: Unwrapper = field(default_factory=Unwrapper)
    service: str | None = None
    line_ranges: tuple[tuple[int, int], ...] | None = None
    parts: list[Source] = field(default_factory=list)
    """Documents of another kind inside this one, such as a GPU table in front of a log."""
    sampled: bool = False
    """Whether statistics lines were left out, so that counts and sums over them are not those of the run."""
    read_lines: list[Line] | None = None
    """The hit lines once they are unwrapped, and the text; made on first use."""
    read_text: str | None = None
    json_keys: frozenset[str] | bool | None = None
    """What the document is as JSON, once somebody asked: the keys of an object, True for an array, False for anything else."""

    @property
    def is_wrapped(self) -> bool:
        """Whether something is to be taken off the lines; colours and Ray's prefixes are for the parsers."""
        return self.wrapper not in (None, "ansi", "ray")

    def text(self) -> str | None:
        """The whole document as text, one line for each physical line, or None when it is too large to be one document."""
        if self.data is None:
            return None
        if not self.is_wrapped and self.service is None and self.line_ranges is None:
            return self.data.decode("utf-8", "replace")
        if self.read_text is None:
            self.read_text = self.unwrapper.document(self.data, self.service, self.line_ranges)
        return self.read_text

    def excerpt(self, line: str, position: int = 0) -> str:
        """A masked, escaped excerpt of a line, centred on `position`."""
        return self.redactor.excerpt(line, position)
