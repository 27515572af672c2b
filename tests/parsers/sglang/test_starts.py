"""Starts, their outcomes and causes: restarts, deliberate stops, crashes, logs that just end, versions of containers."""

from __future__ import annotations

import pytest

from tests.parsers.engine_logs import values
from tests.parsers.sglang.logs import READY, arguments, only_start, read_log, served, stamped

BANNER = ["== SGLang ==", "NVIDIA Release 26.05 (build 123456789)", "SGLang Version 0.5.11+1a2b3c4d"]
TRACEBACK = [
    stamped("Scheduler hit an exception: Traceback (most recent call last):", "TP1"),
    '  File "/usr/lib/python3/dist-packages/sglang/srt/managers/scheduler.py", line 9, in run_scheduler_process',
    "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
    "",
    stamped("Received sigquit from a child process. It usually means the child failed."),
]
CAUSE = TRACEBACK[2]


def test_one_start_counts_once() -> None:
    reading = read_log(*served())
    (start,) = reading.starts
    assert (start.ready, start.outcome, start.first_line, start.last_line) == (True, "ready", 1, 12)
    assert [fact.value for fact in reading.facts if fact.field in ("engine.name", "engine.starts")] == ["sglang", 1]
    assert values(start, "clue.log_reached") == ["arguments", "weights", "capacity", "ready"]


def test_a_failed_start_and_its_successor() -> None:
    first, second = read_log(*served()[:3], *TRACEBACK, *served(tokens=65_536, model_path="acme/other")).starts
    assert (first.ready, first.outcome, first.cause) == (False, "failed before it was ready", CAUSE)
    assert (first.first_line, first.last_line) == (1, 8)
    assert (second.ready, second.first_line) == (True, 9)
    assert values(first, "engine.failure") == [CAUSE]
    assert values(first, "kv_cache.tokens") == []
    assert values(second, "model.path") == ["acme/other"]
    assert values(second, "engine.failure") == []


def test_a_banner_begins_the_start_whose_arguments_follow() -> None:
    first, second = read_log(*BANNER, *served(), *BANNER, *served()).starts
    assert (first.last_line, second.first_line) == (15, 16)
    assert values(second, "engine.version") == ["0.5.11+1a2b3c4d"]
    assert values(second, "engine.build") == ["26.05 (build 123456789)"]


def test_arguments_that_are_printed_twice_are_one_start() -> None:
    assert only_start(arguments(), arguments(), *served()[1:]).ready


def test_ready_lines_of_several_tokenizers_are_one_start() -> None:
    assert len(read_log(*served(), READY, READY).starts) == 1


@pytest.mark.parametrize(
    ("folder", "version"), [("/usr/lib/python3/dist-packages/", ["0.5.11+1a2b3c4d"]), ("/workspace/fork/python/", [])]
)
def test_a_container_says_no_version_of_another_source_tree(folder: str, version: list[str]) -> None:
    warning = f"{folder}sglang/launch_server.py:54: UserWarning: 'python -m sglang.launch_server' is still supported"
    assert values(only_start(*BANNER, warning, *served()), "engine.version") == version


def test_a_log_that_just_ends_proves_nothing() -> None:
    start = only_start(*served()[:-1])
    assert (start.ready, start.outcome) == (None, "unknown")
    assert values(start, "engine.ready") == []


@pytest.mark.parametrize(
    "line",
    [
        stamped("SIGTERM received. signum=None frame=None. Draining requests and shutting down..."),
        "KeyboardInterrupt",
        "/usr/lib/python3/multiprocessing/resource_tracker.py:279: UserWarning: resource_tracker: There appear to be 1 leaked "
        "semaphore objects to clean up at shutdown",
    ],
)
def test_a_stop_before_ready(line: str) -> None:
    start = only_start(
        *served()[:7], line, stamped("SIGQUIT received. signum=None, frame=None. It usually means one child failed.")
    )
    assert (start.ready, start.outcome, start.cause) == (False, "stopped before it was ready", None)
    assert values(start, "engine.failure") == []


