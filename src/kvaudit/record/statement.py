"""What the checkpoint states about KV, over its files, in the order the engines read them.

Room: `record`. config.json's block speaks first; hf_quant_config.json only where config.json has none. Two blocks that
disagree are a conflict, because engines do not agree on which one to believe.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable

_ORDER = ("config.json", "hf_quant_config.json")
_SPOKEN_BY_BLOCKS = ("kv_cache.scheme", "kv_cache.scheme_detail", "model.quantization", "model.weight_format")


def settle_hash(table: FactTable) -> None:
    """A header stands for the checkpoint only where no config.json does, and only where it is the only one."""
    headers = table.clues.get("clue.header_hash", [])
    if len(headers) == 1 and "model.hash" not in table.fields:
        table.add(replace(headers[0], field="model.hash"))


def settle_statement(table: FactTable) -> None:
    """Choose the block that speaks and settle `kv_cache.scheme` and what the block says beside it."""
    clues = sorted(table.clues.get("clue.checkpoint_quantization", []), key=_position)
    with_block = [clue for clue in clues if clue.value.get("has_block")]
    speaking = (with_block or clues)[:1]
    if not speaking:
        return
    config = table.clue("clue.checkpoint_config")
    latent = isinstance(config, dict) and config.get("kv_lora_rank") is not None
    statement = {**speaking[0].value, "mla": latent}
    table.clues["clue.checkpoint_statement"] = [replace(speaking[0], value=statement)]
    for name in _SPOKEN_BY_BLOCKS:
        _keep_speaker(table, name, speaking[0], with_block)
    if len({str(clue.value.get("kv")) for clue in with_block}) > 1:
        table.settled["kv_cache.scheme"] = _disagreement(table, with_block)


def _position(clue: Fact) -> int:
    name = clue.value.get("file", "")
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _keep_speaker(table: FactTable, name: str, speaker: Fact, with_block: list[Fact]) -> None:
    """Facts stated by a file that does not speak stay shown, marked as overruled, and no longer decide."""
    spoken_by = {origin.file for origin in speaker.origins}
    facts = table.fields.get(name, [])
    stated = [one for one in facts if one.stage == "stated"]
    if not any(_file(one) in spoken_by for one in stated):
        return
    table.fields[name] = [one for one in facts if one.stage != "stated" or _file(one) in spoken_by or len(with_block) > 1]
    if name != "kv_cache.scheme" and len(with_block) > 1:
        table.fields[name] = [one for one in table.fields[name] if one.stage != "stated" or _file(one) in spoken_by]


def _file(one: Fact) -> str:
    return one.origins[0].file if one.origins else ""


def _disagreement(table: FactTable, with_block: list[Fact]) -> FieldState:
    said: list[Any] = [f"{clue.value.get('file')} says {clue.value.get('kv')}" for clue in with_block]
    facts = table.fields.get("kv_cache.scheme", [])
    return FieldState(state="conflict", because="; ".join(said), facts=list(facts), won=list(range(len(facts))))
