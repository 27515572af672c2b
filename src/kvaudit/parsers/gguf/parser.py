"""Reads a GGUF file's header: architecture, shape, weight format.

Room: gguf parser. The element type of the KV cache is a flag of the server (`-ctk`, `-ctv`); no key of the file names it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.values import short, word
from kvaudit.parsers.facts import Fact, Origin, Reading
from kvaudit.parsers.gguf.cursor import Cursor
from kvaudit.parsers.gguf.file_types import FILE_TYPES, GUESSED, UNQUANTIZED
from kvaudit.parsers.gguf.header import Header, read_header
from kvaudit.parsers.gguf.shape import shape_of
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

_NO_MODEL = frozenset({"adapter", "mmproj", "imatrix", "vocab"})
_NO_STATEMENT = "GGUF has no key for the KV cache; llama.cpp takes its type from -ctk and -ctv"


class GgufHeader:
    """The header of a .gguf file."""

    name = "gguf:header"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.99 for a file that starts with GGUF."""
        return 0.99 if source.form == "gguf" else 0.0

    def read(self, source: Source) -> Reading:
        """The statements of the header. Raises `InputError` when it is damaged or claims what cannot be."""
        if source.ranges is None:
            raise InputError(source.path, "a GGUF file that cannot be read in parts")
        cursor = Cursor(source.path, source.size, source.ranges)
        header = read_header(cursor)
        notes = [f"GGUF version {header.version}, {header.tensors} tensors, {source.size / (1 << 30):.2f} GiB"]
        facts: list[Fact] = []
        if reason := _no_model(header):
            notes.append(reason)
        else:
            facts = _Statements(source, header, self.name).all()
        return Reading(kind=self.kind, facts=facts, notes=notes)


def _no_model(header: Header) -> str:
    """Why the file states nothing about a model: a later part of one, or something that goes beside one."""
    part, parts = header.count("split.no"), header.count("split.count")
    if part and parts:
        return f"part {part + 1} of {parts}: the first part holds what the file states"
    kind, architecture = header.text("general.type"), header.text("general.architecture")
    if kind in _NO_MODEL or architecture == "clip":
        return f"no language model but a file that goes beside one: {kind or architecture}"
    return "" if word(architecture) else "the header names no architecture"


@dataclass(slots=True)
class _Statements:
    source: Source
    header: Header
    reader: str
    facts: list[Fact] = field(default_factory=list)

    def all(self) -> list[Fact]:
        architecture = str(self.header.text("general.architecture"))
        shape = shape_of(self.header, architecture)
        self._add("model.architecture", architecture, ["general.architecture"])
        self._add("model.layers", shape["layers"], [f"{architecture}.block_count"])
        self._add(
            "model.kv_heads",
            shape["kv_heads"],
            [f"{architecture}.attention.head_count_kv", f"{architecture}.attention.head_count"],
        )
        key = f"{architecture}.attention.key_length"
        divided = key not in self.header.pairs
        parts = [f"{architecture}.embedding_length", f"{architecture}.attention.head_count"]
        self._add(
            "model.head_dim",
            shape["head_dim"],
            parts if divided else [key],
            "embedding_length // head_count" if divided else None,
        )
        self._weights()
        self._add("kv_cache.scheme", "none", [], _NO_STATEMENT)
        statement = {"file": "gguf", "method": "gguf", "has_block": False, "kv": "none"}
        self._add("clue.checkpoint_quantization", statement, ["general.file_type"])
        self._add("clue.checkpoint_config", shape, ["general.architecture"])
        self._add("clue.checkpoint_path", self.source.folder, [])
        self._add(
            "clue.header_hash",
            _digest(self.header, self.source.size),
            [],
            "sha256 of what the GGUF header states, and the size of the file",
        )
        return self.facts

    def _weights(self) -> None:
        number = self.header.count("general.file_type")
        found = FILE_TYPES.get(number & ~GUESSED) if number is not None else None
        if number is None or found is None:
            return
        printed, name = found
        quantization = "none" if number & ~GUESSED in UNQUANTIZED else printed
        how = f"general.file_type {number} is {printed}"
        self._add("model.quantization", quantization, ["general.file_type"], how)
        self._add("model.weight_format", name, ["general.file_type"], how)

    def _add(self, name: str, value: Any, keys: Iterable[str], how: str | None = None) -> None:
        if value is None:
            return
        origins = [self._origin(key) for key in keys if key in self.header.pairs][:2]
        origins = origins or [Origin(file=self.source.path, reader=self.reader)]
        self.facts.append(fact(name, value, "stated", origins, how=how))

    def _origin(self, key: str) -> Origin:
        excerpt = self.source.excerpt(f"{key} = {_shown(self.header.pairs[key])}")
        return Origin(file=self.source.path, pointer=pointer_of(key), excerpt=excerpt, reader=self.reader)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else short(value)


def _digest(header: Header, size: int) -> str:
    """A digest of what was kept of the header: long arrays, the tokenizer, are not part of it."""
    stated = sorted(header.pairs.items(), key=lambda item: item[0])
    return hashlib.sha256(repr((size, header.tensors, stated)).encode("utf-8", "replace")).hexdigest()
