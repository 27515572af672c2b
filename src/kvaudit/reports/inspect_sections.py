"""The sections of the page about one checkpoint: identity, blocks, contradictions, scales, bytes per token, engines, open points.

Room: `reports`, lines for `inspect`. Every section may be empty.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING

from kvaudit.parsers.facts import Origin
from kvaudit.reports.inspect_tables import bytes_table, engine_table, transfer_table
from kvaudit.reports.text.evidence import Quote, quoted
from kvaudit.reports.text.layout import PROSE, hang, heading, indented, line
from kvaudit.reports.values import counted, short_digest, shorten, value_of, written

if TYPE_CHECKING:
    from rich.text import Text

    from kvaudit.record.inspection.model import ModelInspection

_LABEL = 14
_SHOWN_FILES = 4
_NAME = 44


def header(model: ModelInspection, width: int) -> list[Text]:
    """What it is, and of which files."""
    rows = [
        ("repository", _repository(model)),
        ("model", _model(model)),
        ("weights", _weights(model)),
        ("sampling", _value(model, "model.generation_config")),
        ("hash", _hash(model)),
        ("files", _files(model)),
    ]
    out = [line((model.label, "bold"))]
    for label, text in rows:
        out += hang((f"  {label:<{_LABEL}}", "dim"), line(text), min(width, PROSE)) if text else []
    return out


def _repository(model: ModelInspection) -> str:
    return f"{model.repository} @ {short_digest(model.revision or '')}" if model.repository else ""


def _model(model: ModelInspection) -> str:
    parts = [_value(model, "model.architecture"), _value(model, "model.dtype")]
    layers = _value(model, "model.layers")
    heads, size = _value(model, "model.kv_heads"), _value(model, "model.head_dim")
    parts += [f"{layers} layers" if layers else "", f"{heads} KV heads" if heads else "", f"head size {size}" if size else ""]
    return ", ".join(part for part in parts if part)


def _weights(model: ModelInspection) -> str:
    method, finer = _value(model, "model.quantization"), _value(model, "model.weight_format")
    if method == "none":
        return "not quantized"
    return f"{method}, {finer}" if method and finer and finer != method else method or finer


def _hash(model: ModelInspection) -> str:
    held = model.identity.get("model.hash")
    if held is None or held.state != "known":
        return ""
    how = held.facts[held.won[0]].how if held.won and held.facts else None
    return f"{short_digest(str(held.value))} ({how})" if how else short_digest(str(held.value))


def _files(model: ModelInspection) -> str:
    names = [shorten(PurePath(source.path).name, _NAME) for source in model.sources if source.kind != "ignored"]
    rest = len(names) - _SHOWN_FILES
    return ", ".join(names[:_SHOWN_FILES]) + (f" and {rest} more" if rest > 0 else "")


def _value(model: ModelInspection, name: str) -> str:
    held = model.identity.get(name)
    return value_of(name, held.value) if held and held.state == "known" else ""


def statement(model: ModelInspection, width: int) -> list[Text]:
    """The KV statement and the line it stands on."""
    held = model.scheme
    if held is None:
        return []
    value = value_of("kv_cache.scheme", held.value, held.state)
    detail = model.identity.get("kv_cache.scheme_detail")
    known = held.state == "known" and held.value != "none"
    said = written(detail.value) if known and detail and detail.state == "known" else ""
    text = line((value, "bold green" if held.state == "known" else "bold yellow"), f"  ({said})" if said else "")
    out = hang(("KV stated  ", "bold"), text, min(width, PROSE))
    deciding = [held.facts[index] for index in held.won if index < len(held.facts)]
    for fact in deciding[:2]:
        out += hang("  ", line((fact.how, "dim")), min(width, PROSE)) if fact.how else []
        out += [one for origin in fact.origins[:1] for one in _at(origin, "kv_cache.scheme", width)]
    return [*out, *(hang("  because ", line(held.because), min(width, PROSE)) if held.because else [])]


def _at(origin: Origin, field: str, width: int) -> list[Text]:
    return indented(quoted(Quote(origin, field), width - 2), 2)


def blocks(model: ModelInspection, width: int) -> list[Text]:
    """Every quantization block of every file."""
    if not model.blocks:
        return []
    out = [heading("Quantization blocks")]
    for block in model.blocks:
        kv = "no word about KV" if block.kv in (None, "none") else f"KV {block.kv}"
        marks = " (nested)" * block.nested + ("" if block.speaks else " (does not speak)")
        said = line((block.method, "bold"), f": weights {block.weights or 'unknown'}, {kv}{marks}")
        out += hang("  ", said, min(width, PROSE))
        out += [one for origin in block.origins for one in indented(_at(origin, "", width - 2), 2)]
    return out


def contradictions(model: ModelInspection, width: int) -> list[Text]:
    """What does not agree."""
    if not model.contradictions:
        return []
    out = [line(("What does not agree", "bold yellow"))]
    for one in model.contradictions:
        out += hang("  • ", line(one.message), min(width, PROSE))
        out += [text for origin in one.origins for text in indented(_at(origin, "", width - 2), 2)]
    return out


def scales(model: ModelInspection, width: int) -> list[Text]:
    """KV scales, how they are called, and what engines do."""
    found = model.scales
    if found is None:
        return []
    wide = min(width, PROSE)
    out = hang(("KV scales  ", "bold"), line((found.value or "unknown", "bold"), f"  {found.how}"), wide)
    out += [text for origin in found.origins[:1] for text in _at(origin, "kv_cache.scales", width)]
    out += [text for naming in found.naming for text in hang("  named ", line(naming), wide)]
    out += hang("  ", line("one scale for each head"), wide) if found.per_head else []
    return out + [text for said in found.engines for text in hang("  • ", line(said), wide)]


def cache(model: ModelInspection, width: int) -> list[Text]:
    """Bytes per token and rank."""
    found = model.cache
    if found is None or not found.groups:
        return []
    ranks = f"tensor parallel {found.tensor_parallel}, " if found.tensor_parallel > 1 else ""
    whose = "bytes on all devices together" if "f16" in found.bytes_per_token else f"{ranks}bytes per rank"
    out = [line(("KV cache of one token", "bold"), (f"  {whose}", "dim"))]
    out += bytes_table(found, width)
    return out + hang("  ", line((found.bound or found.why, "dim")), min(width, PROSE))


def engines(model: ModelInspection, width: int) -> list[Text]:
    """What each engine keeps under `auto`."""
    if not model.engines:
        return []
    return [heading("Under auto"), *engine_table(model.engines, width)]


def transfer(model: ModelInspection, width: int) -> list[Text]:
    """The arithmetic of moving the cache of one prompt."""
    found = model.transfer
    if found is None:
        return []
    wide = min(width, PROSE)
    title = f"Moving the KV cache of {found.prompt_tokens:,} tokens"
    out = [line((title, "bold"), ("  arithmetic, not measured", "yellow"))]
    if found.because:
        return out + hang("  ", line(found.because), wide)
    rate = found.prefill_tokens_per_second
    said = f"{rate:,.0f} tokens/s, {found.prefill_how}" if rate else found.prefill_how
    out += hang("  prefill: ", line(said), wide)
    return out + transfer_table(found, width)


def not_known(model: ModelInspection, width: int) -> list[Text]:
    """What the checkpoint alone leaves open."""
    if not model.not_known:
        return []
    out = [heading("Not known")]
    for question in model.not_known:
        out += hang("  • ", line(question), min(width, PROSE))
    return out


def notes(model: ModelInspection, width: int) -> list[Text]:
    """Remarks about the files."""
    found = [(PurePath(source.path).name, note) for source in model.sources for note in source.notes]
    if not found:
        return []
    several = len({note for _, note in found})
    out = [heading("Notes on the files")] if several else []
    said: dict[str, list[str]] = {}
    for name, note in found:
        said.setdefault(note, []).append(name)
    for note, names in said.items():
        where = names[0] if len(names) == 1 else counted(len(names), "file")
        out += hang("  ", line((f"{where}: {note}", "dim")), min(width, PROSE))
    return out


SECTIONS: tuple[Callable[[ModelInspection, int], list[Text]], ...] = (
    header,
    statement,
    blocks,
    contradictions,
    scales,
    cache,
    engines,
    transfer,
    not_known,
    notes,
)
"""In the order of the page."""
