"""The evidence of one arm: paths, run folders and standard input become scanned sources.

Room: `sources`. Files are found, opened and scanned; what they are is decided by `parsers`. Inputs are never written, and
links that leave a run folder are refused and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources.hub_address import is_hub_address
from kvaudit.sources.opening import scan_file
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import HEAD_BYTES, Source
from kvaudit.sources.weights import form_of, weights_source

FOLDER_DEPTH = 3
_MOST_FILES = 2_000


@dataclass(slots=True)
class Found:
    """One file of an arm. `named` files must be recognised; files below a folder may be ignored."""

    source: Source | None
    shown: str
    named: bool
    why_ignored: str = ""


@dataclass(slots=True)
class Evidence:
    """Everything given for one arm, before parsing, and the errors met on the way."""

    label: str
    found: list[Found] = field(default_factory=list)
    errors: list[InputError] = field(default_factory=list)


def split_label(argument: str) -> tuple[str | None, str]:
    """`label=PATH` names an arm; an existing file of that whole name wins."""
    label, equals, path = argument.partition("=")
    if not equals or not label or "/" in label or Path(argument).exists():
        return None, argument
    return label, path


def collect(arguments: Sequence[str], hints: Hints, redactor: Redactor) -> Evidence:
    """Scan all the evidence of one arm. Errors of single files are collected, not raised."""
    evidence = Evidence(label="")
    for argument in arguments:
        label, path = split_label(argument)
        evidence.label = evidence.label or label or ""
        try:
            evidence.found.extend(_of(path, hints, redactor))
        except InputError as error:
            evidence.errors.append(error)
    if not evidence.label and arguments:
        evidence.label = split_label(arguments[0])[1]
    return evidence


def _of(shown: str, hints: Hints, redactor: Redactor) -> list[Found]:
    if is_hub_address(shown):
        return list(_on_hub(shown, hints, redactor))
    path = Path(shown)
    if shown != "-" and path.is_dir():
        return list(_below(path, shown.rstrip("/") or "/", hints, redactor))
    return [Found(_source(path, shown, hints, redactor), shown, named=True)]


def _on_hub(address: str, hints: Hints, redactor: Redactor) -> Iterator[Found]:
    from kvaudit.sources.hub import snapshot

    parsed, found = snapshot(address, redactor)
    sources = [_source(path, parsed.shown(found.commit, name), hints, redactor) for name, path in found.documents.items()]
    for number, source in enumerate([*sources, *found.weights]):
        source.notes += found.notes if not number else []
        yield Found(source, source.path, named=False)


def _source(path: Path, shown: str, hints: Hints, redactor: Redactor) -> Source:
    if shown != "-" and (weights := weights_source(path, shown, redactor)):
        return weights
    found, notes = scan_file(path, shown, hints)
    if b"\0" in found.head:
        notes.append("holes of NUL bytes were skipped")
    if found.truncated_hits:
        notes.append("too many matching lines; the later ones were not read")
    return Source(
        path=shown,
        size=found.size,
        lines=found.lines,
        sha256=found.sha256,
        head=found.head.decode("utf-8", "replace").replace("\0", ""),
        hits=found.hits,
        redactor=redactor,
        data=found.data,
        notes=notes,
        location=None if shown == "-" else str(path),
        folder=None if shown == "-" else str(path.parent),
    )


def _below(root: Path, shown: str, hints: Hints, redactor: Redactor) -> Iterator[Found]:
    base = root.resolve()
    for count, path in enumerate(_files(root, FOLDER_DEPTH)):
        name = f"{shown}/{path.relative_to(root).as_posix()}"
        if count >= _MOST_FILES:
            yield Found(None, name, named=False, why_ignored=f"more than {_MOST_FILES} files in this folder")
            return
        if not path.resolve().is_relative_to(base) and not _in_hub_cache(path, base):
            yield Found(None, name, named=False, why_ignored="a link that leaves the run folder; refused")
        elif reason := _skipped(path):
            yield Found(None, name, named=False, why_ignored=reason)
        else:
            yield Found(_source(path, name, hints, redactor), name, named=False)


def _files(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(str(folder), error.strerror or str(error)) from error
    for entry in entries:
        if entry.is_dir():
            if depth > 1 and not entry.is_symlink():
                yield from _files(entry, depth - 1)
        elif entry.is_file() or entry.is_symlink():
            yield entry


def _in_hub_cache(path: Path, base: Path) -> bool:
    """Snapshots of the Hub cache link into `blobs` beside them; that is no escape."""
    snapshots = base.parent
    return snapshots.name == "snapshots" and path.resolve().is_relative_to(snapshots.parent)


def _skipped(path: Path) -> str:
    """Why a file below a folder is not even read: binaries are never evidence, except the headers of weights."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except OSError as error:
        return error.strerror or str(error)
    if not head:
        return "empty"
    if form_of(head):
        return ""
    control = sum(head.count(bytes([code])) for code in (*range(1, 9), *range(14, 27)))
    return "binary" if control > len(head) // 50 and not head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ")) else ""
