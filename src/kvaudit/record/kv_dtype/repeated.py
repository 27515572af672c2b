"""What the API server's copy of vLLM's configuration says of the KV element type, and when that is what somebody typed.

Room: `record`. `/metrics` and `/server_info` repeat the request; but since 0.14 the same process rewrites `auto` to the type that
a ModelOpt checkpoint asks for, before it copies. Where the launch arguments are seen, they alone say what was asked for.
"""

from __future__ import annotations

from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Fact
from kvaudit.record.kv_dtype.ladder import FIELD, bits
from kvaudit.record.table import FactTable

_COPIES = ("metrics", "endpoint:vllm-server-info")


def drop_unasked_copies(table: FactTable) -> None:
    """Forget requests for a quantized KV cache that only the API server's copy makes, and the launch arguments do not."""
    if table.value("engine.name") != "vllm" or table.value("run.args") is None:
        return
    facts = table.fields.get(FIELD, [])
    copies = [one for one in facts if _is_copy(one)]
    asked = [one for one in facts if one.stage == "requested" and one not in copies and not FIELDS[FIELD].delegates(one.value)]
    if copies and not asked:
        table.fields[FIELD] = [one for one in facts if one not in copies]


def _is_copy(one: Fact) -> bool:
    width = bits(one.value) if one.stage == "requested" else None
    return width is not None and width < 16 and any(origin.reader in _COPIES for origin in one.origins)
