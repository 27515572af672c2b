"""Bytes that are no UTF-8: what becomes of them, and that line numbers stay."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kvaudit.sources.encodings import decoder_of
from kvaudit.sources.lines import hit_lines
from tests.sources.reading import record_of, source_of, texts
from tests.sources.writers import ENCODINGS, LOG, plain


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if "NUL" not in name])
def test_line_numbers_are_those_of_the_original(encoding: str, tmp_path: Path) -> None:
    source = source_of(tmp_path, ENCODINGS[encoding](plain(LOG)))
    lines = {line.text: line.number for line in hit_lines(source)}
    assert source.lines == len(LOG)
    assert lines[LOG[10]] == 11


def test_utf_16_is_noted(tmp_path: Path) -> None:
    assert source_of(tmp_path, ENCODINGS["utf-16-be"](plain(LOG))).notes == ["read as utf-16-be"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_blocks_may_end_inside_a_character(size: int) -> None:
    raw = "█ GPU KV cache\n😀".encode("utf-16-le")
    decode, _ = decoder_of(b"\xff\xfe" + raw * 10)
    assert decode is not None
    stream = io.BytesIO(raw)
    decoded = b"".join(decode(block) for block in iter(lambda: stream.read(size), b"")) + decode(b"")
    assert decoded.decode() == "█ GPU KV cache\n😀"


def test_a_hole_is_noted_and_what_stands_behind_it_is_read(tmp_path: Path) -> None:
    data = plain(LOG[:4]) + b"\0" * 120_000 + plain(LOG)
    source = source_of(tmp_path, data)
    assert "holes of NUL bytes were skipped" in source.notes
    assert LOG[0] in texts(source)
    assert record_of(tmp_path / "server.log").value("kv_cache.tokens") == 393_216


def test_stray_bytes_are_replaced_and_noted(tmp_path: Path) -> None:
    data = plain(LOG).replace(b"Resolved architecture", b"\xff\xfeResolved \xc3architecture")
    source = source_of(tmp_path, data)
    assert any("no UTF-8" in note for note in source.notes)
    assert record_of(tmp_path / "server.log").value("kv_cache.tokens") == 393_216


def test_journal_bytes_that_are_no_bytes_stay_as_they_are(tmp_path: Path) -> None:
    entry = {"__REALTIME_TIMESTAMP": "1", "_PID": "7", "MESSAGE": [300, 1]}
    good = {"__REALTIME_TIMESTAMP": "1", "_PID": "7", "MESSAGE": list(b"GPU KV cache size: 16 tokens")}
    source = source_of(tmp_path, plain([json.dumps(entry), json.dumps(good)]))
    assert texts(source) == ["GPU KV cache size: 16 tokens"]
    assert [raw.number for raw in source.hits] == [2]


@pytest.mark.parametrize("numbers", ["1 2, 3", "18446744073709551616 150", "9" * 5_000, "300"])
def test_lists_that_hold_no_bytes_are_left_as_they_are(numbers: str, tmp_path: Path) -> None:
    line = f'{{"__CURSOR": "s=1", "_PID": "7", "MESSAGE": [{numbers}], "x": "GPU KV cache size"}}'
    source = source_of(tmp_path, plain([line]))
    assert source.head == line + "\n"
