"""The evidence that TensorRT-LLM's logs and checkpoints give about the KV element type.

Room: `record`. Each function is one rung; versions come from the releases that were read (0.17 to 1.3). Under `auto` no line
names the result, but the budget line of the PyTorch backend prints how many bytes one token takes, and computes that from the
element type: 2 bytes, 1 for FP8, half a byte and a scale per 16 elements for NVFP4 (`KVCacheManager.get_cache_size_per_token`).
"""

from __future__ import annotations

from typing import Any

from kvaudit.fields import FIELDS, spelled
from kvaudit.parsers.checkpoint.geometry import latent_elements_per_token
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.record.engine_table import Behaviour, is_model_driven, kv_dtype_under_auto
from kvaudit.record.kv_dtype.arithmetic import elements_per_token, same_model, width_votes
from kvaudit.record.kv_dtype.ladder import Rank, Vote
from kvaudit.record.table import FactTable
from kvaudit.record.versions import bounds

_FIELD = "kv_cache.dtype"
_EXACT = 0.0005
"""Printed bytes are whole and computed, not measured: a layer more or less would show."""

_NVFP4 = 0.5625
_SHAPE = ("model.layers", "model.kv_heads", "model.head_dim")
_OWN_SHAPES = ("swa_num_key_value_heads", "swa_head_dim", "global_head_dim", "num_global_key_value_heads", "num_kv_shared_layers")
_FILES = ("hf_quant_config.json", "config.json")
"""The order in which the engine reads them: the quantization file speaks before config.json."""


def votes(table: FactTable) -> list[Vote]:
    """Every vote that a TensorRT-LLM arm's evidence gives."""
    return [
        *_reported(table),
        *_announced(table),
        *_declared(table),
        *_printed_bytes(table),
        *_division(table),
        *_checkpoint(table),
    ]


def _reported(table: FactTable) -> list[Vote]:
    """The engine's own report about the loaded model (trtllm-bench), and its word that an explicit type won."""
    found = []
    for clue in table.clues.get("clue.kv_dtype_worker", []):
        value = table.value("model.dtype") if clue.value == "model" else _named(clue.value)
        if value:
            found.append(Vote(Rank.WORKER, str(value), "the engine reports the element type", tuple(clue.origins)))
    return found


def _announced(table: FactTable) -> list[Vote]:
    """The checkpoint's KV algorithm, which the engine says it sets, and which nothing asked to replace."""
    if _asked(table) is not None:
        return []
    how = "the engine sets the KV algorithm of the checkpoint, which holds under auto"
    named = [(clue, _named(clue.value)) for clue in table.clues.get("clue.kv_dtype_notice", [])]
    return [Vote(Rank.WORKER, value, how, (*clue.origins, *_origins_of_auto(table))) for clue, value in named if value]


def _declared(table: FactTable) -> list[Vote]:
    """An explicit type that the engine validated: it is kept, or the start fails."""
    found = []
    for fact in _requests(table):
        if fact.value in ("fp8", "nvfp4") and any(origin.reader.endswith("kv-dtype-asked") for origin in fact.origins):
            value = _named(fact.value)
            how = "the engine validated the type that was asked for"
            found += [Vote(Rank.DECLARED, value, how, tuple(fact.origins))] if value else []
    return found


def _printed_bytes(table: FactTable) -> list[Vote]:
    """The bytes per token that the budget line prints, divided by the elements of a token on this rank."""
    printed = [one for one in table.fields.get("kv_cache.bytes_per_token", []) if one.stage == "observed"]
    elements, how = _elements(table)
    if not printed or not elements or not isinstance(printed[0].value, int | float):
        return []
    width = printed[0].value / elements
    value = _of_width(table, width, _EXACT)
    if value is None:
        return []
    said = f"{printed[0].value} bytes per token, as printed, ÷ {elements:,} elements ({how}) = {width:g} bytes per element"
    shape = [origin for name in _SHAPE for origin in table.origins(name)[:1]]
    origins: list[Origin] = [*printed[0].origins, *(shape or table.clue_origins("clue.checkpoint_config")[:1])]
    return [Vote(Rank.ARITHMETIC, value, said, tuple(origins))]


def _division(table: FactTable) -> list[Vote]:
    """Memory ÷ tokens where no bytes are printed. One byte may be INT8 in an engine of the TensorRT backend: not claimed."""
    found = width_votes(table)
    if table.value("engine.core") == "pytorch":
        return [Vote(vote.rank, _named(vote.value) or vote.value, vote.how, vote.origins) for vote in found]
    return [vote for vote in found if vote.value != "fp8"]


