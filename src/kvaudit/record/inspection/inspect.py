"""Inspects checkpoints: reads each one as an arm of its own and lays out what it tells.

Room: `record`, inspection, its entry point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kvaudit.errors import InputErrors
from kvaudit.parsers.checkpoint.scale_names import SCHEMES
from kvaudit.parsers.facts import Fact
from kvaudit.record.build import Options, read_arm
from kvaudit.record.inspection.cache_shape import CacheShape, cache_shape
from kvaudit.record.inspection.contradictions import contradictions
from kvaudit.record.inspection.engines import engine_rows
from kvaudit.record.inspection.model import (
    CacheReport,
    Inspection,
    LayerGroup,
    ModelInspection,
    QuantizationBlock,
    ScaleReport,
    Transfer,
)
from kvaudit.record.inspection.open_questions import Told, open_questions
from kvaudit.record.inspection.places import Place, places
from kvaudit.record.inspection.scale_words import BEHAVIOUR
from kvaudit.record.inspection.scales import CLUE, Scales, scales_of
from kvaudit.record.inspection.transfer import Wanted, transfer_of
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from kvaudit.sources.hub_prefix import PREFIX, is_hub_address

_IDENTITY = (
    "model.architecture",
    "model.dtype",
    "model.quantization",
    "model.weight_format",
    "model.layers",
    "model.kv_heads",
    "model.head_dim",
    "model.generation_config",
    "model.hash",
    "kv_cache.scheme_detail",
)


def inspect(arguments: Sequence[str], redactor: Redactor, tensor: int = 1, wanted: Wanted | None = None) -> Inspection:
    """The inspection of every checkpoint in `arguments`, on each of `tensor` ranks.

    Raises `InputErrors` where an argument cannot be used; one of several checkpoints below a folder only carries its error.
    """
    models: list[ModelInspection] = []
    for argument in arguments:
        found = places(argument)
        models += [_inspected(place, redactor, tensor, wanted, alone=len(found) == 1) for place in found]
    return Inspection(models=models)


def _inspected(place: Place, redactor: Redactor, tensor: int, wanted: Wanted | None, *, alone: bool) -> ModelInspection:
    try:
        record = read_arm(place.paths, redactor, Options(local_checkpoint=False))
    except InputErrors as error:
        if alone:
            raise
        return ModelInspection(label=place.label, error="; ".join(str(one) for one in error.errors))
    return inspection_of(record, place, tensor, wanted)


def inspection_of(record: Record, place: Place, tensor: int, wanted: Wanted | None) -> ModelInspection:
    """What the record of one checkpoint tells."""
    config = record.clue("clue.checkpoint_config")
    shape = config if isinstance(config, dict) else {}
    blocks = _blocks(record)
    statements = [clue.value for clue in record.clues.get("clue.checkpoint_quantization", [])]
    rows = engine_rows(statements, shape, record.value("model.dtype"), whole=place.folder_seen and not place.unread)
    scales = scales_of(record.clues.get(CLUE, []), config)
    cache = cache_shape(shape, tensor)
    repository, revision = _identity(record, place)
    return ModelInspection(
        label=place.label,
        repository=repository,
        revision=revision,
        sources=record.sources,
        identity={name: record.fields[name] for name in _IDENTITY if name in record.fields},
        scheme=record.fields.get("kv_cache.scheme"),
        blocks=blocks,
        contradictions=contradictions(blocks, rows, scales, record.value("kv_cache.scheme")),
        scales=_scales(scales),
        cache=_cache(cache, shape, tensor) if shape else None,
        engines=rows,
        transfer=_transfer(wanted, shape) if wanted else None,
        not_known=open_questions(record, place, Told(shape, cache, rows, scales)),
    )


def _identity(record: Record, place: Place) -> tuple[str | None, str | None]:
    """Repository and commit: of the folder in the Hub cache, or of the address that the files were read from."""
    read = next((source.path for source in record.sources if is_hub_address(source.path)), "")
    repository, _, rest = read.removeprefix(PREFIX).partition("@")
    return (repository, rest.partition("/")[0]) if rest else (place.repository, place.revision)


def _blocks(record: Record) -> list[QuantizationBlock]:
    speaking = record.clues.get("clue.checkpoint_statement", [])[:1]
    return [_block(clue, speaking) for clue in record.clues.get("clue.quantization_block", [])]


def _block(clue: Fact, speaking: Sequence[Fact]) -> QuantizationBlock:
    held: dict[str, Any] = clue.value
    return QuantizationBlock(
        file=clue.origins[0].file,
        method=str(held.get("method") or "not named"),
        weights=held.get("weights"),
        kv=held.get("kv"),
        kv_key=held.get("kv_key"),
        kv_raw=held.get("kv_raw"),
        nested=bool(held.get("nested")),
        speaks=any(_is_inside(one, clue) for one in speaking),
        origins=clue.origins,
    )


def _is_inside(statement: Fact, block: Fact) -> bool:
    """Whether the statement stands in the block."""
    place, inside = block.origins[0], statement.origins[0]
    return place.file == inside.file and f"{inside.pointer or ''}/".startswith(f"{place.pointer or ''}/")


def _scales(scales: Scales | None) -> ScaleReport | None:
    if scales is None:
        return None
    return ScaleReport(
        value=scales.value,
        how=scales.how,
        attention_layers=scales.attention,
        k_layers=scales.keys,
        v_layers=scales.values,
        all_one=scales.ones,
        per_head=scales.per_head,
        naming=[SCHEMES.get(scheme, scheme) for scheme in scales.schemes],
        engines=list(BEHAVIOUR.get(scales.value or "", ())),
        origins=list(scales.origins),
    )


def _cache(found: CacheShape, config: dict[str, Any], tensor: int) -> CacheReport:
    types = dict.fromkeys(dtype for layers in found.layers for dtype in layers.bytes_per_token)
    return CacheReport(
        tensor_parallel=tensor,
        attention=config.get("attention"),
        why=found.why,
        bound=found.bound,
        groups=[
            LayerGroup(
                kind=layers.kind,
                layers=layers.count,
                bytes_per_token=layers.bytes_per_token,
                window=layers.window,
                state_bytes=layers.state_bytes,
            )
            for layers in found.layers
        ],
        bytes_per_token={dtype: size for dtype in types if (size := found.per_token(dtype)) is not None},
    )


def _transfer(wanted: Wanted, config: dict[str, Any]) -> Transfer:
    """A prompt's cache is moved once, whatever the ranks: computed for one rank that holds all of it."""
    parameters = config.get("dense_parameters")
    whole = cache_shape(config, 1)
    return transfer_of(wanted, whole, parameters if isinstance(parameters, int) else None, gguf=config.get("format") == "gguf")
