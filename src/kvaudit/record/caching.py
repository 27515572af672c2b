"""Prefix caching by its effect: hits, whoever counted them, prove that it is on; no hits prove nothing.

Room: `record`.
"""

from __future__ import annotations

from kvaudit.record.table import FactTable

_RATE = "runtime.prefix_hit_rate"
_CACHING = "kv_cache.prefix_caching"


def prove_caching_by_hits(table: FactTable) -> None:
    """Prefix caching is on where prompts were found in the cache, if nothing else speaks of it."""
    rate = table.value(_RATE)
    if not table.fields.get(_CACHING) and isinstance(rate, int | float) and rate > 0:
        table.infer(_CACHING, True, f"prompts were served from the prefix cache ({rate:.1%})", table.origins(_RATE))
