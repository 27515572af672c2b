"""Reads config.json of a checkpoint in the Hugging Face format.

Room: checkpoint parsers. States what the file says and hands the geometry and the quantization block on as clues.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.checkpoint.geometry import geometry
from kvaudit.parsers.checkpoint.json_document import JsonDocument, load
from kvaudit.parsers.checkpoint.quantization import all_blocks, block_of_config
from kvaudit.parsers.checkpoint.quantization_facts import state_block, state_every_block, state_no_block
from kvaudit.parsers.checkpoint.recognition import kind_of
from kvaudit.parsers.checkpoint.shape import Decoder, decoder_of, head_dim_of, kv_heads_of, layers_of
from kvaudit.parsers.checkpoint.statements import Statements
from kvaudit.parsers.checkpoint.values import as_list, word
from kvaudit.parsers.facts import Fact, Origin, Reading
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

_RAW_LIMIT = 1 << 20
_DTYPES: dict[str, str] = {"half": "float16", "float": "float32", "bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


class ConfigJson:
    """config.json: architecture, dtype, shape, quantization block."""

    name = "checkpoint:config"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.95 for a JSON object with `architectures` or `model_type` and keys of a model's shape."""
        return 0.95 if kind_of(source) == "config" else 0.0

    def read(self, source: Source) -> Reading:
        """The statements of the file. Raises `InputError` when it is damaged."""
        document = load(source)
        decoder = decoder_of(document.value)
        statements = Statements(document, self.name)
        _state_model(statements, decoder)
        block = block_of_config(decoder)
        if block is None:
            state_no_block(statements, "config.json")
        else:
            state_block(statements, block, "config.json", word(decoder.text.get("expert_dtype")))
        state_every_block(statements, all_blocks(document.value), "config.json")
        _state_clues(statements, document, decoder)
        return Reading(kind=self.kind, facts=[*statements.facts(), *_file_facts(source, self.name)])


def _state_model(statements: Statements, decoder: Decoder) -> None:
    statements.add("model.architecture", _architecture(decoder.root), "/architectures")
    dtype, pointer = _dtype(decoder)
    statements.add("model.dtype", dtype, pointer)
    shape = {"model.layers": layers_of, "model.kv_heads": kv_heads_of, "model.head_dim": head_dim_of}
    for name, read in shape.items():
        if (found := read(decoder)) is not None:
            statements.add(name, found.value, *found.pointers, how=found.how)


def _architecture(root: dict[str, Any]) -> str | None:
    return next((name for item in as_list(root.get("architectures"))[:1] if (name := word(item))), None)


def _dtype(decoder: Decoder) -> tuple[str | None, str]:
    """The compute dtype: the whole configuration speaks before its decoder (vLLM 0.33 `get_torch_dtype`)."""
    for part, prefix in ((decoder.root, ""), (decoder.text, decoder.pointer("").removesuffix("/"))):
        for key in ("dtype", "torch_dtype"):
            name = (word(part.get(key)) or "").lower().removeprefix("torch.")
            if name and name != "auto":
                return _DTYPES.get(name, name), f"{prefix}/{key}"
    return None, ""


def _state_clues(statements: Statements, document: JsonDocument, decoder: Decoder) -> None:
    described = geometry(decoder) | {"architecture": _architecture(decoder.root)}
    statements.add("clue.checkpoint_config", described, decoder.pointer("").removesuffix("/"))
    statements.add("clue.checkpoint_path", document.source.folder)
    if document.source.size <= _RAW_LIMIT:
        statements.add("clue.raw_configuration", {"config.json": document.value})


def _file_facts(source: Source, reader: str) -> list[Fact]:
    """The hash is of the file, not of a line in it."""
    origin = Origin(file=source.path, reader=reader)
    return [fact("model.hash", source.sha256, "stated", [origin], how="sha256 of config.json")] if source.sha256 else []
