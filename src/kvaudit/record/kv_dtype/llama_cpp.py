"""The evidence that logs of llama.cpp and Ollama give about the KV element type: the line of the cache itself, and nothing else.

Room: `record`. The cache prints the types it allocated (`K (q8_0)`), and Ollama's own engine the type it committed to. A flag or
`OLLAMA_KV_CACHE_TYPE` is only what was asked for: where flash attention is off, Ollama up to 0.2x keeps f16 and says so in a
warning at most. No checkpoint states a KV type here, and the default is never taken for the type.
"""

from __future__ import annotations

from kvaudit.record.kv_dtype.ladder import FIELD, Rank, Vote
from kvaudit.record.table import FactTable


def votes(table: FactTable) -> list[Vote]:
    """One vote per line that names the allocated types."""
    said = [one for one in table.fields.get(FIELD, []) if one.stage in ("resolved", "observed") and isinstance(one.value, str)]
    return [
        Vote(Rank.WORKER, str(one.value), one.how or "the cache's own line names the types", tuple(one.origins)) for one in said
    ]
