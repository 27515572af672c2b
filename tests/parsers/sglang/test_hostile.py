"""Damaged and hostile lines: nothing raises, nothing takes long, and what cannot be a number is no value."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.parsers.sglang.parser import SglangLog
from tests.parsers.sglang.logs import read_log, served, source_of, stamped

DIGITS = "9" * 400


@pytest.mark.parametrize(
    "line",
    [
        stamped("KV Cache is allocated. #tokens: 5, KV size: ...... GB"),
        stamped(f"KV Cache is allocated. #tokens: 5, KV size: {DIGITS} GB"),
        stamped(f"KV Cache is allocated. #tokens: {DIGITS}, KV size: 1.00 GB"),
        stamped("Load weight begin. avail mem=1.2.3 GB"),
        stamped(f"max_total_num_tokens={DIGITS}, max_prefill_tokens=1, max_running_requests=1, context_len=1"),
        stamped(f"Subprocess scheduler_0 (pid=1) crashed with exit code -{DIGITS}. Triggering SIGQUIT for cleanup..."),
        stamped("Capture cuda graph bs [, , ,]"),
    ],
)
def test_what_is_no_number_is_no_value(line: str) -> None:
    facts = [fact for start in read_log(line).starts for fact in start.facts]
    assert [fact.field for fact in facts if fact.field.startswith(("kv_cache.", "memory.", "scheduler.", "graphs."))] == []


@pytest.mark.parametrize(
    "text",
    [
        "server_args=" + "ServerArgs(" * 20_000,
        "server_args={" + "'a':{" * 20_000,
        '{"log": "' + "[" * 100_000 + '"}',
        "[2026-01-01 00:00:00] " * 20_000,
        "x | " * 50_000 + "KV Cache is allocated. 5",
        "Prefill batch, #new-seq: 1, #new-token: " + "9" * 50_000,
        "\0" * 1_000 + "\x1b[0m" * 1_000 + "server_args=",
    ],
)
def test_huge_lines_are_read_in_no_time(text: str) -> None:
    begin = time.monotonic()
    source = source_of(text + "\n")
    parser = SglangLog()
    parser.recognises(source)
    parser.read(source)
    assert time.monotonic() - begin < 5


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2_000), st.integers(0, 400), st.text(alphabet="[]{}()='\",: \r\n\x1b0T", max_size=40))
def test_a_damaged_log_never_raises(at: int, length: int, put: str) -> None:
    text = "\n".join(served())
    damaged = text[:at] + put + text[at + length :]
    assert SglangLog().read(source_of(damaged)).starts
