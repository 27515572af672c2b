"""What a checkpoint alone leaves open, and what would settle it.

Room: `record`, inspection. Nothing is filled in from a default: what is not known is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kvaudit.record.inspection.cache_shape import CacheShape
from kvaudit.record.inspection.engines import ENGINES, newest_value
from kvaudit.record.inspection.model import EngineRow
from kvaudit.record.inspection.places import Place
from kvaudit.record.inspection.scales import Scales
from kvaudit.record.model import Record

_QUANTIZATION_FILE = "hf_quant_config.json"


@dataclass(frozen=True, slots=True)
class Told:
    """What a checkpoint tells: the clue of its configuration, layers, engines, scales."""

    config: dict[str, Any]
    cache: CacheShape
    rows: Sequence[EngineRow]
    scales: Scales | None


def open_questions(record: Record, place: Place, told: Told) -> list[str]:
    """One sentence for each open point."""
    return [
        *_files(record, place),
        *_scheme(record),
        *_shape(told.config, told.cache),
        *([] if told.config.get("format") == "gguf" else _scales(told.scales)),
        *_engines(told.rows),
        *_draft(told.config),
    ]


def _files(record: Record, place: Place) -> list[str]:
    if place.unread:
        reason = "links that leave the folder" if place.folder_seen else "beside the file that was given; give the folder"
        return [f"{', '.join(place.unread)} not read: {reason}"]
    read = {clue.value.get("file") for clue in record.clues.get("clue.checkpoint_quantization", [])}
    if place.folder_seen or read != {"config.json"}:
        return []
    return [f"whether a {_QUANTIZATION_FILE} belongs to it, which would speak where config.json has no block: give the folder"]


def _scheme(record: Record) -> list[str]:
    held = record.fields.get("kv_cache.scheme")
    if held is None or held.state in ("known", "absent"):
        return []
    if held.state == "conflict":
        return [f"which KV statement holds: {held.because}"]
    return [f"what the checkpoint states about KV: {held.because}"]


def _shape(config: dict[str, Any], cache: CacheShape) -> list[str]:
    if not config:
        return ["the shape of the model, and with it bytes per token: no config.json and no GGUF header"]
    found = [] if cache.layers else [f"bytes per token: {cache.why}"]
    if any(not layers.bytes_per_token and layers.state_bytes is None for layers in cache.layers):
        found.append("the size of the recurrent states, which come on top of the bytes per token")
    return [*found, *([f"exact bytes per token: {cache.bound}"] if cache.bound else [])]


def _scales(scales: Scales | None) -> list[str]:
    if scales is None:
        return ["whether there are KV scales: no weight index and no safetensors header"]
    if scales.value is None:
        return [f"whether the KV scales are complete: {scales.how}"]
    if scales.value == "checkpoint" and scales.ones is None:
        return ["the values of the KV scales: the index names them, their files were not read"]
    return []


def _engines(rows: Sequence[EngineRow]) -> list[str]:
    newest = [(name, newest_value(rows, engine)) for engine, name in ENGINES.items()]
    return [f"what {name} does under auto: {row.source}" for name, row in newest if row and row.kv_dtype is None]


def _draft(config: dict[str, Any]) -> list[str]:
    layers = config.get("mtp_attention_layers")
    if not layers:
        return []
    more = "one more layer of attention keeps" if layers == 1 else f"{layers} more layers of attention keep"
    return [f"whether the draft module runs: with it {more} KV"]
