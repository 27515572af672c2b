"""All line formats of the TensorRT-LLM parser as tables. Pure data."""

from __future__ import annotations

from kvaudit.parsers.tables import Table
from kvaudit.parsers.tensorrt_llm import rows_identity, rows_lifecycle, rows_notices, rows_pool, rows_settings

FACT_ROWS = (*rows_identity.ROWS, *rows_pool.ROWS, *rows_settings.ROWS)
POOL_ROWS = rows_pool.POOL_ROWS
LIFECYCLE_ROWS = rows_lifecycle.ROWS
NOTICE_ROWS = rows_notices.ROWS
ALL_ROWS = (*FACT_ROWS, *POOL_ROWS, *LIFECYCLE_ROWS, *NOTICE_ROWS, rows_settings.GRAPH_WARMUP)

FACTS = Table(FACT_ROWS)
POOLS = Table(POOL_ROWS)
LIFECYCLE = Table(LIFECYCLE_ROWS)
NOTICES = Table(NOTICE_ROWS)
GRAPHS = Table((rows_settings.GRAPH_WARMUP,))

TRITON_HINTS: tuple[bytes, ...] = (b"model_lifecycle.cc:", b"server.cc:")
"""Triton's own lines around the engine's; they stand in the stamp, not in the message."""

LOUD: frozenset[str] = frozenset({"allocated", "peak", "sizes", "weights", "attention-features", "quota"})
"""Rows whose hint without a match is worth showing: their hints are whole phrases of one message."""

ONCE: frozenset[str] = frozenset({"memory-outside-torch", "backend-fallback"})
"""Notices whose texts differ only in numbers: the first line speaks for all."""
