"""Large inputs: Hyperscan finds what google-re2 finds, whatever the blocks, and a machine without it reads the same."""

from __future__ import annotations

import builtins
import io
import sys
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.sources import scan as scanning
from kvaudit.sources.counting import _counter, newlines
from kvaudit.sources.hints import Cursor, Hints
from kvaudit.sources.scan import Scanned, scan

HINTS = Hints((b"aba", b"bab", b"needle"), (b"tick ", b"ab tock"))


def read(data: bytes, monkeypatch: pytest.MonkeyPatch, large: int, block: int = 64, hints: Hints = HINTS) -> Scanned:
    monkeypatch.setattr(scanning, "LARGE", large)
    monkeypatch.setattr(scanning, "BLOCK_BYTES", block)
    return scan(io.BytesIO(data), hints)


def line_by_line(cursor: Cursor, step: int) -> list[int]:
    """What a reader gets who goes on `step` bytes behind each hit."""
    found, position = [], 0
    while (hit := cursor.after(position)) >= 0:
        found.append(hit)
        position = hit + step
    return found


@given(data=st.lists(st.sampled_from([b"a", b"b", b"needle", b"tick ", b" tock", b"\n", b"\0", b"\xff"]), max_size=60))
def test_both_scanners_find_the_same_places(data: list[bytes]) -> None:
    text = b"".join(data)
    bulk = HINTS.bulk()
    assert bulk is not None
    for step in (1, 3, 7):
        assert line_by_line(bulk.every(text, (0, len(text))), step) == line_by_line(HINTS.over(text), step)


@settings(deadline=None, max_examples=40)
@given(lines=st.lists(st.sampled_from([b"plain", b"needle", b"tick 1", b"abab tock", b"", b"x" * 90]), max_size=60))
def test_a_large_input_is_read_like_a_small_one(lines: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        data = b"\n".join(lines)
        small, large = read(data, patch, 1 << 20), read(data, patch, 10)
    assert (large.hits, large.lines, large.sha256, large.size) == (small.hits, small.lines, small.sha256, small.size)


def test_hits_between_two_offsets_are_those_of_the_whole() -> None:
    bulk = HINTS.bulk()
    assert bulk is not None
    assert line_by_line(bulk.every(b"needle needle needle", (7, 13)), 1) == [7]


def test_of_a_sample_every_slice_has_one_and_other_lines_have_all() -> None:
    data = b"tick 0\n" * 100 + b"needle\n" + b"tick 1\n" * 100
    bulk = HINTS.bulk()
    assert bulk is not None
    found = line_by_line(bulk.sampled(data, (0, len(data)), 70), 1)
    assert 700 in found  # the needle
    assert 693 in found  # the last line before it
    assert [one for one in found if one < 560] == [0, 70, 140, 210, 280, 350, 420, 490]
    assert line_by_line(bulk.sampled(data, (0, len(data)), 70, only_periodic=True), 1).count(700) == 0


@pytest.mark.parametrize("count", [20_000, 200_000])
def test_statistics_lines_of_a_large_input_are_sampled(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    start = b"needle begins\n"
    first = b"".join(b"tick %d\n" % number for number in range(count))
    data = start + first + start + first
    found = read(data, monkeypatch, 1 << 16, 1 << 16)
    numbers = [hit.number for hit in found.hits]
    assert numbers == sorted(set(numbers))
    assert found.lines == 2 * count + 2
    assert 500 <= len(numbers) < 8_500
    assert found.sampled
    kept = {hit.number: hit.data for hit in found.hits}
    assert [number for number, text in kept.items() if text == b"needle begins"] == [1, count + 2]
    assert kept[count + 1] == b"tick %d" % (count - 1)  # the last before the second start
    assert kept[2 * count + 2] == b"tick %d" % (count - 1)
    widest = max(after - before for before, after in pairwise(numbers))
    assert widest < count // 50


def test_too_many_hits_leave_the_last_statistics_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "_MOST_HITS", 100)
    found = read(b"needle\n" * 5_000 + b"tick 1\n" * 50, monkeypatch, 1 << 10, 1 << 10)
    assert found.truncated_hits
    assert len([hit for hit in found.hits if hit.data == b"needle"]) == 100
    assert found.hits[-1].data == b"tick 1"


def test_damage_met_in_the_middle_of_a_large_input_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 5_000:
                raise EOFError("cut off")
            return super().read(size)

    monkeypatch.setattr(scanning, "LARGE", 1 << 10)
    monkeypatch.setattr(scanning, "BLOCK_BYTES", 1 << 10)
    with pytest.raises(EOFError, match="cut off"):
        scan(Broken(b"needle\n" * 2_000), HINTS)


def test_without_hyperscan_a_large_input_is_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"needle\nplain\ntick 1\n" * 300
    wanted = read(data, monkeypatch, 1 << 20)
    plain_import = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "hyperscan":
            raise ImportError(name)
        return plain_import(name, *rest, **named)

    monkeypatch.delitem(sys.modules, "hyperscan", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    assert HINTS.bulk() is None
    assert read(data, monkeypatch, 100).hits == wanted.hits


@pytest.mark.parametrize("size", [0, 100, 1 << 14, 1 << 20])
def test_newlines_are_counted_alike_by_both_counters(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (b"\n" + b"x" * 6 + b"\n\xff\0") * (size // 10 + 1)
    wanted = data.count(b"\n", 3, size)
    assert newlines(data, 3, size) == wanted
    assert _counter() is not None
    monkeypatch.setattr("kvaudit.sources.counting._counter", lambda: None)
    assert newlines(data, 3, size) == wanted


def test_no_thread_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    before = threading.active_count()
    read(b"needle\n" * 1_000, monkeypatch, 100)
    assert threading.active_count() == before
