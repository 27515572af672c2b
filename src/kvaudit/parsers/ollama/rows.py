"""Lines of `ollama serve` itself (v0.1.2x to v0.30): its configuration, GPUs, model runners and what it asks of them. Pure data.

logfmt since v0.1.2x: `time=… level=INFO source=server.go:398 msg="starting runner" cmd="…"`. What a runner prints is llama.cpp's.
"""

from __future__ import annotations

from kvaudit.parsers.converters import text
from kvaudit.parsers.llama_cpp.converters import size
from kvaudit.parsers.tables import Row, Table

_COMMAND = r"msg=\"starting (?:runner|llama server|llama-server)\" cmd=\"(?P<command>(?:[^\"\\]|\\.)*)"


def gpu_library(words: str) -> str | None:
    """The library of a GPU as a platform; compute libraries of the CPU (`cpu`, `cpu_avx2`) are `cpu`."""
    name = words.strip('"').lower()
    return "cpu" if name.startswith("cpu") else name or None


def _version(words: str) -> str | None:
    return None if words in ("", "unknown") else text(words)


SERVE_ROWS: tuple[Row, ...] = (
    Row(
        "server-config",
        b"server config",
        r"(?:msg=\"server config\"|INFO server config) env=\"?map\[(?P<body>.*)",
        (),
        "requested",
        'time=2026-02-03T10:11:12Z level=INFO source=routes.go:1554 msg="server config" env="map[OLLAMA_KV_CACHE_TYPE:q8_0]"',
    ),
    Row(
        "listening",
        b"Listening on ",
        r"msg=\"Listening on \S+ \(version (?P<version>[^)]+)\)\"",
        (("version", "engine.version", _version),),
        "resolved",
        'time=2026-02-03T10:11:12Z level=INFO source=routes.go:1607 msg="Listening on 127.0.0.1:11434 (version 0.13.5)"',
    ),
    Row(
        "gpu",
        b"inference compute",
        r"msg=\"inference compute\" id=(?P<id>\S+) .*?\blibrary=(?P<library>\S+)"
        r"(?:.*?\btotal=\"(?P<total>\d{1,12}(?:\.\d{1,9})? [KMGT]iB)\""
        r"(?: available=\"(?P<free>\d{1,12}(?:\.\d{1,9})? [KMGT]iB)\")?)?",
        (
            ("library", "engine.platform", gpu_library),
            ("total", "memory.total_gib", size),
            ("free", "memory.free_at_start_gib", size),
        ),
        "observed",
        'time=2026-02-03T10:11:12Z level=INFO source=types.go:42 msg="inference compute" id=GPU-0a1b library=CUDA '
        'name=CUDA0 description="NVIDIA L4" total="22.5 GiB" available="22.0 GiB"',
    ),
    Row(
        "libraries",
        b"Dynamic LLM libraries",
        r"msg=\"Dynamic LLM libraries \[(?P<library>metal)\]\"",
        (("library", "engine.platform", gpu_library),),
        "resolved",
        'time=2024-04-01T10:00:00Z level=INFO source=payload.go:41 msg="Dynamic LLM libraries [metal]"',
        until="0.3",
    ),
    Row(
        "address-in-use",
        b"address already in use",
        r"Error: (?P<what>listen tcp \S+: bind: address already in use)",
        (),
        "observed",
        "Error: listen tcp 127.0.0.1:11434: bind: address already in use",
    ),
)

