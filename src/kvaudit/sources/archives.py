"""Run folders in a tar or zip archive, read member by member without extraction.

Room: `sources`. Nothing is written, and no member can name a place outside: links, devices, absolute names and `..` are refused
and named. Compressed members are opened; an archive inside an archive is not.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

from kvaudit.errors import InputError
from kvaudit.sources.archive_kind import kind_of
from kvaudit.sources.compression import DAMAGED, Budget, Limited
from kvaudit.sources.opening import Begun, begun

MOST_MEMBERS = 2_000
DEPTH = 3
_LONGEST_HEADER = 1 << 20
_LARGEST_DIRECTORY = 8 << 20
_LONGEST_END = (1 << 16) + 256
"""The end of a zip archive: a comment of at most 64 KiB and its records."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""LZMA in a zip archive may ask for a dictionary of 4 GiB, and Python bounds none."""
_TOO_MANY = f"more than {MOST_MEMBERS} members in this archive"
_DAMAGED = (*DAMAGED, tarfile.TarError, zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError)


@dataclass(slots=True)
class Member:
    """One file in an archive. `stream` is valid until the next member is asked for; None where `refused` says why not."""

    name: str
    stream: Begun | None
    refused: str = ""


def members(stream: Begun, shown: str) -> Iterator[Member]:
    """The members of an archive in order, folders left out. Raises `InputError`, naming the archive, when it is damaged."""
    try:
        yield from _of_zip(stream, shown) if kind_of(stream) == "zip" else _of_tar(stream, shown)
    except _DAMAGED as error:
        raise InputError(shown, f"a damaged archive: {str(error) or type(error).__name__}") from error


class _BoundedHeader(tarfile.TarInfo):
    """Extended headers and long names are read into memory: one of a gigabyte is an attack."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in (b"x", b"g", b"X", b"L", b"K") and self.size > _LONGEST_HEADER:
            raise tarfile.ReadError("an extended header of more than 1 MiB")
        return cast(tarfile.TarInfo, super()._proc_member(archive))  # type: ignore[misc]


def _of_tar(stream: Begun, shown: str) -> Iterator[Member]:
    plain, budget = stream.rewound(), Budget()
    source, mode = (plain, "r:") if plain else (cast(BinaryIO, stream), "r|")
    with tarfile.open(fileobj=source, mode=mode, tarinfo=_BoundedHeader) as archive:  # type: ignore[call-overload]
        depth = _Depth()
        for count, info in enumerate(archive):
            name = info.name.removeprefix("./")
            if count >= MOST_MEMBERS:
                yield Member(name, None, _TOO_MANY)
                return
            if info.isdir() or (depth.is_beyond(name) and not _leaves(name)):
                continue
            refused = _refused(name, info.issym() or info.islnk(), info.isreg() or info.issparse())
            file = None if refused else archive.extractfile(info)
            yield Member(name, _begun(file, f"{shown}/{name}", budget) if file else None, refused)


def _of_zip(stream: Begun, shown: str) -> Iterator[Member]:
    plain, budget = stream.rewound(), Budget()
    if plain is None:
        raise InputError(shown, "a zip archive that comes through a pipe or is itself compressed: give the file")
    if _directory_size(plain) > _LARGEST_DIRECTORY:
        raise InputError(
            shown, f"a zip archive whose directory is larger than {_LARGEST_DIRECTORY >> 20} MiB: name the files of the run"
        )
    with zipfile.ZipFile(plain) as archive:
        depth = _Depth()
        for count, info in enumerate(archive.infolist()):
            name = info.filename.removeprefix("./")
            if count >= MOST_MEMBERS:
                yield Member(name, None, _TOO_MANY)
                return
            if info.is_dir() or (depth.is_beyond(name) and not _leaves(name)):
                continue
            is_link = (info.external_attr >> 16) & 0o170000 == 0o120000
            refused = _refused(name, is_link, is_file=True) or _unreadable(info)
            if refused:
                yield Member(name, None, refused)
                continue
            with archive.open(info) as file:
                yield Member(name, _begun(file, f"{shown}/{name}", budget))


def _unreadable(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 1:
        return "encrypted; not read"
    return "" if info.compress_type in _METHODS else f"compressed by method {info.compress_type}; not read"


def _directory_size(stream: BinaryIO) -> int:
    """The bytes of a zip archive's directory, which is read into memory as a whole; 0 where its end is not found."""
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, end - _LONGEST_END))
    tail = stream.read(_LONGEST_END)
    stream.seek(0)
    sizes = [0]
    for mark, offset, width in ((b"PK\x05\x06", 12, 4), (b"PK\x06\x06", 40, 8)):  # APPNOTE.TXT 4.3.16 and 4.3.14
        at = tail.rfind(mark)
        sizes.append(int.from_bytes(tail[at + offset : at + offset + width], "little") if at >= 0 else 0)
    return sizes[2] or sizes[1]


def _begun(file: IO[bytes], shown: str, budget: Budget) -> Begun:
    return begun(cast(BinaryIO, io.BufferedReader(Limited(cast(BinaryIO, file), shown, budget))), shown, budget)


class _Depth:
    """Members three folders deep count; the one folder that an archive was packed from is no depth."""

    def __init__(self) -> None:
        self._top: str | None = None

    def is_beyond(self, name: str) -> bool:
        first, slash, _ = name.partition("/")
        if self._top is None:
            self._top = first if slash else ""
        return name.rstrip("/").count("/") - (first == self._top) >= DEPTH


def _leaves(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]


def _refused(name: str, is_link: bool, is_file: bool) -> str:
    if _leaves(name):
        return "a name that leaves the archive; refused"
    if is_link:
        return "a link; refused"
    return "" if is_file else "not a regular file; refused"