@pytest.mark.parametrize(
    "stop",
    [
        [stamped("SIGTERM received. signum=None frame=None. Draining requests and shutting down...")],
        [stamped("Subprocess scheduler_0 (pid=42) crashed with exit code -15. Triggering SIGQUIT for cleanup...")],
    ],
)
def test_noise_after_a_deliberate_stop_is_no_death(stop: list[str]) -> None:
    noise = [
        stamped("Subprocess detokenizer (pid=43) crashed with exit code -9. Triggering SIGQUIT for cleanup..."),
        stamped("SIGQUIT received. signum=None, frame=None. It usually means one child failed."),
        "psutil.NoSuchProcess: process no longer exists (pid=43)",
    ]
    start = only_start(*served(), *stop, *noise)
    assert (start.ready, start.outcome) == (True, "ready")
    assert values(start, "engine.notices") == []


def test_a_scheduler_that_is_killed_while_serving() -> None:
    line = "Subprocess scheduler_0 (pid=42) crashed with exit code -9. Triggering SIGQUIT for cleanup..."
    start = only_start(*served(), stamped(line))
    assert (start.ready, start.outcome, start.cause) == (True, "ready, then died", line)
    assert [notice[0]["code"] for notice in values(start, "engine.notices")] == ["died-while-serving"]


def test_a_crash_below_python_names_its_first_cause() -> None:
    cause = "Callback: Queue 0x7a1f aborting with error : HSA_STATUS_ERROR_EXCEPTION: An operation failed. code: 0x1016"
    start = only_start(
        *served(),
        cause,
        "Fatal Python error: Aborted",
        stamped("Subprocess scheduler_0 (pid=42) crashed with exit code -6. Triggering SIGQUIT for cleanup..."),
    )
    assert (start.outcome, start.cause) == ("ready, then died", cause)


def test_the_root_cause_is_the_first_exception_behind_the_first_sign() -> None:
    start = only_start(
        *served()[:6],
        *TRACEBACK[:2],
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "During handling of the above exception, another exception occurred:",
        "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 2.00 GiB.",
        TRACEBACK[4],
        "RuntimeError: Rank 0 scheduler is dead. Please check if there are relevant logs.",
    )
    assert start.cause == "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def test_an_exception_of_the_main_process_that_ends_the_log() -> None:
    start = only_start(arguments(), "Traceback (most recent call last):", "ValueError: The model has no such thing.")
    assert (start.ready, start.cause) == (False, "ValueError: The model has no such thing.")


def test_an_exception_that_the_engine_survived_is_no_failure() -> None:
    start = only_start(arguments(), "ImportError: cannot import name 'x'", *served()[1:4])
    assert (start.ready, start.outcome) == (None, "unknown")


def test_unknown_options_end_a_launch() -> None:
    reading = read_log(*served(), "launch_server.py: error: unrecognized arguments: --no-such-flag")
    assert [(start.ready, start.cause) for start in reading.starts] == [
        (True, None),
        (False, "launch_server.py: error: unrecognized arguments: --no-such-flag"),
    ]


def test_decode_lines_of_a_log_without_a_head_prove_serving() -> None:
    batch = "Decode batch. #running-req: 3, #token: 900, token usage: 0.01, gen throughput (token/s): 90.0, #queue-req: 0"
    assert only_start(stamped(batch, "TP0")).ready


def test_the_revision_that_was_loaded_is_known_for_the_served_model_only() -> None:
    sha = "0123456789abcdef0123456789abcdef01234567"
    line = "Found local HF snapshot for {} at /srv/hub/models--x/snapshots/{}; skipping download."
    start = only_start(arguments(), stamped(line.format("acme/drafter", "f" * 40)), stamped(line.format("acme/tiny-llama", sha)))
    assert values(start, "model.revision", "resolved") == [sha]


def test_a_worker_that_turns_the_radix_cache_off_beats_the_arguments() -> None:
    start = only_start(arguments(), stamped("Hybrid GDN model detected, disable radix cache", "TP0"))
    assert values(start, "kv_cache.prefix_caching") == [False]
    assert [notice[0]["code"] for notice in values(start, "engine.notices")] == ["prefix-caching-forced-off"]


def test_secrets_stay_out_of_causes_and_notices() -> None:
    made_up = "hf_fixtureAbCdEfGhIjKlMnOpQr"
    start = only_start(arguments(), *TRACEBACK[:2], f"OSError: token {made_up} is not allowed", TRACEBACK[4])
    assert made_up not in str(start.cause)
    assert all(made_up not in str(fact.value) for fact in start.facts if fact.field != "run.args")
