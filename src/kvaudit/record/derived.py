"""Facts that follow from other facts of the same arm: totals, scales, readiness of the KV element type.

Room: `record`. Each inference names its inputs' origins and its formula; nothing is inferred from a default.
"""

from __future__ import annotations

from kvaudit.parsers.facts import COUNTERS_CLUE, Fact
from kvaudit.parsers.tables import fact
from kvaudit.record.kv_dtype.arithmetic import add_bytes_per_token
from kvaudit.record.kv_dtype.ladder import FIELD, bits, settle
from kvaudit.record.kv_dtype.repeated import drop_unasked_copies
from kvaudit.record.kv_dtype.votes import ENGINES_WITH_VOTES, votes_of
from kvaudit.record.resolve import why_unknown
from kvaudit.record.simulation.votes import width_votes
from kvaudit.record.table import FactTable

_WEIGHS_WIDTHS_ITSELF = frozenset({"tensorrt_llm", "lmdeploy", "llama_cpp", "ollama"})
"""Engines that print bytes per token or the type itself, or whose one byte is of two kinds: their votes hold the arithmetic."""


def infer_everything(table: FactTable) -> None:
    """Add every inferred fact, in the order in which they need each other."""
    _take_reasons(table)
    _add_counters(table)
    add_bytes_per_token(table)
    drop_unasked_copies(table)
    _settle_kv_dtype(table)
    _state_scales(table)
    _add_scales(table)
    _add_total_tokens(table)


def _add_counters(table: FactTable) -> None:
    if COUNTERS_CLUE in table.clues:
        from kvaudit.record.counters.add import add_counters

        add_counters(table)


def _state_scales(table: FactTable) -> None:
    if "clue.kv_scales" in table.clues:
        from kvaudit.record.inspection.scales import settle_scales

        settle_scales(table)


def _take_reasons(table: FactTable) -> None:
    """Why fields are unknown, where a log says itself what it cannot show."""
    for clue in table.clues.get("clue.why_unknown", []):
        if isinstance(clue.value, dict):
            for name in clue.value.get("fields", []):
                table.reasons.setdefault(str(name), str(clue.value.get("because")))


def _settle_kv_dtype(table: FactTable) -> None:
    from kvaudit.fields import FIELDS

    engine = table.value("engine.name")
    facts = table.fields.get(FIELD, [])
    if engine not in ENGINES_WITH_VOTES:
        return
    widths = [] if engine in _WEIGHS_WIDTHS_ITSELF else width_votes(table)
    found = [*votes_of(engine, table), *widths]
    table.settled[FIELD] = settle(facts, found, table.reasons.get(FIELD) or why_unknown(FIELDS[FIELD], facts))


def _add_scales(table: FactTable) -> None:
    """FP8 KV without k/v scales runs on 1.0; scales that the checkpoint holds count only where KV is quantized."""
    width = bits(table.value(FIELD))
    stated = [one for one in table.fields.get("kv_cache.scales", []) if one.stage == "stated"]
    table.fields["kv_cache.scales"] = [one for one in table.fields.get("kv_cache.scales", []) if one.stage != "stated"]
    notice = [] if _reads_scales_unseen(table, stated) else table.clues.get("clue.kv_scale_notice", [])
    if width is not None and width > 8:
        return
    if notice and width == 8:
        table.add_once(fact("kv_cache.scales", "default_1.0", "resolved", list(notice[0].origins), how="the worker says so"))
    elif stated and width == 8:
        _scales_of_fp8(table, stated[0])
    elif stated and table.value("engine.name") is None:
        table.fields["kv_cache.scales"] = stated


def _reads_scales_unseen(table: FactTable, stated: list[Fact]) -> bool:
    """SGLang says "no scaling factors provided" of its flag alone: scales that the weight index lists are loaded all the same."""
    return table.value("engine.name") == "sglang" and any(one.value in ("checkpoint", "mixed") for one in stated)


def _scales_of_fp8(table: FactTable, stated: Fact) -> None:
    """What an FP8 cache scales by, from what the checkpoint holds: without scales, and with scales of 1.0, by 1.0."""
    value = "default_1.0" if stated.value == "none" else stated.value
    table.infer("kv_cache.scales", value, f"FP8 KV, and the checkpoint: {stated.how}", list(stated.origins))


def _add_total_tokens(table: FactTable) -> None:
    tokens, workers = table.value("kv_cache.tokens"), table.value("parallel.data")
    if isinstance(tokens, int) and isinstance(workers, int):
        origins = [*table.origins("kv_cache.tokens"), *table.origins("parallel.data")]
        table.infer("kv_cache.tokens_total", tokens * workers, f"{tokens:,} tokens × {workers} data-parallel workers", origins)
