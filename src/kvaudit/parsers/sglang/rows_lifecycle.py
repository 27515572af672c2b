"""Markers of a start's life: arguments, ready, shutdown, failure. Pure data; the code reads them by name."""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker(
        "arguments",
        b"server_args=",
        r"^server_args=(?P<body>(?:ServerArgs\(|\{).*)$",
        "server_args=ServerArgs(model_path='acme/tiny-llama', kv_cache_dtype='auto', tp_size=1)",
    ),
    marker("banner", b"== SGLang ==", r"^== SGLang ==\s*$", "== SGLang =="),
    marker(
        "launch-path",
        b"launch_server.py:",
        r"^(?P<path>\S*/)sglang/launch_server\.py:\d+: ",
        "/usr/lib/python3/dist-packages/sglang/launch_server.py:54: UserWarning: 'python -m sglang.launch_server' is still used",
    ),
    marker(
        "ready",
        b"fired up and ready to roll",
        r"^The server is fired up and ready to roll!",
        "The server is fired up and ready to roll!",
    ),
    marker(
        "stopped",
        b"SIGTERM received",
        r"^SIGTERM received\b",
        "SIGTERM received. signum=None frame=None. Draining requests and shutting down...",
    ),
    marker(
        "stopped",
        b"Signal SIGTERM received",
        r"^Signal SIGTERM received",
        "Signal SIGTERM received while force shutdown flag set. Force exiting...",
    ),
    marker("stopped", b"KeyboardInterrupt", r"^KeyboardInterrupt\s*$", "KeyboardInterrupt"),
    marker("stopped", b"Shutting down", r"^Shutting down\s*$", "Shutting down"),
    marker(
        "stopped",
        b"leaked semaphore objects to clean up at shutdown",
        r"resource_tracker: There appear to be \d+ leaked semaphore",
        "/usr/lib/python3/multiprocessing/resource_tracker.py:279: UserWarning: resource_tracker: There appear to be 1 leaked "
        "semaphore objects to clean up at shutdown",
    ),
    marker(
        "subprocess-exit",
        b"crashed with exit code ",
        r"^Subprocess (?P<name>\S+) \(pid=\d+\) crashed with exit code (?P<code>-?\d+)",
        "Subprocess scheduler_0 (pid=4101) crashed with exit code -9. Triggering SIGQUIT for cleanup...",
    ),
    marker(
        "subprocess-exit",
        b"unexpectedly failed with an exit code",
        r"^Child process unexpectedly failed with an exit code (?P<code>-?\d+)",
        "Child process unexpectedly failed with an exit code 9. pid=4101",
    ),
    marker(
        "child-failed",
        b"igquit from a child process",
        r"^Received sigquit from a child process",
        "Received sigquit from a child process. It usually means the child failed.",
    ),
    marker(
        "child-failed",
        b"SIGQUIT received",
        r"^SIGQUIT received\b",
        "SIGQUIT received. signum=None, frame=None. It usually means one child failed.",
    ),
    marker(
        "scheduler-died",
        b" hit an exception",
        r"^(?:Scheduler|DetokenizerManager|TokenizerManager|DataParallelController|TpModelWorkerClient|\w+) hit an exception: ",
        "Scheduler hit an exception: Traceback (most recent call last):",
    ),
    marker(
        "scheduler-died",
        b" scheduler is dead",
        r"^(?:Rank|Node) \d+ scheduler is dead",
        "Rank 0 scheduler is dead. Please check if there are relevant logs.",
    ),
    marker(
        "warmup-failed",
        b"Initialization failed. warmup error",
        r"^Initialization failed\. warmup error",
        "Initialization failed. warmup error: Traceback (most recent call last):",
    ),
    marker(
        "watchdog",
        b"atchdog timeout",
        r"(?:^|\s)[Ww]atchdog timeout \(",
        "Watchdog timeout (self.watchdog_timeout=300)",
    ),
    marker(
        "native-crash",
        b"borting with error : ",
        r"[Aa]borting with error : (?P<what>\w+.*)$",
        ":0:rocdevice.cpp :3586: 1632 us: Callback: Queue 0x7a1f aborting with error : HSA_STATUS_ERROR_EXCEPTION: An operation "
        "resulted in a hardware exception. code: 0x1016",
    ),
    marker("native-crash", b"Fatal Python error: ", r"^Fatal Python error: (?P<what>\w.*)$", "Fatal Python error: Aborted"),
    marker(
        "native-crash",
        b"Memory access fault by GPU",
        r"^Memory access fault by GPU (?P<what>.*)$",
        "Memory access fault by GPU node-2 (Agent handle: 0x55) on address 0x7f00. Reason: Unknown.",
    ),
    marker(
        "native-crash",
        b"Watchdog caught collective operation timeout",
        r"^(?:\[rank\d+\]:\[.*\] )?\[(?:PG .*)?Rank \d+\] (?P<what>Watchdog caught collective operation timeout.*)$",
        "[rank0]:[E603 18:30:41.04 ProcessGroupNCCL.cpp:683] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL()",
    ),
    marker(
        "argument-error",
        b": error: ",
        r"^(?:launch_server\.py|sglang|sglang serve|bench\w*\.py): error: (?P<what>.*)$",
        "launch_server.py: error: unrecognized arguments: --no-such-flag",
    ),
    marker(
        "exception",
        b"Error: ",
        r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception)): (?P<what>.*)$",
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
    ),
    marker(
        "exception",
        b"Exception: ",
        r"^(?P<kind>[A-Za-z_][\w.]*Exception|Exception): (?P<what>.*)$",
        "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 2.00 GiB.",
    ),
    marker(
        "exception",
        b"AssertionError",
        r"^(?P<kind>AssertionError)(?:: (?P<what>.*))?$",
        "AssertionError: Tensor parallel size 8 cannot be divided",
    ),
)
