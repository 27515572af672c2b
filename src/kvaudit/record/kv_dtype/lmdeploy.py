"""The evidence that LMDeploy's logs give about the KV element type.

Room: `record`. `quant_policy` is the only switch (0.5 to 0.17): no release takes a KV type from the checkpoint.
"""

from __future__ import annotations

from kvaudit.record.kv_dtype.ladder import Rank, Vote
from kvaudit.record.table import FactTable


def votes(table: FactTable) -> list[Vote]:
    """Every vote that an LMDeploy arm's evidence gives, except arithmetic."""
    policy = table.clue("clue.kv_dtype_engine_line")
    origins = tuple(table.clue_origins("clue.kv_dtype_engine_line")[:1])
    if policy == "model":
        dtype = table.value("model.dtype")
        how = "quant_policy is 0 and no release takes a KV type from the checkpoint, so it is the model dtype"
        return [Vote(Rank.UNTOUCHED_AUTO, str(dtype), how, origins)] if dtype else []
    return [Vote(Rank.DECLARED, str(policy), "quant_policy names the element type", origins)] if policy else []
