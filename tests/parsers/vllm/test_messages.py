"""Physical lines become records: prefixes, glued stamps, carriage returns, uvicorn, JSON lines."""

from __future__ import annotations

import pytest

from kvaudit.parsers.vllm.messages import Record, records
from kvaudit.parsers.vllm.processes import Process
from kvaudit.sources.lines import Line


def only(text: str) -> Record:
    found = list(records(Line(7, text)))
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "process", "file"),
    [
        ("INFO 05-01 12:00:00 llm_engine.py:100] Hello", None, "llm_engine.py"),
        ("INFO 05-01 12:00:00 [cuda.py:215] Hello", None, "cuda.py"),
        ("(EngineCore pid=31) INFO 05-01 12:00:00 [v1/engine/core.py:5] Hello", Process("EngineCore", 31), "v1/engine/core.py"),
        ("(VllmWorker rank=3 pid=31) INFO 05-01 12:00:00 [a.py:5] Hello", Process("VllmWorker rank=3", 31), "a.py"),
        ("(RayWorkerWrapper pid=9, ip=10.0.0.2) INFO 05-01 12:00:00 a.py:5] Hello", Process("RayWorkerWrapper", 9), "a.py"),
        ("(pid=9, ip=10.0.0.2) INFO 05-01 12:00:00 [a.py:5] Hello", Process("", 9), "a.py"),
        ("(Actor pid=1) (EngineCore_DP0 pid=2) INFO 05-01 12:00:00 [a.py:5] Hello", Process("EngineCore_DP0", 2), "a.py"),
        ("2026-05-01T10:00:00.123Z (APIServer pid=1) INFO 05-01 12:00:00 [a.py:5] Hello", Process("APIServer", 1), "a.py"),
        ("web-1  | (APIServer pid=1) INFO 05-01 12:00:00 [a.py:5] Hello", Process("APIServer", 1), "a.py"),
        (".INFO 05-01 12:00:00 a.py:5] Hello", None, "a.py"),
    ],
)
def test_prefix_shapes_of_every_era(text: str, process: Process | None, file: str) -> None:
    record = only(text)
    assert (record.message, record.process, record.file) == ("Hello", process, file)
    assert record.line[record.position :] == "Hello"
    assert record.stamped


def test_a_stamp_glued_behind_a_progress_bar() -> None:
    bar = "Capturing CUDA graphs (decode, FULL):  75%|███████▌  | 3/4 [00:01<00:00,  2.10it/s]"
    found = list(records(Line(1, f"{bar}(Worker_TP3 pid=44) INFO 05-01 12:00:00 [a.py:5] Hello")))
    assert [record.message for record in found][-1] == "Hello"
    assert found[-1].process == Process("Worker_TP3", 44)


def test_two_records_on_one_physical_line() -> None:
    text = "(A pid=1) INFO 05-01 12:00:00 [a.py:5] One(B pid=2) WARNING 05-01 12:00:01 [b.py:6] Two"
    assert [(record.message.split("(")[0], record.level) for record in records(Line(1, text))] == [
        ("One", "INFO"),
        ("Two", "WARNING"),
    ]


def test_carriage_returns_separate_segments_and_keep_positions() -> None:
    text = "Processed prompts:   0%|  | 0/4\rProcessed prompts: 100%|██| 4/4\rINFO 05-01 12:00:00 [a.py:5] Hello\r"
    found = list(records(Line(3, text)))
    assert [record.message for record in found][-1] == "Hello"
    assert all(text[record.position :].startswith(record.message[:8]) for record in found)


@pytest.mark.parametrize(
    "text",
    [
        "INFO:     Application startup complete.",
        "(APIServer pid=8) INFO:     Application startup complete.",
        "gateway-1  | INFO:     Application startup complete.",
        "Feb 22 06:55:47 host python3[16]: (APIServer pid=16) INFO:     Application startup complete.",
    ],
)
def test_uvicorn_lines(text: str) -> None:
    record = only(text)
    assert (record.message, record.level, record.stamped) == ("Application startup complete.", "INFO", False)


def test_a_traceback_line_behind_a_journal_prefix() -> None:
    record = only("Feb 22 06:55:47 host python3[16]: (APIServer pid=16) RuntimeError: gone")
    assert (record.message, record.process) == ("RuntimeError: gone", Process("APIServer", 16))


def test_what_clients_sent_is_left_out() -> None:
    text = "INFO 05-01 12:00:00 logger.py:39] Received request a: prompt: 'GPU KV cache size: 1 tokens'"
    assert not list(records(Line(1, text)))


def test_rays_folding_mark_is_not_part_of_the_message() -> None:
    text = "(pid=7, ip=10.0.0.2) INFO 05-01 12:00:00 [a.py:5] Hello [repeated 15x across cluster] (Ray deduplicates logs)"
    assert only(text).message == "Hello"


def test_json_lines() -> None:
    record = only(
        '{"asctime": "2026-05-01 12:00:00", "levelname": "INFO", "name": "vllm", "processName": "EngineCore", '
        '"process": 31, "message": "Hello"}'
    )
    assert (record.message, record.process, record.level, record.stamped) == ("Hello", Process("EngineCore", 31), "INFO", True)


@pytest.mark.parametrize("text", ['{"message": 3, "levelname": "INFO"}', "{not json", "[" * 3000, '{"levelname": "INFO"}', ""])
def test_odd_json_is_no_crash(text: str) -> None:
    list(records(Line(1, text)))


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("Worker_TP1", "TP1"),
        ("Worker_DP0_EP3", "DP0 EP3"),
        ("VllmWorker rank=2", "rank 2"),
        ("VllmWorker-1", "rank 1"),
        ("EngineCore_DP4", "DP4"),
        ("EngineCore", None),
        ("EngineCore_0", None),
        ("VllmWorkerProcess", "pid 5"),
        ("APIServer", None),
        ("MainProcess", None),
    ],
)
def test_the_rank_a_process_speaks_for(name: str, scope: str | None) -> None:
    assert Process(name, 5).scope == scope
