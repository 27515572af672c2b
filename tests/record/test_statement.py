"""Which file of a checkpoint speaks about KV, and what becomes of the other."""

from __future__ import annotations

from typing import Any

from kvaudit.record.statement import settle_statement
from kvaudit.record.table import FactTable
from tests.record.builders import said, statement

NO_BLOCK = statement(method="", has_block=False, kv="none")


def _file(name: str, clue: dict[str, Any], **fields: Any) -> list[Any]:
    held = {"kv_cache.scheme": clue["kv"], **{key.replace("__", "."): value for key, value in fields.items()}}
    return [
        said("clue.checkpoint_quantization", {**clue, "file": name}, "stated", file=name),
        *(said(field, value, "stated", file=name) for field, value in held.items()),
    ]


def _settled(*files: list[Any], latent: int | None = None) -> FactTable:
    facts = [fact for file in files for fact in file]
    if latent:
        facts.append(said("clue.checkpoint_config", {"kv_lora_rank": latent}, "stated"))
    table = FactTable(facts)
    settle_statement(table)
    return table


def test_the_block_of_config_json_speaks_alone() -> None:
    table = _settled(_file("config.json", statement()))
    assert table.value("kv_cache.scheme") == "fp8"
    assert table.clue("clue.checkpoint_statement")["file"] == "config.json"
    assert table.clue("clue.checkpoint_statement")["mla"] is False


def test_the_other_file_speaks_where_config_json_has_no_block() -> None:
    quantized = statement(method="modelopt", kv="fp8")
    files = (
        _file("config.json", NO_BLOCK, model__quantization="none"),
        _file("hf_quant_config.json", quantized, model__quantization="modelopt"),
    )
    for order in (files, files[::-1]):
        table = _settled(*order)
        assert table.clue("clue.checkpoint_statement")["file"] == "hf_quant_config.json"
        assert table.value("kv_cache.scheme") == "fp8"
        assert table.value("model.quantization") == "modelopt"


def test_two_blocks_that_disagree_are_a_conflict_and_name_both_files() -> None:
    silent = statement(method="modelopt", kv="none", kv_num_bits=None)
    loud = statement(method="modelopt", kv="fp8")
    table = _settled(
        _file("hf_quant_config.json", loud, model__quantization="modelopt"),
        _file("config.json", silent, model__quantization="modelopt"),
    )
    state = table.state("kv_cache.scheme")
    assert (state.state, state.value) == ("conflict", None)
    assert state.because == "config.json says none; hf_quant_config.json says fp8"
    assert {origin.file for fact in state.facts for origin in fact.origins} == {"config.json", "hf_quant_config.json"}
    assert table.clue("clue.checkpoint_statement")["file"] == "config.json"


def test_two_blocks_that_agree_are_one_statement() -> None:
    table = _settled(
        _file("config.json", statement(method="modelopt"), model__weight_format="nvfp4"),
        _file("hf_quant_config.json", statement(method="modelopt"), model__weight_format="fp8"),
    )
    assert table.value("kv_cache.scheme") == "fp8"
    assert len(table.state("kv_cache.scheme").facts) == 2
    assert table.value("model.weight_format") == "nvfp4"


def test_a_latent_cache_is_part_of_the_statement() -> None:
    assert _settled(_file("config.json", statement()), latent=512).clue("clue.checkpoint_statement")["mla"] is True


def test_what_the_engine_says_of_the_method_is_left_alone() -> None:
    table = _settled(_file("config.json", NO_BLOCK, model__quantization="none"))
    table.add(said("model.quantization", "compressed-tensors"))
    assert table.value("model.quantization") == "compressed-tensors"


def test_no_checkpoint_no_statement() -> None:
    table = _settled()
    assert table.clue("clue.checkpoint_statement") is None
    assert table.state("kv_cache.scheme").state == "unknown"
