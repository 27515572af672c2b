"""The evidence that vLLM's logs and checkpoints give about the KV element type.

Room: `record`. Each function is one rung; versions come from the releases that were read (0.2.7 to 0.33.0). `auto` proves
nothing by itself: it stands in the engine line of runs that keep FP8.
"""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Origin
from kvaudit.record.engine_table import Behaviour, is_model_driven, kv_dtype_under_auto
from kvaudit.record.kv_dtype.arithmetic import same_model
from kvaudit.record.kv_dtype.ladder import Rank, Vote, bits
from kvaudit.record.table import FactTable
from kvaudit.record.versions import Bounds, bounds

_SCHEME_SINCE = Version("0.15")
_FLAG_HONOURED_SINCE = Version("0.22")
_NOTICE_FOR_ANY_VALUE_UNTIL = Version("0.11.2")
_OF_SCHEME = ("fp8", "fp8_e4m3")
"""What an FP8 scheme makes of the cache; a flag that says the same is no less true when it is beaten."""


def votes(table: FactTable) -> list[Vote]:
    """Every vote that a vLLM arm's evidence gives, except arithmetic."""
    version = bounds(table.value("engine.version"))
    return [
        *_worker(table),
        *_declared(table, version),
        *_backend(table, version),
        *_untouched_auto(table, version),
        *_checkpoint(table, version),
    ]


def _worker(table: FactTable) -> list[Vote]:
    """A worker's own words, or its refusal of FP8, which proves that FP8 is what it was told to use."""
    found = []
    for clue in table.clues.get("clue.kv_dtype_worker", []):
        value = _named(table, str(clue.value))
        if value:
            found.append(Vote(Rank.WORKER, value, clue.how or "the worker names the element type", tuple(clue.origins)))
    return found


def _declared(table: FactTable, version: Bounds | None) -> list[Vote]:
    """The FP8 notice, and an engine line that names a type; not a flag that a checkpoint scheme may have beaten."""
    found = []
    line = _engine_line(table)
    beaten = _scheme_may_win(table, version)
    for clue in table.clues.get("clue.kv_dtype_notice", []):
        value = _named(table, str(clue.value))
        counts = not _says_sixteen(line) and (line or _notice_counts(version))
        if value and bits(value) == 8.0 and counts and (value in _OF_SCHEME or not beaten):
            found.append(Vote(Rank.DECLARED, value, "the engine announces a quantized KV cache", tuple(clue.origins)))
    value = _named(table, line)
    if value and (value in _OF_SCHEME or not beaten):
        origins = tuple(table.clue_origins("clue.kv_dtype_engine_line"))
        found.append(Vote(Rank.DECLARED, value, "the engine line names the element type", origins))
    return found


def _backend(table: FactTable, version: Bounds | None) -> list[Vote]:
    """Backends that hold no FP8 KV: FlashAttention 2 as the decoder's, or FLEX_ATTENTION among the valid candidates."""
    dtype = _sixteen_bits(table)
    if dtype is None or version is None or not version.released or _model_driven(table):
        return []
    found = []
    candidates = table.clue("clue.attention_candidates")
    if isinstance(candidates, list) and "FLEX_ATTENTION" in candidates:
        how = "FLEX_ATTENTION, which holds no FP8 KV, was a valid candidate after the KV dtype was applied"
        found.append(Vote(Rank.BACKEND, dtype, how, tuple(table.clue_origins("clue.attention_candidates"))))
    if table.clue("clue.flash_attention_version") == 2:
        how = "FlashAttention 2, which holds no FP8 KV, is the decoder's backend"
        found.append(Vote(Rank.BACKEND, dtype, how, tuple(table.clue_origins("clue.flash_attention_version"))))
    return found