RUNNER_ROWS: tuple[Row, ...] = (
    *(
        Row(
            "runner",
            hint,
            _COMMAND,
            (),
            "requested",
            f'time=2026-02-03T10:12:00Z level=INFO source=server.go:429 msg="{example}',
        )
        for hint, example in (
            (b"starting runner", 'starting runner" cmd="/usr/bin/ollama runner --model /models/blobs/sha256-0a1b --port 40001"'),
            (b"starting llama server", 'starting llama server" cmd="/tmp/ollama_llama_server --model /models/blobs/sha256-0a1b"'),
            (
                b"starting llama-server",
                'starting llama-server" cmd="/usr/lib/ollama/llama-server --model /models/blobs/sha256-0a1b -c 4096"',
            ),
        )
    ),
    Row(
        "load-request",
        b"msg=load request",
        r"msg=load request=\"\{Operation:(?P<operation>\w+) (?P<body>[^\"]*)",
        (),
        "resolved",
        'time=2026-02-03T10:12:01Z level=INFO source=runner.go:895 msg=load request="{Operation:commit Parallel:1 '
        'BatchSize:512 FlashAttention:Enabled KvSize:8192 KvCacheType:q8_0 NumThreads:8}"',
        since="0.11.5",
    ),
    Row(
        "offload",
        b"layers.offload=",
        r"\blayers\.model=(?P<all>\d+) layers\.offload=(?P<some>\d+)",
        (),
        "resolved",
        "time=2025-09-03T10:12:00Z level=INFO source=server.go:543 msg=offload library=cuda layers.model=33 "
        'layers.offload=20 layers.split=[20] memory.available="[7.0 GiB]"',
    ),
    Row(
        "part",
        b" device=",
        r"msg=\"(?P<part>model weights|kv cache|compute graph)\" device=(?P<device>\S+) "
        r"size=\"(?P<size>\d{1,12}(?:\.\d{1,9})? [KMGT]?i?B)\"",
        (),
        "observed",
        'time=2026-02-03T10:12:02Z level=INFO source=device.go:251 msg="kv cache" device=CUDA0 size="544.0 MiB"',
        since="0.11.5",
    ),
    Row(
        "architecture",
        b" architecture=",
        r"msg=\"\" architecture=(?P<name>[\w.-]+) file_type=(?P<type>\S+) ",
        (),
        "resolved",
        'time=2026-02-03T10:12:01Z level=INFO source=ggml.go:136 msg="" architecture=llama file_type=Q4_K_M name=Atlas',
    ),
    *(
        Row(
            "runner-started",
            hint,
            r"msg=\"(?:llama runner|llama-server) started in [\d.]+ seconds\"",
            (),
            "observed",
            f'time=2026-02-03T10:12:09Z level=INFO source=server.go:1376 msg="{hint.decode()}9.00 seconds"',
        )
        for hint in (b"llama runner started in ", b"llama-server started in ")
    ),
    Row(
        "load-failed",
        b"Load failed",
        r"msg=\"Load failed\" .*error=\"?(?P<what>[^\"]+)",
        (),
        "observed",
        'time=2026-02-03T10:12:09Z level=INFO source=sched.go:470 msg="Load failed" model=/models/blobs/sha256-0a1b '
        'error="timed out waiting for llama runner to start: context canceled"',
    ),
    Row(
        "load-failed",
        b"error loading llama server",
        r"msg=\"error loading llama server\" error=\"?(?P<what>(?:[^\"\\]|\\.)+)",
        (),
        "observed",
        'time=2025-03-03T10:12:09Z level=ERROR source=sched.go:456 msg="error loading llama server" '
        'error="llama runner process has terminated: exit status 2"',
    ),
    Row(
        "runner-died",
        b"llama runner terminated",
        r"msg=\"llama runner terminated\" error=\"?(?P<what>[^\"]+)",
        (),
        "observed",
        'time=2026-02-03T10:20:00Z level=ERROR source=server.go:302 msg="llama runner terminated" error="exit status 2"',
    ),
    Row(
        "context-capped",
        b"requested context size too large",
        r"msg=\"requested context size too large for model\" num_ctx=(?P<asked>\d+)(?: num_parallel=\d+)? "
        r"n_ctx_train=(?P<served>\d+)",
        (),
        "observed",
        'time=2026-02-03T10:11:59Z level=WARN source=server.go:169 msg="requested context size too large for model" '
        "num_ctx=65536 n_ctx_train=32768",
    ),
    Row(
        "kv-type-fallback",
        b"quantized kv cache requested but",
        r"msg=\"quantized kv cache requested but flash attention disabled\"(?: type=(?P<type>\S+))?",
        (),
        "observed",
        'time=2026-02-03T10:11:59Z level=WARN source=server.go:217 msg="quantized kv cache requested but flash attention '
        'disabled" type=q8_0',
    ),
    Row(
        "kv-type-fallback",
        b"kv cache type not supported",
        r"msg=\"kv cache type not supported by model\"(?: type=(?P<type>\S+))?",
        (),
        "observed",
        'time=2026-02-03T10:11:59Z level=WARN source=server.go:204 msg="kv cache type not supported by model" type=q8_0',
    ),
    Row(
        "backend-fallback",
        b"flash attention enabled but not supported",
        r"msg=\"flash attention enabled but not supported by (?P<by>gpu|model)\"",
        (),
        "observed",
        'time=2026-02-03T10:11:59Z level=WARN source=server.go:190 msg="flash attention enabled but not supported by gpu"',
    ),
)

SERVE = Table(SERVE_ROWS)
RUNNER = Table(RUNNER_ROWS)
HINTS: tuple[bytes, ...] = tuple(dict.fromkeys((*SERVE.hints, *RUNNER.hints)))
