"""Reads the files that hold nothing but a quantization block: hf_quant_config.json and its relatives.

Room: checkpoint parsers. hf_quant_config.json is written by ModelOpt (0.23 to 0.46), quant_cfg.json by TensorRT-LLM,
quantize_config.json and quant_config.json by AutoGPTQ and AutoAWQ.
"""

from __future__ import annotations

from kvaudit.parsers.checkpoint.json_document import load
from kvaudit.parsers.checkpoint.quantization import Block, block_of_file
from kvaudit.parsers.checkpoint.quantization_facts import state_block, state_every_block
from kvaudit.parsers.checkpoint.recognition import kind_of
from kvaudit.parsers.checkpoint.statements import Statements
from kvaudit.parsers.facts import Reading
from kvaudit.sources.source import Source


class HfQuantConfig:
    """hf_quant_config.json: method, weight format and KV algorithm."""

    name = "checkpoint:hf-quant"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.95 for a JSON object that is a quantization block or holds one beside its producer."""
        return 0.95 if kind_of(source) == "quantization" else 0.0

    def read(self, source: Source) -> Reading:
        """The statements of the file. Raises `InputError` when it is damaged."""
        document = load(source)
        block = block_of_file(document.value)
        statements = Statements(document, self.name)
        state_block(statements, block, _file_kind(block))
        state_every_block(statements, [block], _file_kind(block))
        statements.add("clue.checkpoint_path", source.folder)
        return Reading(kind=self.kind, facts=statements.facts())


def _file_kind(block: Block) -> str:
    """The usual name of a file of this form: only ModelOpt's own form is what engines read beside config.json."""
    if block.path == ("quantization",):
        return "hf_quant_config.json"
    return "quant_cfg.json" if "quant_algo" in block.body else "quantize_config.json"
