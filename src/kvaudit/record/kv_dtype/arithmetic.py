"""Bytes per token, bytes per element, and the element width that only one of them fits.

Room: `record`. For plain attention: bytes per token and rank = 2 (K and V) × layers × KV heads per rank × head size × bytes
per element. Everything else (sliding windows, latent caches, recurrent state) is unknown here, with the reason.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import Origin
from kvaudit.record.kv_dtype.ladder import Rank, Vote
from kvaudit.record.table import FactTable

GIB = 1 << 30
_WIDTH_TOLERANCE = 0.03
"""A wrong width is off by at least 48 %; rounding, block floors and reserves stay below 3 %."""
NO_CONFIG = "no config.json of the model that ran"
_CAPS = ("num_gpu_blocks_override", "max_total_tokens", "max_tokens")
_SHAPE = ("model.layers", "model.kv_heads", "model.head_dim")
_DRAFTS_WITHOUT_LAYERS = frozenset({"none", "ngram", "ngram_gpu", "suffix", "[ngram]"})


def elements_per_token(table: FactTable) -> tuple[int | None, str]:
    """KV elements one token takes on one rank, or None and why the arithmetic does not hold."""
    config = table.clue("clue.checkpoint_config")
    if not isinstance(config, dict):
        return None, NO_CONFIG
    if not same_model(table, config):
        return None, "the config.json is of another architecture than the log names"
    for name in ("parallel.pipeline", "parallel.context"):
        if (table.value(name) or 1) != 1:
            return None, f"{name} is not 1, so ranks hold different shares"
    if str(table.value("speculative.method") or "none").lower() not in _DRAFTS_WITHOUT_LAYERS:
        return None, "the layers of the draft model share the pool"
    if table.value("engine.name") == "sglang" and (table.value("parallel.data") or 1) != 1:
        return None, "data-parallel workers may share the tensor-parallel ranks, so the heads per rank are not known"
    tensor = table.value("parallel.tensor")
    if not isinstance(tensor, int):
        return None, "the tensor-parallel size is not known"
    if table.value("engine.name") == "tensorrt_llm" and tensor > 1 and table.value("parallel.data") != 1:
        return None, "whether every rank keeps whole KV heads (enable_attention_dp) is not known"
    from kvaudit.parsers.checkpoint.geometry import plain_elements_per_token

    elements = plain_elements_per_token(config, tensor)
    if elements is None:
        return None, str(config.get("why") or "the attention of this model is not plain")
    return elements, ""


def same_model(table: FactTable, config: dict[str, Any]) -> bool:
    """Whether the checkpoint file can be the one that ran: the architecture of the log is among its own."""
    printed = table.value("model.architecture")
    stated = config.get("architecture")
    return not printed or not stated or str(printed).lower() == str(stated).lower()


def add_bytes_per_token(table: FactTable) -> None:
    """Infer bytes per token (memory ÷ tokens) and, for plain attention, bytes per element."""
    memory, tokens = table.value("kv_cache.memory_gib"), table.value("kv_cache.tokens")
    if not isinstance(memory, int | float) or not isinstance(tokens, int) or tokens <= 0 or memory <= 0:
        return
    if capped := _cap(table):
        table.reasons["kv_cache.bytes_per_token"] = f"{capped} holds the pool below its memory, so memory ÷ tokens means nothing"
        return
    origins = [*table.origins("kv_cache.memory_gib"), *table.origins("kv_cache.tokens")]
    per_token = memory * GIB / tokens
    how = f"{memory} GiB × 2^30 ÷ {tokens:,} tokens"
    table.infer("kv_cache.bytes_per_token", round(per_token, 1), how, origins)
    elements, why = elements_per_token(table)
    if elements is None:
        table.reasons["kv_cache.bytes_per_element"] = why
        return
    how = f"{per_token:,.0f} bytes per token ÷ {elements:,} elements (2 × layers × KV heads per rank × head size)"
    shape = [origin for name in _SHAPE for origin in table.origins(name)[:1]]
    origins += shape or table.clue_origins("clue.checkpoint_config")[:1]
    table.infer("kv_cache.bytes_per_element", round(per_token / elements, 3), how, origins)


def _cap(table: FactTable) -> str | None:
    """The launch argument that sets the number of blocks or tokens by hand, if one was given."""
    arguments = table.value("run.args")
    given = arguments if isinstance(arguments, dict) else {}
    return next((name for name in _CAPS if given.get(name)), None)


def width_votes(table: FactTable) -> list[Vote]:
    """The element type that the arithmetic proves, from the pool of a good start or the need of a failed one."""
    votes = []
    element = table.state("kv_cache.bytes_per_element")
    if element.state == "known":
        fact = element.facts[element.won[0]]
        votes += _vote(table, float(element.value), str(fact.how), fact.origins)
    votes += _failed_start(table)
    return votes


def _failed_start(table: FactTable) -> list[Vote]:
    gib, tokens = table.clue("clue.kv_needed_gib"), table.clue("clue.kv_needed_tokens")
    elements, _ = elements_per_token(table)
    if not isinstance(gib, int | float) or not isinstance(tokens, int) or not elements or gib < 1 or tokens <= 0:
        return []
    per_element = gib * GIB / tokens / elements
    how = f"{gib} GiB needed for {tokens:,} tokens ÷ {elements:,} elements per token = {per_element:.2f} bytes per element"
    return _vote(table, per_element, how, table.clue_origins("clue.kv_needed_gib"))


def _vote(table: FactTable, per_element: float, how: str, origins: list[Origin]) -> list[Vote]:
    model_dtype = table.value("model.dtype")
    width = next((width for width in (4.0, 2.0, 1.0) if abs(per_element / width - 1) <= _WIDTH_TOLERANCE), None)
    value = {2.0: model_dtype, 4.0: model_dtype, 1.0: "fp8"}.get(width or 0.0)
    if value is None or (width == 2.0 and value == "float32") or (width == 4.0 and value != "float32"):
        return []
    return [Vote(Rank.ARITHMETIC, str(value), f"{how}: {per_element:.2f} bytes per element", tuple(origins))]
