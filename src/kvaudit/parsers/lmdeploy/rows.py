"""Line formats of LMDeploy 0.5 to 0.17. Pure data; configuration dumps are read by name in `configs`."""

from __future__ import annotations

from kvaudit.fields import Stage
from kvaudit.parsers.converters import integer
from kvaudit.parsers.tables import Row, Table, marker

_SEEN: Stage = "observed"


def _fraction(text: str) -> float | None:
    value = float(text) if text.replace(".", "", 1).isdigit() else 0.0
    return value if 0 < value <= 1 else None


def _gib_of_mib(text: str) -> float | None:
    return round(float(text) / 1024, 4) if text.replace(".", "", 1).isdigit() else None


FACTS = Table(
    (
        Row(
            "backend",
            b"input backend=",
            r"^input backend=(?P<backend>turbomind|pytorch), backend_config=",
            (("backend", "engine.core", str.strip),),
            "resolved",
            "input backend=turbomind, backend_config=TurbomindEngineConfig(dtype='auto', tp=1)",
        ),
        Row(
            "block-count",
            b"[BlockManager] max_block_count = ",
            r"^\[BlockManager\] max_block_count = (?P<blocks>\d+)",
            (("blocks", "kv_cache.blocks", integer),),
            _SEEN,
            "[BlockManager] max_block_count = 159",
            until="0.15.0",
        ),
        Row(
            "budget",
            b"Object cache budget: ",
            r"^Object cache budget: (?P<mib>[\d.]+) MB from (?:free|cacheable) [\d.]+ MB and ratio (?P<ratio>[\d.]+)",
            (("mib", "kv_cache.memory_gib", _gib_of_mib), ("ratio", "memory.static_fraction", _fraction)),
            _SEEN,
            "Object cache budget: 40960.00 MB from free 51200.00 MB and ratio 0.800",
            since="0.15.0",
        ),
    )
)

LIFE = Table(
    (
        marker(
            "opener",
            b"input backend=",
            r"^input backend=\w+, ",
            "input backend=pytorch, backend_config=PytorchEngineConfig(tp=1)",
        ),
        marker(
            "asked",
            b"input backend=",
            r"^input backend=\w+, backend_config=(?P<body>\w+EngineConfig\(.*)$",
            "input backend=turbomind, backend_config=TurbomindEngineConfig(tp=1)",
        ),
        marker(
            "updated",
            b"updated backend_config=",
            r"^updated backend_config=(?P<body>\w+EngineConfig\(.*)$",
            "updated backend_config=PytorchEngineConfig(tp=1)",
        ),
        marker("speculation", b"speculative_config=", r"^speculative_config=(?P<body>.+)$", "speculative_config=None"),
        marker(
            "cache",
            b"CacheConfig(max_batches=",
            r"(?P<body>CacheConfig\(max_batches=.*)$",
            "build CacheEngine with config:CacheConfig(max_batches=128, block_size=64, num_gpu_blocks=2048)",
        ),
        marker(
            "block-mib",
            b"[BlockManager] block_size = ",
            r"^\[BlockManager\] block_size = (?P<mib>\d+\.\d+) MB",
            "[BlockManager] block_size = 4.000 MB",
        ),
        marker(
            "ready",
            b"Uvicorn running on ",
            r"^Uvicorn running on ",
            "Uvicorn running on http://0.0.0.0:23333 (Press CTRL+C to quit)",
        ),
        marker("ready", b"Application startup complete", r"^Application startup complete", "Application startup complete."),
        marker("stopped", b"Shutting down", r"^Shutting down(?:\.|$)", "Shutting down"),
        marker(
            "failed",
            b"No enough gpu memory for kv cache",
            r"No enough gpu memory for kv cache",
            "RuntimeError: No enough gpu memory for kv cache.",
        ),
        marker(
            "exception",
            b"Error: ",
            r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception)): (?P<what>.*)$",
            "RuntimeError: CUDA out of memory.",
        ),
    )
)

NOTICES = Table(
    (
        marker(
            "prefix-caching-forced-off",
            b"Prefix caching is not available",
            r"^Prefix caching is not available",
            "Prefix caching is not available for window attention.",
        ),
        marker(
            "backend-fallback",
            b"Fallback to pytorch engine because ",
            r"^Fallback to pytorch engine because ",
            "Fallback to pytorch engine because `acme/tiny` is not explicitly supported by lmdeploy.",
        ),
        marker(
            "memory-short",
            b"No enough memory. ",
            r"^(?:device<\d+> )?No enough memory\. [Uu]pdate ",
            "No enough memory. Update max_prefill_token_num=4096",
        ),
    )
)
