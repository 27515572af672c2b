"""Reads the header of a safetensors file: tensor names, types and shapes, and the values of small KV scales.

Room: checkpoint parsers. Format: a 64-bit little-endian length, then that many bytes of JSON, then the tensors. Besides the
header only KV scales of at most a few hundred bytes are read, until one of them is not 1.0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.json_document import JsonDocument, load
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.scale_facts import scale_clue, scale_tensors, shown_tensors
from kvaudit.parsers.checkpoint.scale_names import is_whole
from kvaudit.parsers.checkpoint.scale_values import SCALE_BYTES, all_ones
from kvaudit.parsers.checkpoint.statements import Statements
from kvaudit.parsers.checkpoint.values import as_list, as_object, count_of, word
from kvaudit.parsers.facts import Fact, Origin, Reading
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

LONGEST_HEADER = 25_000_000
"""huggingface_hub reads no longer header either; the safetensors library stops at 100 MB."""

_LENGTH_BYTES = 8
_METADATA = "__metadata__"
_MOST_SCALES = 2048


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a header: element type as written, elements, and where its bytes lie in the file."""

    name: str
    dtype: str
    elements: int
    start: int
    end: int


class SafetensorsHeader:
    """The header of a .safetensors file: KV scales, element types, number of parameters."""

    name = "checkpoint:safetensors"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.99 for a file that starts with a header length and a brace."""
        return 0.99 if source.form == "safetensors" else 0.0

    def read(self, source: Source) -> Reading:
        """The statements of the header. Raises `InputError` when it is damaged or its length is a lie."""
        if source.ranges is None:
            raise InputError(source.path, "a safetensors file that cannot be read in parts")
        data = header_bytes(source, source.ranges)
        document = load(replace(source, data=data, size=len(data)), limit=LONGEST_HEADER)
        document.lines = False
        tensors = list(_tensors(document, source, _LENGTH_BYTES + len(data)))
        statements = Statements(document, self.name)
        _state_scales(statements, tensors, source.ranges)
        statements.add("clue.weights", _summary(tensors), "")
        statements.add("clue.checkpoint_path", source.folder)
        return Reading(kind=self.kind, facts=[*statements.facts(), _hash(source, data, self.name)], notes=_notes(tensors))


def header_bytes(source: Source, ranges: Callable[[int, int], bytes]) -> bytes:
    """The JSON text of the header. Raises `InputError` before anything large is read."""
    length = int.from_bytes(ranges(0, _LENGTH_BYTES), "little")
    if length > source.size - _LENGTH_BYTES:
        raise InputError(source.path, f"the safetensors header claims {length:,} bytes, the file has {source.size:,}")
    if length > LONGEST_HEADER:
        raise InputError(source.path, f"the safetensors header claims {length:,} bytes; no more than {LONGEST_HEADER:,} are read")
    data = ranges(_LENGTH_BYTES, length)
    if len(data) < length:
        raise InputError(source.path, f"the safetensors header ends after {len(data):,} of {length:,} bytes")
    return data


def _tensors(document: JsonDocument, source: Source, data_start: int) -> Iterator[Tensor]:
    for name, entry in document.value.items():
        if name == _METADATA:
            continue
        body = as_object(entry)
        dtype, shape = _dtype(body.get("dtype")), [count_of(size) for size in as_list(body.get("shape"))]
        offsets = [count_of(offset) for offset in as_list(body.get("data_offsets"))]
        known = [offset for offset in offsets if offset is not None]
        if dtype is None or None in shape or len(known) != 2 or len(offsets) != 2 or known[0] > known[1]:
            raise InputError(source.path, f"the safetensors header describes {name[:80]!r} in a way that no tensor has")
        if data_start + known[1] > source.size:
            raise InputError(source.path, f"the file ends before the tensor {name[:80]!r}: cut off, or a header that lies")
        yield Tensor(name, dtype, _product(shape), data_start + known[0], data_start + known[1])


def _dtype(value: Any) -> str | None:
    return _known_word(value) if isinstance(value, str) else None


@lru_cache(maxsize=256)
def _known_word(value: str) -> str | None:
    """A header names a handful of types, thousands of times."""
    return word(value)


def _product(shape: list[int | None]) -> int:
    elements = 1
    for size in shape:
        elements *= size or 0
    return elements


def _state_scales(statements: Statements, tensors: list[Tensor], ranges: Callable[[int, int], bytes]) -> None:
    names = [tensor.name for tensor in tensors]
    if not names:
        return
    wanted = set(scale_tensors(names))
    scales = [tensor for tensor in tensors if tensor.name in wanted][:_MOST_SCALES]
    clue: dict[str, Any] = scale_clue(names, "header") | {
        "whole": is_whole(names),
        "ones": _ones(scales, ranges),
        "per_head": any(scale.elements > 1 for scale in scales),
    }
    statements.add("clue.kv_scales", clue, *([pointer_of(name) for name in shown_tensors(names)] or [""]))


def _ones(scales: list[Tensor], ranges: Callable[[int, int], bytes]) -> bool | None:
    """Whether all KV scales of the file equal 1.0; None where there are none or one is of a kind that is not read."""
    if not scales or any(scale.end - scale.start > SCALE_BYTES for scale in scales):
        return None
    for scale in scales:
        ones = all_ones(ranges(scale.start, scale.end - scale.start), scale.dtype)
        if ones is not True:
            return ones
    return True


def _summary(tensors: list[Tensor]) -> dict[str, Any]:
    """Elements by element type. Packed weights count as they are packed, so their sum is no number of parameters."""
    dtypes: dict[str, int] = {}
    for tensor in tensors:
        dtypes[tensor.dtype] = dtypes.get(tensor.dtype, 0) + tensor.elements
    return {"tensors": len(tensors), "elements": dtypes, "bytes": sum(tensor.end - tensor.start for tensor in tensors)}


def _hash(source: Source, data: bytes, reader: str) -> Fact:
    digest = hashlib.sha256(data).hexdigest()
    return fact(
        "clue.header_hash", digest, "stated", [Origin(file=source.path, reader=reader)], how="sha256 of the safetensors header"
    )


def _notes(tensors: list[Tensor]) -> list[str]:
    size = sum(tensor.end - tensor.start for tensor in tensors)
    return [f"{len(tensors)} tensors, {size / (1 << 30):.2f} GiB"]
