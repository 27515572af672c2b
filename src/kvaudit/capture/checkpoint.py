"""The checkpoint that is served: its JSON files as they are, and of its weights only what an audit reads of their headers.

Room: `capture`. The parser of each format reads through a recorder, and the ranges that it asked for are kept: reading them back
is reading the file again, and no weight is copied.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kvaudit.capture.endpoints import to_bytes
from kvaudit.capture.folder import RunFolder
from kvaudit.capture.masking import masked_json
from kvaudit.errors import InputError
from kvaudit.parsers.endpoints.header_copy import DOCUMENT, VERSION, Ranges
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.interface import Parser
from kvaudit.parsers.registry import recognise
from kvaudit.record.local_checkpoint import find_checkpoint
from kvaudit.redaction import Redactor
from kvaudit.sources.source import Source
from kvaudit.sources.weights import weights_source

_LARGEST_DOCUMENT = 32 << 20
_LARGEST_HEADER = 20 << 20
"""Written in base64 this is still one document that an audit reads."""
_REMEDY = "give --model with the folder of the checkpoint (its config.json) or the .gguf file"


def keep_checkpoint(model: str, folder: RunFolder, redactor: Redactor, *, named: bool) -> None:
    """Copy what a checkpoint states into `checkpoint/`. `named`: the user gave the path, so nothing there is an error.

    Raises `InputError`.
    """
    files = find_checkpoint(str(Path(model).absolute()) if named else model, None, None)
    if not files:
        if named:
            raise InputError(model, "no config.json and no .gguf file there")
        folder.miss("checkpoint", f"{redactor.mask(model)} is not on this machine", _REMEDY)
        return
    for path in files:
        source = weights_source(path, str(path), redactor)
        if source is None:
            _keep_document(path, folder, redactor)
        else:
            _keep_header(path, folder, redactor)


def _keep_document(path: Path, folder: RunFolder, redactor: Redactor) -> None:
    size = path.stat().st_size
    if size > _LARGEST_DOCUMENT:
        folder.miss(f"checkpoint: {path.name}", f"{size:,} bytes, more than is copied", "keep the file itself")
        return
    data = path.read_bytes()
    masked = masked_json(data, redactor)
    more = {} if masked == data else {"note": "secrets were masked: the hash is not the original's"}
    folder.add(f"checkpoint/{path.name}", masked, "checkpoint", redactor.mask(str(path)), **more)


def _keep_header(path: Path, folder: RunFolder, redactor: Redactor) -> None:
    document = header_copy(path, redactor)
    if document is None:
        folder.miss(f"checkpoint: {path.name}", "its header is larger than is copied, or damaged", "keep the file itself")
        return
    data = gzip.compress(to_bytes(document), mtime=0)
    folder.add(f"checkpoint/{path.name}.header.json.gz", data, "checkpoint header", redactor.mask(str(path)))


def header_copy(path: Path, redactor: Redactor) -> dict[str, Any] | None:
    """The ranges of a file of weights that its parser reads, as a document; None where it is too large or damaged."""
    source = weights_source(path, path.name, redactor)
    parser = recognise(source) if source else None
    if source is None or source.ranges is None or parser is None:
        return None
    recorder = _Recorder(source.ranges)
    source.ranges = recorder
    try:
        facts = parser.read(source).facts
    except InputError:
        return None
    kept = recorder.kept
    if source.form == "gguf":
        _trim(source, parser, kept, facts)
    if sum(map(len, kept.values())) > _LARGEST_HEADER:
        return None
    ranges = [{"start": start, "base64": base64.b64encode(data).decode("ascii")} for start, data in sorted(kept.items())]
    return {
        "document": DOCUMENT,
        "version": VERSION,
        "file": path.name,
        "form": source.form,
        "bytes": source.size,
        "ranges": ranges,
    }


class _Recorder:
    """Reads through, and keeps what was read by where it starts."""

    def __init__(self, reads: Callable[[int, int], bytes]) -> None:
        self._reads = reads
        self.kept: dict[int, bytes] = {}

    def __call__(self, start: int, length: int) -> bytes:
        data = self._reads(start, length)
        if len(data) > len(self.kept.get(start, b"")):
            self.kept[start] = data
        return data


def _trim(source: Source, parser: Parser, kept: dict[int, bytes], facts: list[Fact]) -> None:
    """GGUF headers are read in blocks and say nowhere where they end: the last block is cut to what still reads the same."""
    last = max(kept, default=0)
    whole = kept.get(last, b"")
    low, high = 0, len(whole)
    while low < high:
        middle = (low + high) // 2
        kept[last] = whole[:middle]
        source.ranges = Ranges(source.path, sorted(kept.items()))
        if _reads_the_same(source, parser, facts):
            high = middle
        else:
            low = middle + 1
    kept[last] = whole[:high]


def _reads_the_same(source: Source, parser: Parser, facts: list[Fact]) -> bool:
    try:
        return parser.read(source).facts == facts
    except InputError:
        return False
