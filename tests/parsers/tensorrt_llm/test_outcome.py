"""What became of a start, and the first root cause."""

from __future__ import annotations

import pytest

from tests.parsers.engine_logs import codes, values
from tests.parsers.tensorrt_llm.logs import BACKEND, BANNER, LOADED, only_start, python, served

FORWARD = python(
    "Encountered an error in forward function: The max KV cache length (3646) exceeds the supported length (2049).", "E"
)
SIGNAL = "[node-7:1722 :0:1777] Caught signal 11 (Segmentation fault: address not mapped to object at address 0xffffffffb5a481b0)"


def test_a_server_that_died_while_serving() -> None:
    start = only_start(*served(), FORWARD, SIGNAL)
    cause = "The max KV cache length (3646) exceeds the supported length (2049)."
    assert (start.ready, start.outcome, start.cause) == (True, "ready, then died", cause)
    assert values(start, "engine.ready") == [True]
    assert values(start, "engine.failure") == [cause]
    assert codes(start) == ["died-while-serving"]


def test_an_error_of_a_request_is_no_death() -> None:
    start = only_start(*served(), FORWARD, "ValueError: prompt is too long")
    assert (start.ready, start.outcome, start.cause) == (True, "ready", None)


def test_a_death_after_a_stop_is_none() -> None:
    start = only_start(*served(), "INFO:     Shutting down", SIGNAL)
    assert (start.ready, start.outcome) == (True, "ready")


def test_the_cause_stands_behind_the_rank() -> None:
    error = (
        "Failed to initialize executor on rank 1: [TensorRT-LLM][ERROR] CUDA runtime error in ::cudaFree(ptr): an illegal access"
    )
    start = only_start(
        BANNER,
        BACKEND,
        LOADED,
        python(error, "E"),
        python("Traceback (most recent call last):", "E"),
        "RuntimeError: [TensorRT-LLM][ERROR] CUDA runtime error in ::cudaFree(ptr): an illegal access",
        python("Executor worker died during initialization.", "E"),
    )
    assert start.ready is False
    assert start.outcome == "failed: CUDA error"
    assert start.cause == "[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaFree(ptr): an illegal access"


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (
            [python("Failed to parse the arguments for the LLM constructor: 1 validation error for TrtLlmArgs", "E")],
            "bad arguments",
        ),
        (["RuntimeError: Executor creation failed due to insufficient GPU memory."], "out of memory"),
        (["Traceback (most recent call last):", "torch.OutOfMemoryError: CUDA out of memory."], "out of memory"),
        (["Traceback (most recent call last):", "KeyError: 'atlas'"], "KeyError"),
    ],
)
def test_failures_before_ready(lines: list[str], outcome: str) -> None:
    start = only_start(BANNER, BACKEND, *lines)
    assert (start.ready, start.outcome) == (False, f"failed: {outcome}")


def test_an_exception_that_the_engine_survived_is_no_failure() -> None:
    start = only_start(BANNER, BACKEND, "ImportError: no optional plugin", python("Use 14.98 GB for model weights."))
    assert (start.ready, start.outcome) == (None, "unknown")


def test_a_log_that_just_ends_proves_nothing() -> None:
    start = only_start(*served()[:-2])
    assert (start.ready, start.outcome) == (None, "unknown")
    assert values(start, "engine.ready") == []


@pytest.mark.parametrize(("percent", "ready"), [(0, None), (100, True)])
def test_an_offline_run_is_ready_once_it_processed_requests(percent: int, ready: bool | None) -> None:
    start = only_start(BANNER, f"Processed requests: {percent}%|█| 1/4 [00:01<00:00,  2.10it/s]")
    assert start.ready is ready


def test_how_far_the_start_got() -> None:
    assert values(only_start(*served()), "clue.log_reached") == ["weights", "capacity", "ready"]
    assert values(only_start(*served()[:6]), "clue.log_reached") == ["weights"]
