"""Whether a stream is an archive, by its first bytes.

Room: `sources`. Every file is asked; what reads archives is loaded for one that may be an archive.
"""

from __future__ import annotations

from kvaudit.sources.opening import Begun

_BLOCK = 512
_CHECKSUM = slice(148, 156)
_DIGITS = frozenset(b"01234567 \x00")
_BINARY_NUMBER = b"\x80\xff"


def kind_of(stream: Begun) -> str:
    """`tar`, `zip` or empty, by the first bytes."""
    if stream.first.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    return "tar" if is_tar(stream.first) else ""


def is_tar(first: bytes) -> bool:
    """Whether a header block with a right checksum stands at the beginning."""
    checksum = first[_CHECKSUM]
    if len(first) < _BLOCK or not (_DIGITS.issuperset(checksum) or checksum[0] in _BINARY_NUMBER):
        return False
    import tarfile

    try:
        tarfile.TarInfo.frombuf(first[:_BLOCK], "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True
