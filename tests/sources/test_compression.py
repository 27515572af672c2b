"""Compressed files: damage names the file, and nothing unfolds without end."""

from __future__ import annotations

import io
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
