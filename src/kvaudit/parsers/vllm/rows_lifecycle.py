"""Markers of a start's life: engine line, arguments, ready, shutdown, failure. Pure data; the code reads them by name."""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker(
        "engine-line",
        b"LLM engine",
        r"^Initializing an? (?:(?P<core>V[01]) )?LLM engine(?: \(v(?P<version>[^)\s]+)\))? with config: (?P<body>.*)$",
        "Initializing a V1 LLM engine (v0.24.0) with config: model='acme/tiny-llama', dtype=torch.bfloat16, seed=0",
    ),
    marker(
        "crash-dump",
        b"LLM engine",
        r"^(?:Dumping input data for )?(?P<core>V1) LLM engine \(v(?P<version>[^)\s]+)\) with config: (?P<body>.*)$",
        "Dumping input data for V1 LLM engine (v0.24.0) with config: model='acme/tiny-llama'",
    ),
    marker(
        "arguments",
        b"non-default args: ",
        r"non-default args: (?P<body>\{.*)$",
        "non-default args: {'model': 'acme/tiny-llama', 'max_num_seqs': 64}",
    ),
    marker(
        "namespace",
        b"args: Namespace(",
        r"^args: (?P<body>Namespace\(.*)$",
        "args: Namespace(host=None, port=8000, model='acme/tiny-llama', max_num_seqs=256)",
    ),
    marker(
        "server-process",
        b"Started server process ",
        r"^Started server process \[(?P<pid>\d{1,10})\]",
        "Started server process [4101]",
    ),
    marker(
        "server-starting",
        b"Starting vLLM ",
        r"^Starting vLLM (?:API )?server (?:\d+ )?on ",
        "Starting vLLM server on http://0.0.0.0:8000",
    ),
    marker(
        "startup-complete", b"Application startup complete", r"^Application startup complete", "Application startup complete."
    ),
    marker(
        "prompts-processed",
        b"Processed prompts: ",
        r"Processed prompts: +(?P<percent>\d{1,3})%",
        "Processed prompts: 100%|██████████| 4/4 [00:01<00:00, 2.10it/s]",
    ),
    marker(
        "prompts-processed",
        b"Running generate_until requests: ",
        r"Running generate_until requests: +(?P<percent>\d{1,3})%",
        "Running generate_until requests:  40%|████      | 400/1000 [18:36<00:39,  1.04s/it]",
    ),
    marker(
        "shutdown",
        b"hutdown",
        r"(?:^\[shutdown\] (?:API server: shutdown triggered|EngineCore: trigger received signal)|^Shutdown initiated|"
        r"^Waiting for application shutdown|^Application shutdown complete)",
        "[shutdown] API server: shutdown triggered",
    ),
    marker(
        "shutdown",
        b"Shutting down",
        r"^Shutting down(?:\.|$| FastAPI HTTP server)",
        "Shutting down",
    ),
    marker(
        "shutdown",
        b"KeyboardInterrupt",
        r"^KeyboardInterrupt|KeyboardInterrupt: terminated",
        "KeyboardInterrupt: terminated",
    ),
    marker(
        "shutdown",
        b"eceived signal",
        r"[Rr]eceived signal(?:=| )?(?:SIGTERM|SIGINT|15|2)\b",
        "[shutdown] EngineCore: trigger received signal=SIGTERM",
    ),
    marker("shutdown", b"eceived SIG", r"[Rr]eceived SIG(?:TERM|INT)\b", "Received SIGTERM, stopping"),
    marker(
        "server-finished",
        b"Finished server process ",
        r"^Finished server process \[(?P<pid>\d{1,10})\]",
        "Finished server process [4101]",
    ),
    marker(
        "engine-failed",
        b"failed to start",
        r"(?:^|: )(?:EngineCore|Engine process|WorkerProc)\w* failed to start",
        "EngineCore failed to start.",
    ),
    marker(
        "engine-failed",
        b"ngine core initialization failed",
        r"Engine core initialization failed",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    ),
    marker(
        "engine-died",
        b"EngineCore encountered a fatal",
        r"^EngineCore encountered a fatal error",
        "EngineCore encountered a fatal error.",
    ),
    marker(
        "engine-died", b"EngineCore hit an exception", r"^EngineCore hit an exception", "EngineCore hit an exception: Traceback"
    ),
    marker(
        "engine-died",
        b"ngine core proc ",
        r"^Engine core proc \S+ died unexpectedly",
        "Engine core proc EngineCore_DP0 died unexpectedly, shutting down client.",
    ),
    marker("engine-died", b"ngine background task failed", r"^Engine background task failed", "Engine background task failed"),
    marker("engine-died", b"ngine loop is dead", r"(?:Engine|engine) loop is dead", "Engine loop is dead."),
    marker(
        "engine-died",
        b" died unexpectedly",
        r"^Worker proc \S+ died unexpectedly",
        "Worker proc VllmWorker-1 died unexpectedly (exit code: -9), shutting down executor.",
    ),
    marker(
        "engine-died",
        b" died, exit code",
        r"^Worker \S+ pid \d+ died, exit code",
        "Worker VllmWorkerProcess pid 4102 died, exit code: -9",
    ),
    marker(
        "engine-died",
        b"engine core exited unexpectedly",
        r"engine core exited unexpectedly",
        "[shutdown] MPClient: engine core exited unexpectedly; starting cleanup",
    ),
    marker(
        "engine-dead",
        b"EngineDeadError",
        r"EngineDeadError",
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
    ),
    marker("engine-dead", b"output_handler failed", r"^AsyncLLM output_handler failed", "AsyncLLM output_handler failed."),
    marker(
        "argument-error",
        b": error: ",
        r"^(?:vllm|api_server\.py|vllm serve|vllm bench)[\w ]*: error: (?P<what>.*)$",
        "vllm: error: unrecognized arguments: --no-such-flag",
    ),
    marker(
        "argument-error",
        b"No package metadata was found for vllm",
        r"No package metadata was found for vllm",
        "importlib.metadata.PackageNotFoundError: No package metadata was found for vllm",
    ),
    marker(
        "traceback",
        b"Traceback (most recent call last)",
        r"^Traceback \(most recent call last\)",
        "Traceback (most recent call last):",
    ),
    marker(
        "exception",
        b"Error: ",
        r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception|Interrupt))(?:: (?P<what>.*))?$",
        "ValueError: Free memory on device cuda:0 (10.0/79.2 GiB) on startup is less than desired GPU memory utilization",
    ),
    marker(
        "exception",
        b"Exception: ",
        r"^(?P<kind>[A-Za-z_][\w.]*Exception|Exception): (?P<what>.*)$",
        "Exception: WorkerProc initialization failed",
    ),
    marker(
        "validation-error",
        b"alue error, ",
        r"^\s*(?P<kind>Value error), (?P<what>.*)$",
        "  Value error, User-specified max_model_len (8192) is greater than the derived max_model_len",
    ),
)
