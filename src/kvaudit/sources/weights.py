"""Files of weights, of which only small parts are ever read: told by their first bytes, opened for ranges.

Room: `sources`. Nothing is decoded here beyond the first bytes; parsers ask for ranges through the source. A file of many GB
costs as much as its header.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources.source import Source

Form = Literal["gguf", "safetensors"]

LONGEST_RANGE = 1 << 25
"""No parser needs more than 32 MiB at once."""

_MAGIC_BYTES = 16
_HEADER_STARTS = (b'{"', b"{}", b"{ ", b"{\n", b"{\r", b"{\t")
_TEXT = frozenset(range(0x20, 0x7F)) | {0x09, 0x0A, 0x0D}
_ONLY_HEADER = "only the header was read, never the weights"


def form_of(head: bytes) -> Form | None:
    """The form of a file of weights by its first bytes, None for any other file.

    GGUF has a magic and a version. Safetensors starts with the length of its header (64 bits, little endian), then the header's
    brace; eight bytes that are all text are no length.
    """
    if head.startswith(b"GGUF") and not _TEXT.issuperset(head[4:8]):
        return "gguf"
    if head[8:10] in _HEADER_STARTS and not _TEXT.issuperset(head[:8]):
        return "safetensors"
    return None


def weights_source(path: Path, shown: str, redactor: Redactor) -> Source | None:
    """The file as a source that is read by ranges, None where it holds no weights. Raises `InputError` naming it."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            form = form_of(stream.read(_MAGIC_BYTES))
        size = path.stat().st_size
    except OSError as error:
        raise InputError(shown, error.strerror or str(error)) from error
    if form is None:
        return None
    source = header_source(shown, size, form, redactor)
    source.ranges = FileRanges(path, shown)
    source.location, source.folder = str(path), str(path.parent)
    return source


def header_source(shown: str, size: int, form: Form, redactor: Redactor) -> Source:
    """A source of weights that still needs its `ranges`."""
    found = Source(path=shown, size=size, lines=0, sha256="", head="", hits=[], redactor=redactor)
    found.form, found.notes = form, [_ONLY_HEADER]
    return found


class FileRanges:
    """Ranges of one local file. Each call opens it anew: a folder may hold hundreds of them."""

    def __init__(self, path: Path, shown: str) -> None:
        self._path, self._shown = path, shown

    def __call__(self, start: int, length: int) -> bytes:
        """At most `length` bytes from `start`; fewer at the end of the file. Raises `InputError` naming the file."""
        try:
            with self._path.open("rb") as stream:
                stream.seek(start)
                return stream.read(min(length, LONGEST_RANGE))
        except OSError as error:
            raise InputError(self._shown, error.strerror or str(error)) from error
