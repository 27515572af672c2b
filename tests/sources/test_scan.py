"""One pass: what is a hit, on which line, and how much of a huge line is kept."""

from __future__ import annotations

import hashlib
import io

import pytest

from kvaudit.sources import scan as scanning
from kvaudit.sources.scan import BLOCK_BYTES, Hints, Scanned, scan

HINTS = Hints((b"needle",), (b"tick ",))


def scanned(data: bytes) -> Scanned:
    return scan(io.BytesIO(data), HINTS)


def test_lines_are_counted_on_newlines_alone() -> None:
    found = scanned(b"a\rb\r\nneedle one\n\x0b\x0c\x1c\x85\nneedle two\n")
    assert found.lines == 4
    assert [(hit.number, hit.data) for hit in found.hits] == [(2, b"needle one"), (4, b"needle two")]


def test_a_last_line_without_newline_counts() -> None:
    assert scanned(b"x\nneedle").lines == 2
    assert scanned(b"x\nneedle\n").lines == 2
    assert scanned(b"").lines == 0


def test_size_and_hash_are_those_of_the_file() -> None:
    data = b"needle\n" * 10
    found = scanned(data)
    assert (found.size, found.sha256) == (70, hashlib.sha256(data).hexdigest())


def test_a_line_across_two_blocks_is_one_line() -> None:
    before = b"x" * 99 + b"\n"
    data = before * (BLOCK_BYTES // 100) + b"y" * 90 + b" needle at the border of the blocks\n" + b"z\n"
    found = scanned(data)
    assert [(hit.number, hit.data) for hit in found.hits] == [
        (BLOCK_BYTES // 100 + 1, b"y" * 90 + b" needle at the border of the blocks")
    ]


def test_a_line_with_two_hints_is_one_hit() -> None:
    assert len(scanned(b"needle and needle\n").hits) == 1


def test_of_a_huge_line_only_the_surroundings_are_kept_once() -> None:
    line = b"a" * 1_000_000 + b"needle" + b"b" * 100_000 + b"needle" + b"c" * 5_000_000 + b"needle"
    found = scanned(b"first\n" + line + b"\nlast\n")
    assert [hit.number for hit in found.hits] == [2, 2]
    assert found.lines == 3
    assert sum(hit.data.count(b"needle") for hit in found.hits) == 3
    assert all(len(hit.data) < 400_000 for hit in found.hits)


def test_periodic_lines_are_thinned_and_the_last_is_kept() -> None:
    data = b"".join(b"tick %d\n" % number for number in range(20_000))
    hits = scanned(data).hits
    assert 500 <= len(hits) < 5_000
    assert hits[-1].data == b"tick 19999"
    assert [hit.number for hit in hits] == sorted(hit.number for hit in hits)


def test_too_many_hits_are_said_to_be_cut_and_the_last_periodic_line_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "_MOST_HITS", 100)
    found = scanned(b"needle\n" * 150 + b"tick 1\n")
    assert (len(found.hits), found.truncated_hits) == (101, True)
    assert found.hits[-1].data == b"tick 1"


def test_holes_are_noticed_and_the_head_begins_behind_them() -> None:
    found = scanned(b"\0" * 100_000 + b"needle\n")
    assert found.holes
    assert found.head == b"needle\n"


def test_a_document_beyond_the_limit_is_not_kept() -> None:
    found = scanned((b"x" * 1023 + b"\n") * (1 << 15) + b"needle\n")
    assert found.data is None
    assert [hit.number for hit in found.hits] == [(1 << 15) + 1]
