"""Lines that a wrapper cut into records are read as one, whatever lies between, and keep their first line's number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kvaudit.sources import scan as scanning
from kvaudit.sources.lines import hit_lines
from tests.sources.reading import record_of, source_of, texts
from tests.sources.writers import CORE, LOG, Writer, cri, docker, plain, stamped

LONG = stamped(
    CORE,
    "Initializing a V1 LLM engine (v0.21.0) with config: model='acme/otter-8b', max_seq_len=16384, kv_cache_dtype=fp8_e4m3, "
    f"additional_config={{'labels': '{'otter ' * 12_000}'}}, seed=77, enable_prefix_caching=True",
)


def _journald(lines: list[str], limit: int = 48 * 1024) -> bytes:
    """journald cuts a stream's line at 48 KiB and begins a new entry."""
    parts = [line[start : start + limit] for line in lines for start in range(0, len(line), limit)]
    return plain([f"May 17 11:42:07 bench-host vllm[4711]: {part}" for part in parts])


def _journald_json(lines: list[str], limit: int = 48 * 1024) -> bytes:
    out = []
    for line in lines:
        for start in range(0, len(line), limit):
            entry = {"__REALTIME_TIMESTAMP": "1", "_PID": "4711", "MESSAGE": line[start : start + limit]}
            if start + limit < len(line):
                entry["_LINE_BREAK"] = "line-max"
            out.append(json.dumps(entry))
    return plain(out)


CUTTERS: dict[str, tuple[Writer, int]] = {
    "docker": (docker, 5),
    "cri": (lambda lines: cri(lines, limit=16 * 1024), 9),
    "journald": (_journald, 2),
    "journald json": (_journald_json, 2),
}


@pytest.mark.parametrize("wrapper", CUTTERS)
def test_a_cut_line_is_one_line_with_the_number_of_its_first_record(wrapper: str, tmp_path: Path) -> None:
    write, records = CUTTERS[wrapper]
    source = source_of(tmp_path, write(["first", LONG, LOG[10]]))
    lines = [(line.number, line.text) for line in hit_lines(source) if line.text != "GET /metrics"]
    assert lines == [(2, LONG), (2 + records, LOG[10])]


@pytest.mark.parametrize("wrapper", CUTTERS)
@pytest.mark.parametrize("block", [50_001, 70_003, 120_007])
def test_blocks_may_end_between_the_records(wrapper: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "BLOCK_BYTES", block)
    source = source_of(tmp_path, CUTTERS[wrapper][0]([*LOG[:6], LONG, *LOG[7:]]))
    assert LONG in texts(source)
    record = record_of(tmp_path / "server.log")
    assert record.value("run.seed") == 77
    assert record.value("kv_cache.tokens") == 393_216


def test_a_record_that_is_never_ended_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    lines = docker([LONG]).splitlines(keepends=True)
    source = source_of(tmp_path, b"".join(lines[:2]))
    assert texts(source) == [LONG[: 2 * 16 * 1024]]


def test_progress_bars_without_newline_are_no_endless_line(tmp_path: Path) -> None:
    bars = [json.dumps({"log": f"Loading: {number}%\r", "stream": "stderr", "time": "2026"}) for number in range(5_000)]
    after = json.dumps({"log": f"{LOG[10]}\n", "stream": "stderr", "time": "2026"})
    source = source_of(tmp_path, plain([*bars, after]))
    (line,) = hit_lines(source)
    assert line.text.endswith(LOG[10])
    assert line.number > 4_700


def test_colours_cut_between_two_records_go_too(tmp_path: Path) -> None:
    coloured = f"\x1b[0;36m(EngineCore pid=7)\x1b[0;0m {'x' * 200} GPU KV cache size: 16 tokens"
    cut = coloured.index("\x1b[0;0m") + 3
    parts = [coloured[:cut], f"{coloured[cut:]}\n"]
    source = source_of(tmp_path, plain([json.dumps({"log": part, "stream": "stderr", "time": "2026"}) for part in parts]))
    assert texts(source) == [f"(EngineCore pid=7) {'x' * 200} GPU KV cache size: 16 tokens"]