def _untouched_auto(table: FactTable, version: Bounds | None) -> list[Vote]:
    """`auto` in the engine line where nothing in this version could have turned it into something else unseen."""
    dtype, quantization = table.value("model.dtype"), table.value("model.quantization")
    if _engine_line(table) != "auto" or version is None or dtype is None or _model_driven(table):
        return []
    if version.high < _SCHEME_SINCE:
        reason = "no vLLM before 0.15 changes auto without saying so"
    elif quantization is not None and "compressed" not in str(quantization).lower():
        reason = f"with quantization={quantization} vLLM changes auto only visibly"
    else:
        return []
    origins = tuple(table.clue_origins("clue.kv_dtype_engine_line")[:1])
    return [Vote(Rank.UNTOUCHED_AUTO, str(dtype), f"engine line auto; {reason}, so it is the model dtype", origins)]


def _checkpoint(table: FactTable, version: Bounds | None) -> list[Vote]:
    """The checkpoint's statement through the version table, where the checkpoint is the one that ran."""
    behaviour = checkpoint_behaviour(table, version)
    line = _engine_line(table)
    asked = _named(table, line) if line else _asked(table)
    if behaviour is None or (asked and not behaviour.beats_flag):
        return []
    value = table.value("model.dtype") if behaviour.value == "model" else _named(table, behaviour.value)
    if value is None or behaviour.value == "unknown":
        return []
    how = f"checkpoint statement × vLLM {table.value('engine.version')} (row {behaviour.row})"
    origins: list[Origin] = [*table.clue_origins("clue.checkpoint_quantization")[:2], *table.origins("engine.version")]
    return [Vote(Rank.CHECKPOINT, str(value), how, tuple(origins))]


def checkpoint_behaviour(table: FactTable, version: Bounds | None) -> Behaviour | None:
    """The table row for the checkpoint of this arm, None where checkpoint, version or model leave it open."""
    statement, config = table.clue("clue.checkpoint_statement"), table.clue("clue.checkpoint_config")
    if version is None or not isinstance(statement, dict) or _model_driven(table):
        return None
    if isinstance(config, dict) and not same_model(table, config):
        return None
    return kv_dtype_under_auto("vllm", version, statement)


def _scheme_may_win(table: FactTable, version: Bounds | None) -> bool:
    """Whether a compressed-tensors scheme may have beaten an explicit flag for another type (0.15 to 0.21)."""
    if "compressed" not in str(table.value("model.quantization") or "").lower():
        return False
    if version is not None and (version.high < _SCHEME_SINCE or version.low >= _FLAG_HONOURED_SINCE):
        return False
    behaviour = checkpoint_behaviour(table, version)
    return behaviour is None or behaviour.beats_flag is not False


def _notice_counts(version: Bounds | None) -> bool:
    return version is not None and version.low >= _NOTICE_FOR_ANY_VALUE_UNTIL


def _says_sixteen(line: str | None) -> bool:
    return bits(line) == 16.0 if line else False


def _engine_line(table: FactTable) -> str | None:
    value = table.clue("clue.kv_dtype_engine_line")
    return value if isinstance(value, str) else None


def _asked(table: FactTable) -> str | None:
    asked = [fact.value for fact in table.fields.get("kv_cache.dtype", []) if fact.stage == "requested"]
    return next((str(value) for value in asked if not FIELDS["kv_cache.dtype"].delegates(value)), None)


def _named(table: FactTable, raw: str | None) -> str | None:
    """The recorded spelling of an element type: on CUDA and ROCm vLLM's fp8 is fp8_e4m3; delegating words are None."""
    from kvaudit.fields import spelled

    if not raw or FIELDS["kv_cache.dtype"].delegates(raw) or raw == "None":
        return None
    value: Any = spelled("kv_cache.dtype", raw)
    if value == "fp8" and table.value("engine.platform") in ("cuda", "rocm"):
        return "fp8_e4m3"
    return str(value)


def _sixteen_bits(table: FactTable) -> str | None:
    dtype = table.value("model.dtype")
    return dtype if dtype in ("bfloat16", "float16") else None


def _model_driven(table: FactTable) -> bool:
    return is_model_driven("vllm", table.value("model.architecture"))
