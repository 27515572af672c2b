"""What does not agree about a checkpoint: its files with each other, engines, releases of one engine, scheme and scales.

Room: `record`, inspection. Sentences for people, each with the lines it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from kvaudit.parsers.facts import Origin
from kvaudit.record.inspection.engines import ENGINES, newest_value, releases
from kvaudit.record.inspection.model import Contradiction, EngineRow, QuantizationBlock
from kvaudit.record.inspection.scales import Scales
from kvaudit.record.kv_dtype.ladder import compatible

_QUANTIZED = frozenset({"fp8", "nvfp4", "int8"})


def contradictions(
    blocks: Sequence[QuantizationBlock], rows: Sequence[EngineRow], scales: Scales | None, scheme: str | None
) -> list[Contradiction]:
    """Everything that does not agree; `scheme` is the checkpoint's statement, None where it is not decided."""
    return [*_of_files(blocks, rows), *_of_engines(blocks, rows), *_of_releases(rows), *_of_scales(scales, scheme, blocks)]


def _of_files(blocks: Sequence[QuantizationBlock], rows: Sequence[EngineRow]) -> list[Contradiction]:
    found = []
    for first, second in _pairs(blocks):
        if first.kv != second.kv:
            message = f"{_place(first)} {_says(first)}, {_place(second)} {_says(second)}."
            what = _by_engine(rows) if first.file != second.file else "Engines read the first."
            found.append(Contradiction(between="files", message=f"{message} {what}", origins=_lines(first, second)))
        if first.weights and second.weights and first.weights != second.weights and not second.nested:
            message = f"{_place(first)} names {first.weights} for the weights, {_place(second)} {second.weights}."
            found.append(Contradiction(between="files", message=message, origins=_lines(first, second)))
    return found


def _pairs(blocks: Sequence[QuantizationBlock]) -> list[tuple[QuantizationBlock, QuantizationBlock]]:
    """The block that speaks with each of the others."""
    speaking = next((block for block in blocks if block.speaks), None)
    return [(speaking, block) for block in blocks if block is not speaking] if speaking else []


def _place(block: QuantizationBlock) -> str:
    origin, name = block.origins[0], PurePath(block.file).name
    return f"{name}:{origin.line}" if origin.line else name


def _says(block: QuantizationBlock) -> str:
    return "says nothing about KV" if block.kv in (None, "none") else f"states {block.kv} for KV"


def _lines(*blocks: QuantizationBlock) -> list[Origin]:
    return [origin for block in blocks for origin in block.origins[-1:]]


def _by_engine(rows: Sequence[EngineRow]) -> str:
    """What the newest releases read and keep: `vLLM reads config.json and keeps bfloat16`."""
    newest = [row for engine in ENGINES if (row := newest_value(rows, engine)) and row.kv_dtype and row.file]
    said = [f"{ENGINES[row.engine]} reads {row.file} and keeps {row.kv_dtype}" for row in newest]
    return f"Under auto, {_listed(said)}." if said else ""


def _of_engines(blocks: Sequence[QuantizationBlock], rows: Sequence[EngineRow]) -> list[Contradiction]:
    newest = [row for engine in ENGINES if engine != "llama_cpp" and (row := newest_value(rows, engine)) and row.kv_dtype]
    if len(newest) < 2 or all(compatible(str(newest[0].kv_dtype), str(row.kv_dtype)) for row in newest):
        return []
    if len({row.file for row in newest}) > 1:
        return []  # the files disagree, which has been said with the engines
    said = _listed([f"{ENGINES[row.engine]} keeps {row.kv_dtype}" for row in newest])
    message = f"Under auto the newest releases make different caches of this checkpoint: {said}."
    return [Contradiction(between="engines", message=message, origins=[o for b in blocks if b.speaks for o in b.origins[-1:]])]


def _of_releases(rows: Sequence[EngineRow]) -> list[Contradiction]:
    """Engines that change their mind from release to release, hide what they keep, or overrule a flag."""
    found = []
    for engine, name in ENGINES.items():
        known = [row for row in rows if row.engine == engine and row.kv_dtype]
        narrow = [row for row in known if row.shown is False and _is_narrow(str(row.kv_dtype))]
        if engine == "llama_cpp" or (len({row.kv_dtype for row in known}) < 2 and not narrow):
            continue
        said = [f"{name} keeps {', '.join(f'{row.kv_dtype} ({releases(row)})' for row in _joined(known))}"]
        said += [f"its log does not show the {narrow[-1].kv_dtype} cache"] if narrow else []
        said += [f"{releases(row)}: even where --kv-cache-dtype asks for 16 bits" for row in known if row.beats_flag]
        found.append(Contradiction(between="releases", message="; ".join(said) + "."))
    return found


def _joined(rows: Sequence[EngineRow]) -> list[EngineRow]:
    """Neighbouring releases that keep the same type as one."""
    out: list[EngineRow] = []
    for row in rows:
        if out and out[-1].until == row.since and out[-1].kv_dtype == row.kv_dtype:
            out[-1] = replace(out[-1], until=row.until)
        else:
            out.append(row)
    return out


def _is_narrow(dtype: str) -> bool:
    return dtype.startswith(("fp8", "nvfp4", "int8"))


def _of_scales(scales: Scales | None, scheme: str | None, blocks: Sequence[QuantizationBlock]) -> list[Contradiction]:
    if scales is None or scales.value is None or scheme is None:
        return []
    where = [*(origin for block in blocks if block.speaks for origin in block.origins[-1:]), *scales.origins[:1]]
    if scheme in _QUANTIZED and scales.value == "none":
        message = f"The checkpoint states {scheme} for KV and brings no scales: the cache is quantized with scale 1.0."
    elif scheme in _QUANTIZED and scales.value == "default_1.0":
        message = f"The checkpoint states {scheme} for KV, and every scale it brings equals 1.0: as if there were none."
    elif scheme in _QUANTIZED and scales.value == "mixed":
        message = f"The checkpoint states {scheme} for KV, and its scales are incomplete: {scales.how}; the other layers use 1.0."
    elif scheme not in _QUANTIZED and scales.value in ("checkpoint", "mixed", "default_1.0"):
        said = "states no KV scheme" if scheme == "none" else f"states {scheme} for KV"
        message = (
            f"The checkpoint brings KV scales and {said}: under auto the cache keeps the model's dtype and does not use them."
        )
    else:
        return []
    return [Contradiction(between="scales", message=message, origins=where)]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
