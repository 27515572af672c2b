"""Physical lines become records: three writers, ranks, launchers, wrappers, glued progress bars."""

from __future__ import annotations

import pytest

from kvaudit.parsers.tensorrt_llm.messages import Record, records
from kvaudit.sources.lines import Line


def read(text: str) -> list[Record]:
    return list(records(Line(7, text)))


@pytest.mark.parametrize(
    ("text", "writer", "rank", "level", "message"),
    [
        ("[03/14/2026-09:26:53] [TRT-LLM] [I] Use 2.05 GB", "python", None, "INFO", "Use 2.05 GB"),
        ("[03/14/2026-09:26:53] [TRT-LLM] [RANK 3] [W] slow", "python", 3, "WARNING", "slow"),
        ("[03/14/2026-09:26:53] [TRT-LLM] [MPI_Rank 1] [E] gone", "python", 1, "ERROR", "gone"),
        ("[03/14/2026-09:26:53] [TRT-LLM AUTO-DEPLOY] [RANK 0] [I] pages", "python", 0, "INFO", "pages"),
        ("[03/14/2026-09:26:53] [TRT-LLM] [I] [_torch] Use 2.05 GB", "python", None, "INFO", "Use 2.05 GB"),
        ("[03/14/2026-09:26:53] [TRT-LLM] [I] [Autotuner] starts", "python", None, "INFO", "[Autotuner] starts"),
        ("[TRT-LLM] [I] [batchmgr][RANK 2] Number of tokens", "native", 2, "INFO", "Number of tokens"),
        ("[TensorRT-LLM][INFO] Number of tokens", "native", None, "INFO", "Number of tokens"),
        ("[TensorRT-LLM][WARNING] [RANK 1] few", "native", 1, "WARNING", "few"),
        ("[TensorRT-LLM] TensorRT LLM version: 1.2.0", "banner", None, "", "TensorRT LLM version: 1.2.0"),
        ("I0505 03:10:14.909558 4734 server.cc:606] up", "triton", None, "INFO", "up"),
        ("W0417 08:21:43.803000 1 torch/utils/x.py:2422] no", "", None, "", "W0417 08:21:43.803000 1 torch/utils/x.py:2422] no"),
        ("INFO:     Application startup complete.", "server", None, "INFO", "Application startup complete."),
        ("Model init total -- 9.12s", "", None, "", "Model init total -- 9.12s"),
        (" 3: [TensorRT-LLM][INFO] Number of tokens", "native", 3, "INFO", "Number of tokens"),
        ("[1,5]<stderr>:[TensorRT-LLM][INFO] Number of tokens", "native", 5, "INFO", "Number of tokens"),
        ("> [TensorRT-LLM] TensorRT-LLM version: 0.9.0", "banner", None, "", "TensorRT-LLM version: 0.9.0"),
        ("trt-1  | Model init total -- 9.12s", "", None, "", "Model init total -- 9.12s"),
        ("2026-03-14T09:26:53.123456789Z Model init total -- 9.12s", "", None, "", "Model init total -- 9.12s"),
    ],
)
def test_one_line(text: str, writer: str, rank: int | None, level: str, message: str) -> None:
    (record,) = read(text)
    assert (record.writer, record.rank, record.level, record.message) == (writer, rank, level, message)
    assert text[record.position :].startswith(message)


def test_a_record_glued_to_a_progress_bar() -> None:
    bar = "Loading weights:   0%|          | 0/4 [00:00<?, ?it/s]"
    first, second = read(f"{bar}[03/14/2026-09:26:53] [TRT-LLM] [I] Use 2.05 GB")
    assert (first.message, second.message) == (bar, "Use 2.05 GB")


def test_carriage_returns_separate_records() -> None:
    first, second = read("Loading:   0%\r[TensorRT-LLM][INFO] Number of tokens per block: 32.")
    assert (first.message, second.message) == ("Loading:   0%", "Number of tokens per block: 32.")


def test_a_native_error_inside_another_message_is_not_torn_out() -> None:
    text = "[03/14/2026-09:26:53] [TRT-LLM] [E] Failed to initialize executor on rank 1: [TensorRT-LLM][ERROR] CUDA runtime error"
    (record,) = read(text)
    assert record.message == "Failed to initialize executor on rank 1: [TensorRT-LLM][ERROR] CUDA runtime error"
