"""All line formats of the SGLang parser as tables. Pure data."""

from __future__ import annotations

from kvaudit.parsers.sglang import rows_identity, rows_lifecycle, rows_notices, rows_pool, rows_schedule
from kvaudit.parsers.tables import Table

FACT_ROWS = (*rows_identity.ROWS, *rows_pool.ROWS, *rows_schedule.ROWS)
NOTICE_ROWS = rows_notices.ROWS
LIFECYCLE_ROWS = rows_lifecycle.ROWS

FACTS = Table(FACT_ROWS)
NOTICES = Table(NOTICE_ROWS)
LIFECYCLE = Table(LIFECYCLE_ROWS)

LOUD: frozenset[str] = frozenset({"capacity", "weights-end", "pool", "pool-end", "free-at-start", "tree-cache", "kv-dtype"})
"""Rows whose hint without a match is worth showing."""

ONCE: frozenset[str] = frozenset(
    {
        "requests-preempted",
        "backend-fallback",
        "moe-default-config",
        "default-kernel-config",
        "gpu-memory-unbalanced",
        "prefix-caching-forced-off",
    }
)
"""Notices whose texts differ only in numbers or ranks: the first line speaks for all."""
