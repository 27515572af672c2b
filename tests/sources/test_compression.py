"""Compressed files: damage names the file, and nothing unfolds without end."""

from __future__ import annotations

import hashlib
import io
import lzma
import zlib
from pathlib import Path
from typing import BinaryIO, cast

import pytest
import zstandard

from kvaudit.errors import InputError
from kvaudit.sources.compression import Budget
from kvaudit.sources.opening import begun
from tests.sources.reading import error_of, record_of, source_of
from tests.sources.writers import COMPRESSIONS, LOG, plain


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_file_cut_short_is_an_error_that_names_it(compression: str, tmp_path: Path) -> None:
    data = COMPRESSIONS[compression](plain(LOG))
    (tmp_path / "server.log.x").write_bytes(data[:-20])
    error = error_of(tmp_path / "server.log.x")
    assert error.path.endswith("server.log.x")
    assert "damaged" in error.message


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_file_with_wrong_bytes_is_an_error(compression: str, tmp_path: Path) -> None:
    data = bytearray(COMPRESSIONS[compression](plain(LOG * 3)))
    data[len(data) // 2 : len(data) // 2 + 40] = b"\xa5" * 40
    (tmp_path / "server.log.x").write_bytes(bytes(data))
    assert "damaged" in error_of(tmp_path / "server.log.x").message


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz", "zstd"])
def test_what_unfolds_beyond_the_budget_is_refused(compression: str) -> None:
    packed = COMPRESSIONS[compression](bytes(1 << 20))
    stream = begun(cast(BinaryIO, io.BytesIO(packed)), "bomb.log", Budget(1 << 19))
    with pytest.raises(InputError, match=r"bomb\.log: unfolds into more than"):
        stream.read()


def test_zstandard_with_the_frame_that_pzstd_begins_with(tmp_path: Path) -> None:
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"\0\0\0\x01"
    (tmp_path / "server.log.zst").write_bytes(skippable + zstandard.compress(plain(LOG)))
    assert record_of(tmp_path / "server.log.zst").value("kv_cache.tokens") == 393_216


def test_a_window_too_large_for_memory_is_refused(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=30, write_content_size=False)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = packed.compress(plain(LOG)) + packed.flush()
    (tmp_path / "server.log.zst").write_bytes(data)
    assert "damaged or unreadable" in error_of(tmp_path / "server.log.zst").message


def test_size_hash_and_lines_are_those_of_the_text(tmp_path: Path) -> None:
    data = plain(LOG)
    packed = source_of(tmp_path, zlib.compress(data, wbits=31), "server.log.gz")
    bare = source_of(tmp_path, data)
    assert (packed.sha256, packed.size, packed.lines) == (bare.sha256, bare.size, bare.lines)


def _asking_for_a_dictionary(size_code: int, data: bytes) -> bytes:
    """An xz file whose block header asks for more than its data needs (xz-file-format 3.1, 5.3.1)."""
    packed = bytearray(lzma.compress(data, check=lzma.CHECK_NONE))
    length = (packed[12] + 1) * 4
    header = packed[12 : 12 + length]
    header[header.index(0x21) + 2] = size_code
    header[-4:] = zlib.crc32(bytes(header[:-4])).to_bytes(4, "little")
    packed[12 : 12 + length] = header
    return bytes(packed)


@pytest.mark.parametrize(("size_code", "refused"), [(28, False), (30, False), (36, True), (40, True)])
def test_an_xz_dictionary_too_large_for_memory_is_refused(size_code: int, refused: bool, tmp_path: Path) -> None:
    """Code 28 is 64 MiB, the strongest preset's; 36 is 1 GiB, 40 is 4 GiB."""
    (tmp_path / "server.log.xz").write_bytes(_asking_for_a_dictionary(size_code, plain(LOG)))
    if refused:
        assert "damaged or unreadable" in error_of(tmp_path / "server.log.xz").message
    else:
        assert record_of(tmp_path / "server.log.xz").value("kv_cache.tokens") == 393_216


@pytest.mark.parametrize(("between", "behind"), [(b"", b""), (bytes(8), bytes(4)), (b"", b"no stream")])
def test_xz_streams_one_after_another_are_one_text(between: bytes, behind: bytes, tmp_path: Path) -> None:
    half = len(LOG) // 2
    packed = lzma.compress(plain(LOG[:half])) + between + lzma.compress(plain(LOG[half:])) + behind
    (tmp_path / "server.log.xz").write_bytes(packed)
    assert source_of(tmp_path, packed, "server.log.xz").sha256 == hashlib.sha256(plain(LOG)).hexdigest()