def _elements(table: FactTable) -> tuple[int | None, str]:
    """Elements of one token on one rank: plain layers, windowed layers kept whole, or latent vectors."""
    elements, why = elements_per_token(table)
    if elements is not None:
        return elements, "2 × layers × KV heads per rank × head size"
    config = table.clue("clue.checkpoint_config")
    if not isinstance(config, dict) or not same_model(table, config) or _splits_layers(table):
        return None, why
    if (latent := latent_elements_per_token(config)) is not None:
        return latent, "layers × latent vector"
    return _windowed(table, config), "2 × layers × KV heads per rank × head size, windowed layers kept whole"


def _splits_layers(table: FactTable) -> bool:
    """Whether ranks hold different layers, or a draft model's layers come on top."""
    drafts = str(table.value("speculative.method") or "none").lower() not in ("none", "ngram", "suffix")
    return drafts or any((table.value(f"parallel.{name}") or 1) != 1 for name in ("pipeline", "context"))


def _windowed(table: FactTable, config: dict[str, Any]) -> int | None:
    """Windowed attention of one shape: the budget counts every layer alike, whatever its window."""
    ranks = table.value("parallel.tensor")
    if config.get("attention") != "sliding" or any(config.get(key) for key in _OWN_SHAPES) or not isinstance(ranks, int):
        return None
    if ranks > 1 and table.value("parallel.data") != 1:
        return None
    layers, heads, size = (config.get(key) for key in ("layers", "kv_heads", "head_dim"))
    if not isinstance(layers, int) or not isinstance(heads, int) or not isinstance(size, int) or heads % ranks:
        return None
    return 2 * layers * (heads // ranks) * size


def _of_width(table: FactTable, width: float, tolerance: float) -> str | None:
    for expected, value in ((2.0, table.value("model.dtype")), (1.0, "fp8_e4m3"), (_NVFP4, "nvfp4")):
        if abs(width / expected - 1) <= tolerance:
            return str(value) if value in ("bfloat16", "float16", "fp8_e4m3", "nvfp4") else None
    return None


def _checkpoint(table: FactTable) -> list[Vote]:
    """The checkpoint's statement through the version table, where the checkpoint is the one that ran and nothing was asked."""
    behaviour, clue = checkpoint_behaviour(table)
    if behaviour is None or clue is None or _asked(table) is not None or table.value("engine.core") == "tensorrt":
        return []
    value = table.value("model.dtype") if behaviour.value == "model" else _named(behaviour.value)
    if value is None:
        return []
    how = f"checkpoint statement × TensorRT-LLM {table.value('engine.version')} (row {behaviour.row})"
    return [Vote(Rank.CHECKPOINT, str(value), how, (*clue.origins[:2], *table.origins("engine.version")))]


def checkpoint_behaviour(table: FactTable) -> tuple[Behaviour | None, Fact | None]:
    """The table row for the block that this engine reads first, and that block; None where something leaves it open."""
    version, config = bounds(table.value("engine.version")), table.clue("clue.checkpoint_config")
    clues = sorted(table.clues.get("clue.checkpoint_quantization", []), key=_position)
    with_block = next((clue for clue in clues if isinstance(clue.value, dict) and clue.value.get("has_block")), None)
    if version is None or with_block is None or is_model_driven("tensorrt_llm", table.value("model.architecture")):
        return None, None
    if isinstance(config, dict) and not same_model(table, config):
        return None, None
    return kv_dtype_under_auto("tensorrt_llm", version, with_block.value), with_block


def _position(clue: Fact) -> int:
    name = clue.value.get("file", "") if isinstance(clue.value, dict) else ""
    return _FILES.index(name) if name in _FILES else len(_FILES)


def _requests(table: FactTable) -> list[Fact]:
    return [fact for fact in table.fields.get(_FIELD, []) if fact.stage == "requested"]


def _asked(table: FactTable) -> str | None:
    """The element type that was asked for; None where it was left to the engine."""
    return next((str(fact.value) for fact in _requests(table) if not FIELDS[_FIELD].delegates(fact.value)), None)


def _origins_of_auto(table: FactTable) -> list[Origin]:
    return [origin for fact in _requests(table)[:1] for origin in fact.origins[:1]]


def _named(raw: Any) -> str | None:
    """The recorded name of an element type: TensorRT-LLM's FP8 is E4M3; None for delegating words."""
    if not raw or raw == "None" or FIELDS[_FIELD].delegates(raw):
        return None
    return "fp8_e4m3" if str(raw).lower() == "fp8" else str(spelled(_FIELD, str(raw)))
