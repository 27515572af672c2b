"""Reads model.safetensors.index.json: whether the checkpoint holds KV scales, and how large it is.

Room: checkpoint parsers. Tensor names only; no weight is opened. Whether the scales are enough is decided in `record`.
"""

from __future__ import annotations

from kvaudit.parsers.checkpoint.json_document import JsonDocument, load
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.recognition import kind_of
from kvaudit.parsers.checkpoint.scale_facts import scale_clue, shown_tensors
from kvaudit.parsers.checkpoint.statements import Statements
from kvaudit.parsers.checkpoint.values import as_object, positive
from kvaudit.parsers.facts import Reading
from kvaudit.sources.scan import DOCUMENT_BYTES
from kvaudit.sources.source import Source


class SafetensorsIndex:
    """model.safetensors.index.json: KV scales and total size."""

    name = "checkpoint:index"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.95 for a JSON object with a `weight_map`."""
        return 0.95 if kind_of(source) == "index" else 0.0

    def read(self, source: Source) -> Reading:
        """The statements of the file. Raises `InputError` when it is damaged."""
        document = load(source, limit=DOCUMENT_BYTES)
        statements = Statements(document, self.name)
        _state_scales(statements, document)
        statements.add("clue.checkpoint_path", source.folder)
        return Reading(kind=self.kind, facts=statements.facts(), notes=_notes(document))


def _state_scales(statements: Statements, document: JsonDocument) -> None:
    names = list(as_object(document.value.get("weight_map")))
    if names:
        shown = [pointer_of("weight_map", name) for name in shown_tensors(names)] or ["/weight_map"]
        statements.add("clue.kv_scales", scale_clue(names, "index"), *shown)


def _notes(document: JsonDocument) -> list[str]:
    total = positive(as_object(document.value.get("metadata")).get("total_size"))
    return [f"checkpoint size {total / (1 << 30):.2f} GiB (metadata.total_size {total})"] if total else []
