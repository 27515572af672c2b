"""Markers of a start's life: openers, ready, shutdown, failure. Pure data; the code reads them by name."""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker("banner", b"LLM version: ", r"^TensorRT[- ]LLM version: \d", "TensorRT LLM version: 1.2.0"),
    marker("launch", b"Using LLM with ", r"^Using LLM with \w+ backend", "Using LLM with PyTorch backend"),
    marker(
        "launch",
        b"Preparing to run ",
        r"^Preparing to run (?:throughput|latency) benchmark",
        "Preparing to run throughput benchmark...",
    ),
    marker(
        "triton-launch",
        b"Pinned memory pool is created",
        r"^\"?Pinned memory pool is created",
        "Pinned memory pool is created at '0x7f54d6000000' with size 268435456",
    ),
    marker("worker", b"Refreshed the MPI local session", r"^Refreshed the MPI local session", "Refreshed the MPI local session"),
    marker(
        "llm-args",
        b"skip_tokenizer_init=",
        r"^model=.*\btokenizer=",
        "model='acme/tiny-llama' tokenizer=None skip_tokenizer_init=False",
    ),
    marker("torch-config", b"PyTorchConfig(", r"^PyTorchConfig\(", "PyTorchConfig(use_cuda_graph=True)"),
    marker(
        "engine-args",
        b"TensorRT-LLM engine args: ",
        r"TensorRT-LLM engine args: (?P<body>\{.*)$",
        "TensorRT-LLM engine args: {'tensor_parallel_size': 2}",
    ),
    marker(
        "server-process", b"Started server process ", r"^Started server process \[(?P<pid>\d+)\]", "Started server process [904]"
    ),
    marker("ready", b"Application startup complete", r"^Application startup complete", "Application startup complete."),
    marker(
        "ready",
        b"gRPC server started on ",
        r"^TensorRT-LLM gRPC server started on ",
        "TensorRT-LLM gRPC server started on 0.0.0.0:50051",
    ),
    marker(
        "ready", b"Engine loaded and ready to serve", r"^Engine loaded and ready to serve", "Engine loaded and ready to serve..."
    ),
    marker(
        "ready",
        b"Started HTTPService at ",
        r"^\"?Started HTTPService at ",
        "Started HTTPService at 0.0.0.0:8000",
    ),
    marker(
        "ready",
        b"Started GRPCInferenceService at ",
        r"^\"?Started GRPCInferenceService at ",
        "Started GRPCInferenceService at 0.0.0.0:8001",
    ),
    marker(
        "ready",
        b"Output [Text ",
        r"^Output \[Text \d+(?: Beam \d+)?\]: ",
        'Output [Text 0 Beam 0]: "a tide is the rise of the sea"',
    ),
    marker(
        "prompts-processed",
        b"Processed requests: ",
        r"Processed requests: +(?P<percent>\d+)%",
        "Processed requests: 100%|██████████| 4/4 [00:01<00:00,  2.10it/s]",
    ),
    marker(
        "results",
        b"Total Output Throughput (tokens/sec):",
        r"^Total Output Throughput \(tokens/sec\):\s+[\d.]+",
        "Total Output Throughput (tokens/sec):             27784.9728",
    ),
    marker(
        "results",
        b"Token Throughput (tokens/sec):",
        r"^Token Throughput \(tokens/sec\):\s+[\d.]+",
        "Token Throughput (tokens/sec):  23405.9272",
    ),
    marker("shutdown", b"Shutting down", r"^Shutting down(?:\.|$)", "Shutting down"),
    marker(
        "shutdown", b"Waiting for application shutdown", r"^Waiting for application shutdown", "Waiting for application shutdown."
    ),
    marker("finished", b"Finished server process ", r"^Finished server process \[\d+\]", "Finished server process [904]"),
    marker("shutdown", b"KeyboardInterrupt", r"^KeyboardInterrupt", "KeyboardInterrupt"),
    marker("shutdown", b"signal received, shutting down", r"signal received, shutting down", "signal received, shutting down"),
    marker(
        "failed",
        b"Failed to initialize executor on rank ",
        r"^Failed to initialize executor on rank \d+: (?P<what>.*)$",
        "Failed to initialize executor on rank 0: CUDA out of memory. Tried to allocate 1002.00 MiB.",
    ),
    marker(
        "failed-wrapper",
        b"xecutor worker died during initialization",
        r"Executor worker died during initialization",
        "Executor worker died during initialization.",
    ),
    marker(
        "failed-wrapper",
        b"xecutor worker initialization error",
        r"^Executor worker initialization error",
        "Executor worker initialization error: Traceback",
    ),
    marker(
        "failed-wrapper",
        b"xecutor worker returned error",
        r"Executor worker returned error",
        "RuntimeError: Executor worker returned error",
    ),
    marker(
        "failed",
        b"Executor creation failed due to insufficient GPU memory",
        r"(?P<what>Executor creation failed due to insufficient GPU memory)",
        "RuntimeError: Executor creation failed due to insufficient GPU memory.",
    ),
    marker(
        "failed",
        b"Failed to parse the arguments for the LLM constructor",
        r"^Failed to parse the arguments for the LLM constructor: (?P<what>.*)$",
        "Failed to parse the arguments for the LLM constructor: 1 validation error for TrtLlmArgs",
    ),
    marker(
        "failed",
        b"failed to load ",
        r"^\"?failed to load '[^']+' version \d+: (?P<what>.*)$",
        "failed to load 'tensorrt_llm' version 1: Internal: unexpected error when creating modelInstanceState",
    ),
    marker(
        "forward-error",
        b"Encountered an error in forward function",
        r"^Encountered an error in forward function: (?P<what>.*)$",
        "Encountered an error in forward function: CUDA out of memory.",
    ),
    marker(
        "died",
        b"Caught signal ",
        r"Caught signal \d+ \(",
        "[node:1722 :0:1777] Caught signal 11 (Segmentation fault: address not mapped to object)",
    ),
    marker(
        "died",
        b"*** Process received signal ***",
        r"\*\*\* Process received signal \*\*\*",
        "[node:01722] *** Process received signal ***",
    ),
    marker(
        "died",
        b"MPI_ABORT was invoked",
        r"^MPI_ABORT was invoked",
        "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD",
    ),
    marker("died", b"Hang detected", r"^Hang detected", "Hang detected on rank 0 in PyExecutor."),
    marker(
        "exception",
        b"Error: ",
        r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception)): (?P<what>.*)$",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1002.00 MiB.",
    ),
    marker(
        "traceback",
        b"Traceback (most recent call last)",
        r"^Traceback \(most recent call last\)",
        "Traceback (most recent call last):",
    ),
    marker("built", b"Total time of building ", r"^Total time of building ", "Total time of building all 1 engines: 00:05:00"),
    marker(
        "built", b"Engine serialized. Total time", r"^Engine serialized\. Total time", "Engine serialized. Total time: 00:00:49"
    ),
)
