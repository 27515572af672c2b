"""The evidence that TGI's logs and checkpoints give about the KV element type.

Room: `record`. TGI prints no version. Releases that know `kv_cache_dtype` (2.4.0 and newer) name it in their arguments; unset,
they keep FP8 unseen where the checkpoint has a compressed-tensors scheme of 8-bit floats and FlashInfer serves on CUDA
(`server/text_generation_server/layers/attention/kv_cache.py`, 2.4.0 to 3.3.7). Older releases keep the model's dtype.
"""

from __future__ import annotations

from kvaudit.fields import FIELDS, spelled
from kvaudit.parsers.facts import Origin
from kvaudit.record.kv_dtype.arithmetic import same_model
from kvaudit.record.kv_dtype.ladder import Rank, Vote
from kvaudit.record.table import FactTable

_FIELD = "kv_cache.dtype"


def votes(table: FactTable) -> list[Vote]:
    """Every vote that a TGI arm's evidence gives."""
    return [*_worker(table), *_declared(table), *_checkpoint(table)]


def _worker(table: FactTable) -> list[Vote]:
    """A shard that loads FP8 KV scales keeps FP8."""
    how = "a shard uses FP8 KV scales"
    return [Vote(Rank.WORKER, str(clue.value), how, tuple(clue.origins)) for clue in table.clues.get("clue.kv_dtype_worker", [])]


def _declared(table: FactTable) -> list[Vote]:
    found = []
    for fact in table.fields.get(_FIELD, []):
        if fact.stage == "requested" and not FIELDS[_FIELD].delegates(fact.value):
            value = str(spelled(_FIELD, fact.value))
            found.append(Vote(Rank.DECLARED, value, "the launch arguments name the element type", tuple(fact.origins)))
    return found


def _checkpoint(table: FactTable) -> list[Vote]:
    """What an unset element type becomes: FP8 for one kind of checkpoint, the model's dtype for every other."""
    arguments, dtype = table.value("run.args"), table.value("model.dtype")
    if not isinstance(arguments, dict) or "model_id" not in arguments or arguments.get("kv_cache_dtype") is not None:
        return []
    origins: list[Origin] = table.origins("run.args")[:1]
    if "kv_cache_dtype" not in arguments:
        how = "this release knows no KV cache type, so it is the model dtype"
        return [Vote(Rank.UNTOUCHED_AUTO, str(dtype), how, tuple(origins))] if dtype else []
    statement, config = table.clue("clue.checkpoint_statement"), table.clue("clue.checkpoint_config")
    if not isinstance(statement, dict) or (isinstance(config, dict) and not same_model(table, config)):
        return []
    origins += table.clue_origins("clue.checkpoint_quantization")[:1]
    if statement.get("method") == "compressed-tensors" and statement.get("kv") == "fp8":
        if table.value("attention.backend") != "flashinfer" or table.value("engine.platform") not in ("cuda", None):
            return []
        how = "no type was asked for; with FlashInfer the checkpoint's 8-bit float scheme counts"
        return [Vote(Rank.CHECKPOINT, "fp8_e4m3", how, tuple(origins))]
    how = "no type was asked for, and the checkpoint has no compressed-tensors scheme, so it is the model dtype"
    return [Vote(Rank.CHECKPOINT, str(dtype), how, tuple(origins))] if dtype else []
