"""The evidence of one arm: paths, run folders, archives and standard input become scanned sources.

Room: `sources`. Files are found, opened and scanned; what they are is decided by `parsers`. Inputs are never written, and
links that leave a run folder are refused and named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources.archive_kind import kind_of
from kvaudit.sources.documents import pick, split
from kvaudit.sources.hub_prefix import is_hub_address
from kvaudit.sources.making import made
from kvaudit.sources.opening import Begun, opened, scan_stream
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source
from kvaudit.sources.weights import form_of, weights_source

FOLDER_DEPTH = 3
_MOST_FILES = 2_000
_MOST_ENTRIES = 100_000
"""Names of one folder are sorted before the first is opened."""


@dataclass(slots=True)
class Found:
    """One document of an arm. `named` files must be recognised; files below a folder may be ignored.

    `document_of` names the file of which this is one document among several: one of them must be recognised.
    """

    source: Source | None
    shown: str
    named: bool
    why_ignored: str = ""
    document_of: str = ""


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
        reader = _Reader(hints, redactor)
        try:
            evidence.found.extend(reader.of(path))
        except InputError as error:
            reader.errors.append(error)
        evidence.errors += reader.errors
    if not evidence.label and arguments:
        evidence.label = split_label(arguments[0])[1]
    return evidence


def _split_service(shown: str) -> tuple[str, str]:
    """`FILE#SERVICE`; an existing file of that whole name wins."""
    file, mark, service = shown.rpartition("#")
    return (file, service) if mark and file and service and not Path(shown).exists() else (shown, "")


class _Reader:
    """Reads one argument of one call. `errors` are those of single files below a folder."""

    def __init__(self, hints: Hints, redactor: Redactor) -> None:
        self.hints, self.redactor = hints, redactor
        self.errors: list[InputError] = []

    def of(self, argument: str) -> Iterator[Found]:
        if is_hub_address(argument):
            yield from self._on_hub(argument)
            return
        shown, service = _split_service(argument)
        path = Path(shown)
        if shown != "-" and path.is_dir():
            yield from self._below(path, shown.rstrip("/") or "/")
            return
        with opened(path, shown) as stream:
            if kind_of(stream):
                yield from self._members(stream, shown)
                return
            source = self._source(stream, shown, None if shown == "-" else path)
        if service:
            yield Found(pick(source, service), argument, named=True)
        else:
            yield from _documents(source, named=True)

    def _on_hub(self, address: str) -> Iterator[Found]:
        from kvaudit.sources.hub import snapshot

        parsed, found = snapshot(address, self.redactor)
        sources = [self._file(path, parsed.shown(found.commit, name)) for name, path in found.documents.items()]
        for number, source in enumerate([*sources, *found.weights]):
            source.notes += found.notes if not number else []
            yield Found(source, source.path, named=False)

    def _file(self, path: Path, shown: str) -> Source:
        with opened(path, shown) as stream:
            return self._source(stream, shown, path)

    def _source(self, stream: Begun, shown: str, path: Path | None) -> Source:
        if path and form_of(stream.first) and (weights := weights_source(path, shown, self.redactor)):
            return weights
        return made(scan_stream(stream, shown, self.hints), shown, path, self.hints, self.redactor)

    def _members(self, stream: Begun, shown: str) -> Iterator[Found]:
        """The members of an archive; the later one of a name counts, as when unpacking."""
        from kvaudit.sources import archives

        found: dict[str, list[Found]] = {}
        for member in archives.members(stream, shown):
            name = f"{shown}/{member.name}"
            reason = member.refused or _useless(member.stream, in_archive=True)
            if reason or member.stream is None:
                found[name] = [Found(None, name, named=False, why_ignored=reason)]
            else:
                found[name] = list(_documents(self._source(member.stream, name, None), named=False))
        for documents in found.values():
            yield from documents

    def _below(self, root: Path, shown: str) -> Iterator[Found]:
        base = root.resolve()
        for count, path in enumerate(_files(root, FOLDER_DEPTH)):
            name = f"{shown}/{path.relative_to(root).as_posix()}"
            if count >= _MOST_FILES:
                yield Found(None, name, named=False, why_ignored=f"more than {_MOST_FILES} files in this folder")
                return
            if _leaves(path, base):
                yield Found(None, name, named=False, why_ignored="a link that leaves the run folder; refused")
            else:
                yield from self._file_below(path, name)

    def _file_below(self, path: Path, name: str) -> Iterator[Found]:
        reason = _unreadable(path)
        if reason:
            yield Found(None, name, named=False, why_ignored=reason)
            return
        try:
            with opened(path, name) as stream:
                if reason := _useless(stream):
                    yield Found(None, name, named=False, why_ignored=reason)
                    return
                source = self._source(stream, name, path)
        except InputError as error:
            self.errors.append(error)
            return
        yield from _documents(source, named=False)


def _documents(source: Source, named: bool) -> Iterator[Found]:
    parts = split(source)
    if len(parts) == 1:
        yield Found(parts[0], parts[0].path, named=named)
        return
    for part in parts:
        yield Found(part, part.path, named=False, document_of=source.path if named else "")


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """The files below a folder by name, links to folders among them. Raises `InputError` for a folder without end."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in islice(entries, _MOST_ENTRIES + 1)]
    except OSError as error:
        raise InputError(str(folder), error.strerror or str(error)) from error
    if len(found) > _MOST_ENTRIES:
        raise InputError(str(folder), f"more than {_MOST_ENTRIES:,} entries in one folder: name the files of the run")
    for name, is_folder in sorted(found):
        if not is_folder:
            yield folder / name
        elif depth > 1:
            yield from _files(folder / name, depth - 1)


def _leaves(path: Path, base: Path) -> bool:
    """Whether a file is a link out of its folder. Snapshots of the Hub cache link into `blobs` beside them: no escape."""
    try:
        real = path.resolve()
    except (OSError, RuntimeError):
        return False  # a loop of links, which cannot be opened either
    snapshots = base.parent
    return not real.is_relative_to(base) and not (snapshots.name == "snapshots" and real.is_relative_to(snapshots.parent))


def _unreadable(path: Path) -> str:
    """Why a file below a folder cannot be opened at all."""
    try:
        if not path.is_file():
            return "not a regular file, or a broken link; refused"
        with path.open("rb"):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _useless(stream: Begun | None, in_archive: bool = False) -> str:
    """Why a file below a folder is not even read: binaries are never evidence, except the headers of weights."""
    head = stream.first if stream else b""
    if not head:
        return "empty"
    if form_of(head):
        return "weights in an archive; not read" if in_archive else ""
    if stream and kind_of(stream):
        return "an archive inside a run folder; not read, name it to have it read"
    control = sum(head.count(bytes([code])) for code in (*range(1, 9), *range(14, 27)))
    return "binary" if control > len(head) // 50 else ""
