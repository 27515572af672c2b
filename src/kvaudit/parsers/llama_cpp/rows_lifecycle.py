"""Markers of a start's life: served, stopped, gave up, and why. Pure data; the code reads them by name.

`cause` names what went wrong, `gave-up` only reports that something did, `crash` does both.
"""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker("initializing", b"initializing ...", r"\bllama_server: initializing \.\.\.", "srv  llama_server: initializing ..."),
    marker(
        "model-loaded",
        b"model loaded",
        r"(?:^|[:\]] |\s)model loaded(?:\s*$| \|)",
        "main: model loaded",
    ),
    marker(
        "listening",
        b"listening on http",
        r"\b(?:main|init|llama_server): (?:server is )?listening on https?://",
        "srv  llama_server: listening on http://127.0.0.1:8080",
    ),
    marker("serving", b"all slots are idle", r"\ball slots are idle", "srv  update_slots: all slots are idle"),
    marker(
        "offline-run",
        b"eval time = ",
        r"\b(?:llama_print_timings|llama_perf_context_print|common_perf_print): +(?:prompt )?eval time = +[\d.]+ ms / +[1-9]",
        "llama_perf_context_print: prompt eval time =      84.41 ms /    22 tokens",
    ),
    marker("stopping", b"cleaning up before exit", r"\bcleaning up before exit", "srv    operator(): cleaning up before exit..."),
    marker(
        "argument-error",
        b"error while handling argument",
        r"\berror while handling argument (?P<what>.+)",
        'error while handling argument "-ctk": Unsupported cache type: fp8',
    ),
    marker(
        "argument-error",
        b"error: invalid argument: ",
        r"^error: (?P<what>invalid argument: .+)",
        "error: invalid argument: --log-jsonl",
    ),
    marker(
        "gave-up",
        b"exiting due to model loading error",
        r"\bexiting due to model loading error",
        "main: exiting due to model loading error",
    ),
    marker(
        "gave-up",
        b"failed to load model",
        r"\bfailed to load model, '",
        "srv    load_model: failed to load model, '/models/atlas.gguf'",
    ),
    marker("gave-up", b"unable to load model", r"\bunable to load model", "main: error: unable to load model"),
    marker(
        "gave-up",
        b"failed to create_context with model",
        r"\bfailed to create_context with model",
        "srv    load_model: failed to create_context with model '/models/atlas.gguf'",
    ),
    marker(
        "gave-up",
        b"failed to create context with model",
        r"\bfailed to create context with model",
        "common_init_from_params: failed to create context with model '/models/atlas.gguf'",
    ),
    marker(
        "gave-up",
        b"Failed to init server",
        r"\bFailed to init server",
        "RuntimeError: Failed to init server, please check the input params.",
    ),
    marker(
        "gave-up",
        b" in ggml_abort ",
        r"^#\d+ .* in ggml_abort ",
        "#2  0x00007f2c9bf6de72 in ggml_abort () from /opt/llama/libggml-base.so",
    ),
    marker(
        "gave-up",
        b"exiting due to HTTP server error",
        r"\bexiting due to HTTP server error",
        "main: exiting due to HTTP server error",
    ),
    marker(
        "gave-up",
        b"bind to server socket",
        r"(?P<what>couldn't bind to server socket.*)",
        "error: couldn't bind to server socket: hostname=127.0.0.1 port=8080",
    ),
    marker(
        "cause",
        b"failed to create MTP context",
        r"(?P<what>failed to create MTP context)",
        "srv    load_model: failed to create MTP context",
    ),
    marker(
        "gave-up",
        b"HTTP server socket",
        r"(?P<what>couldn't bind (?:to )?HTTP server socket.*)",
        "start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080",
    ),
    *(
        marker("crash", hint, r"\b(?:ggml|llama)[\w-]*\.(?:c|cpp|cu|m|mm|h|cuh):\d+: (?P<what>\S.*)", example)
        for hint, example in (
            (b"ggml-cuda.cu:", "/src/ggml/src/ggml-cuda/ggml-cuda.cu:97: CUDA error"),
            (
                b"ggml-backend.cpp:",
                "/src/ggml-backend.cpp:930: pre-allocated tensor (cache_k_l0) in a buffer that cannot run the operation",
            ),
            (b"ggml-vulkan.cpp:", "/src/ggml-vulkan.cpp:2210: fatal error"),
            (b"ggml-metal", "/src/ggml-metal.m:512: unsupported op"),
            (b"GGML_ASSERT", "/src/llama-sampler.cpp:660: GGML_ASSERT(found) failed"),
        )
    ),
    marker(
        "crash",
        b"terminate called ",
        r"^(?P<what>terminate called .+)",
        "terminate called after throwing an instance of 'std::runtime_error'",
    ),
    marker("crash", b"Segmentation fault", r"(?P<what>Segmentation fault)", "Segmentation fault (core dumped)"),
    marker(
        "cause",
        b"CUDA error",
        r"(?P<what>CUDA error: .+)",
        "CUDA error: out of memory",
    ),
    marker("cause", b"ROCm error", r"(?P<what>ROCm error: .+)", "ROCm error: unspecified launch failure"),
    marker(
        "cause",
        b"cudaMalloc failed",
        r"(?P<what>allocating [\d.]+ MiB on device \d+: cudaMalloc failed: out of memory)",
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 36864.00 MiB on device 0: cudaMalloc failed: out of memory",
    ),
    marker(
        "cause",
        b"failed to allocate",
        r"(?P<what>failed to allocate (?:buffer|compute|\S+ buffer)\b.*)",
        "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
    ),
    marker(
        "cause",
        b"insufficient memory",
        r"(?P<what>insufficient memory \(attempted to allocate .+\))",
        "ggml_aligned_malloc: insufficient memory (attempted to allocate 781250.00 MB)",
    ),
    marker(
        "cause",
        b"failed to open GGUF file",
        r"(?P<what>failed to open GGUF file .+)",
        "gguf_init_from_file: failed to open GGUF file '/models/atlas.gguf' (No such file or directory)",
    ),
    marker(
        "cause",
        b"error loading model",
        r"\berror loading model(?: \w+)?: (?P<what>.+)",
        "llama_model_load: error loading model: unknown model architecture: 'atlas9'",
    ),
    marker(
        "cause",
        b" requires flash_attn",
        r"(?P<what>(?:quantized V cache|V cache quantization) requires flash_attn.*)",
        "llama_init_from_model: quantized V cache requires flash_attn to be enabled",
    ),
    marker(
        "cause",
        b"requires Flash Attention",
        r"(?P<what>quantized V cache was requested, but this requires Flash Attention)",
        "failed to initialize the context: quantized V cache was requested, but this requires Flash Attention",
    ),
    marker(
        "cause",
        b" does not divide n_embd_head_",
        r"(?P<what>[KV] cache type \S+ with block size \d+ does not divide n_embd_head_\w+=\d+)",
        "llama_init_from_model: K cache type q8_0 with block size 32 does not divide n_embd_head_k=40",
    ),
    marker(
        "cause",
        b"does not support different K",
        r"(?P<what>model does not support different K .*cache types)",
        "llama_init_from_model: model does not support different K (q8_0) and V (f16) cache types",
    ),
)

PERIODIC: tuple[bytes, ...] = (b"all slots are idle", b"eval time = ")
"""Lines that repeat with every request: some of them are enough."""
