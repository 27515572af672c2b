"""What became of a start: failures and their root cause, deaths, deliberate stops, logs that just end."""

from __future__ import annotations

import pytest

from kvaudit.parsers.facts import Start
from kvaudit.parsers.outcome import failure_class
from kvaudit.parsers.vllm.outcome import CLASSES, is_wrapper
from tests.parsers.engine_logs import values
from tests.parsers.vllm.logs import ENGINE_LINE, read_log, served, stamped

CORE, SERVER = "EngineCore pid=200", "APIServer pid=100"
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def log(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def begun(*more: str) -> str:
    return log(stamped("non-default args: {'model': 'acme/tiny-llama'}", SERVER), stamped(ENGINE_LINE, CORE), *more)


def only(start: Start, field: str) -> object:
    (value,) = values(start, field)
    return value


def test_a_log_that_just_ends_proves_nothing() -> None:
    (start,) = read_log(begun()).starts
    assert (start.ready, start.outcome, start.cause) == (None, "unknown", None)
    assert values(start, "engine.ready") == []


def test_the_root_cause_wins_over_the_wrapper() -> None:
    text = begun(
        stamped("EngineCore failed to start.", CORE, "ERROR"),
        stamped("Traceback (most recent call last):", CORE, "ERROR"),
        stamped(OUT_OF_MEMORY, CORE, "ERROR"),
        f"({SERVER}) RuntimeError: Engine core initialization failed. See root cause above.",
    )
    (start,) = read_log(text).starts
    assert (start.ready, start.outcome, start.cause) == (False, "failed: out of memory", OUT_OF_MEMORY)
    assert only(start, "engine.ready") is False
    assert only(start, "engine.failure") == OUT_OF_MEMORY
    assert only(start, "engine.platform") == "cuda"


def test_the_workers_own_error_wins_over_what_the_engine_says_of_it() -> None:
    text = begun(
        stamped("WorkerProc failed to start.", "Worker_TP0 pid=201", "ERROR"),
        stamped("ValueError: too small", "Worker_TP0 pid=201", "ERROR"),
        stamped("EngineCore failed to start.", CORE, "ERROR"),
        stamped("Exception: WorkerProc initialization failed due to an exception in a background process.", CORE, "ERROR"),
    )
    (start,) = read_log(text).starts
    assert start.cause == "ValueError: too small"


def test_an_uncaught_exception_that_ends_the_log_is_a_failure() -> None:
    text = begun(
        "Traceback (most recent call last):",
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig",
        "  Value error, User-specified max_model_len (8192) is greater than the derived max_model_len (4096)",
    )
    (start,) = read_log(text).starts
    assert (start.ready, start.outcome) == (False, "failed: context length refused")


def test_noise_before_the_engine_goes_on_is_no_failure() -> None:
    text = begun(
        "AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'",
        stamped("Starting to load model acme/tiny-llama...", CORE),
    )
    (start,) = read_log(text).starts
    assert start.ready is None


def test_noise_is_no_failure_even_if_what_follows_holds_no_value() -> None:
    text = begun(
        "AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'",
        stamped("Warming up chat template processing...", SERVER),
    )
    (start,) = read_log(text).starts
    assert start.ready is None


def test_a_script_that_printed_on_after_an_exception_did_not_fail() -> None:
    (start,) = read_log(begun("ValueError: one bad row", *(f"row {number}" for number in range(100)))).starts
    assert start.ready is None


def test_a_restart_loop_counts_every_failed_start() -> None:
    crash = begun("Traceback (most recent call last):", "ValueError: User-specified max_model_len (8192) is too long")
    starts = read_log(crash * 40).starts
    assert [start.outcome for start in starts] == ["failed: context length refused"] * 40
    assert [start.first_line for start in starts] == [1 + 4 * number for number in range(40)]


def test_an_engine_killed_while_serving() -> None:
    text = served(100, 200) + log(
        stamped("EngineCore encountered a fatal error.", CORE, "ERROR"),
        stamped("RuntimeError: CUDA error: an illegal memory access was encountered", CORE, "ERROR"),
        stamped("AsyncLLM output_handler failed.", SERVER, "ERROR"),
        f"({SERVER}) INFO:     Shutting down",
    )
    (start,) = read_log(text).starts
    assert (start.ready, start.outcome) == (True, "ready, then died")
    assert start.cause == "RuntimeError: CUDA error: an illegal memory access was encountered"
    assert [note["code"] for value in values(start, "engine.notices") for note in value] == ["died-while-serving"]


@pytest.mark.parametrize(
    "stop",
    [
        stamped("[shutdown] API server: shutdown triggered", SERVER),
        stamped("[shutdown] EngineCore: trigger received signal=SIGTERM", CORE),
        stamped("Shutting down FastAPI HTTP server.", SERVER),
        f"({SERVER}) INFO:     Shutting down",
        "KeyboardInterrupt: terminated",
    ],
)
def test_errors_after_a_deliberate_stop_are_no_failure(stop: str) -> None:
    text = served(100, 200) + log(
        stop,
        stamped("AsyncLLM output_handler failed.", SERVER, "ERROR"),
        stamped("vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.", SERVER, "ERROR"),
    )
    (start,) = read_log(text).starts
    assert (start.ready, start.outcome) == (True, "ready")
    assert values(start, "engine.failure") == []


def test_an_error_of_one_request_is_no_failure() -> None:
    text = served(100, 200) + log(
        stamped("Error in preprocessing prompt inputs", SERVER, "ERROR"),
        stamped("ValueError: The decoder prompt is longer than the maximum model length of 8192.", SERVER, "ERROR"),
    )
    (start,) = read_log(text).starts
    assert start.outcome == "ready"
    assert values(start, "engine.failure") == []


def test_a_start_without_its_beginning_that_died_may_have_served() -> None:
    text = log(
        stamped("GPU KV cache size: 2,048 tokens", CORE),
        stamped("Worker proc VllmWorker-0 died unexpectedly, shutting down executor.", CORE, "ERROR"),
    )
    (start,) = read_log(text).starts
    assert start.ready is None
    assert start.outcome.startswith("died: ")


def test_secrets_in_a_cause_are_masked() -> None:
    text = begun(
        stamped("EngineCore failed to start.", CORE, "ERROR"),
        stamped("OSError: refused for token hf_abcdefghijklmnopqrstuv", CORE, "ERROR"),
    )
    (start,) = read_log(text).starts
    assert start.cause == "OSError: refused for token <secret-1>"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (OUT_OF_MEMORY, "out of memory"),
        ("OSError: [Errno 98] Address already in use", "address in use"),
        ("ValueError: No available memory for the cache blocks.", "not enough KV memory"),
        ("TypeError: type 'array.array' is not subscriptable", "TypeError"),
        ("importlib.metadata.PackageNotFoundError: nothing", "PackageNotFoundError"),
        ("", "no cause printed"),
    ],
)
def test_failure_classes(text: str, name: str) -> None:
    assert failure_class(text, CLASSES) == name


def test_wrappers_are_known() -> None:
    assert is_wrapper("RuntimeError: Engine core initialization failed. See root cause above.")
    assert not is_wrapper(OUT_OF_MEMORY)
