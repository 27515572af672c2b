"""All line formats of the vLLM parser as one table, and the hints that may hit without a match. Pure data."""

from __future__ import annotations

from kvaudit.parsers.tables import Table
from kvaudit.parsers.vllm import (
    rows_backends,
    rows_connectors,
    rows_identity,
    rows_kv,
    rows_lifecycle,
    rows_memory,
    rows_notices,
    rows_scheduling,
)

FACT_ROWS = (
    *rows_identity.ROWS,
    *rows_kv.ROWS,
    *rows_connectors.ROWS,
    *rows_memory.ROWS,
    *rows_backends.ROWS,
    *rows_scheduling.ROWS,
)
NOTICE_ROWS = rows_notices.ROWS
LIFECYCLE_ROWS = rows_lifecycle.ROWS

FACTS = Table(FACT_ROWS)
NOTICES = Table(NOTICE_ROWS)
LIFECYCLE = Table(LIFECYCLE_ROWS)

PLATFORM_HINTS: tuple[bytes, ...] = (b"cuda.py:", b"rocm.py:", b"cpu_worker.py:", b"tpu.py:", b"xpu.py:", b"platform.py:")
"""Source files of vLLM's platform modules; they stand in the stamp, not in the message."""

LOUD: frozenset[str] = frozenset(
    {
        "capacity",
        "available-memory",
        "cpu-memory",
        "weights",
        "weights-v0",
        "graph-memory",
        "profiling-results",
        "profiling-budget",
        "profiling-rest",
        "attention-chosen",
        "batched-tokens",
        "kv-dtype-notice",
        "flashinfer-dtypes",
        "architecture",
        "max-model-len",
    }
)
"""Rows whose hint without a match is worth showing: their hints are whole phrases of one message."""

ONCE: frozenset[str] = frozenset({"cold-compile", "compile-cache-loaded", "requests-preempted", "backend-fallback"})
"""Notices whose texts differ only in numbers: the first line speaks for all."""
