"""All line formats of the llama.cpp parser as tables. Pure data."""

from __future__ import annotations

from kvaudit.parsers.llama_cpp import rows_context, rows_lifecycle, rows_load, rows_notices, rows_process
from kvaudit.parsers.tables import Table

PROCESS = Table(rows_process.ROWS)
LOAD = Table(rows_load.ROWS)
CONTEXT = Table(rows_context.ROWS)
NOTICES = Table(rows_notices.ROWS)
LIFECYCLE = Table(rows_lifecycle.ROWS)

TABLES = (PROCESS, LOAD, CONTEXT, NOTICES, LIFECYCLE)
PERIODIC = rows_lifecycle.PERIODIC
HINTS: tuple[bytes, ...] = tuple(
    dict.fromkeys(hint for table in TABLES for hint in table.hints if hint not in rows_lifecycle.PERIODIC)
)

LOUD: frozenset[str] = frozenset({"kv-size", "kv-self-size", "kv-buffer", "kvarn", "recurrent-size"})
"""Rows about the KV cache: a line with their hint that does not read is shown."""
