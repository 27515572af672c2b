"""What is claimed, by which parser, and what is left to others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kvaudit.errors import InputError
from kvaudit.parsers.snapshots.catalogue import PARSERS
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
Box = Callable[..., str]

OTHERS = {
    "prose": "Run nvidia-smi and look at memory.used and utilization.gpu, then note the pid.\n" * 20,
    "an error": "ERROR: Option -m is missing its value. Please run 'nvidia-smi -h' for help.\n",
    "no driver": "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
    "a benchmark table": "model,input,output,throughput\nllama,128,128,5000\n",
    "a process list": "PID,USER,COMMAND\n1,root,init\n",
    "a checkpoint": '{"architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16"}',
    "a device list in a log": "INFO start\n" * 40 + "GPU 0: NVIDIA A30 (UUID: GPU-1)\n",
    "other cards in JSON": '{"card0": {"title": "Ace"}}',
    "damaged JSON": '{"card0": {"VRAM Total Memory (B)": "1',
    "nothing": "\n",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_documents_are_refused(make_source: MakeSource, text: str) -> None:
    assert [parser.name for parser in PARSERS if parser.recognises(make_source(text)) > 0] == []


def test_the_name_of_the_file_does_not_matter(make_source: MakeSource, box: Box) -> None:
    claims = [parser.name for parser in PARSERS if parser.recognises(make_source(box(), path="config.json"))]
    assert claims == ["nvidia-smi:table"]


def test_a_table_quoted_in_a_log_is_claimed_with_little_confidence(make_source: MakeSource, box: Box) -> None:
    table = next(parser for parser in PARSERS if parser.name == "nvidia-smi:table")
    alone, quoted = make_source(box()), make_source(box() + "INFO 03-03 08:00:00 [core.py:1] a line of an engine\n" * 200)
    assert table.recognises(alone) > 0.9
    assert 0.5 <= table.recognises(quoted) < 0.7


def test_a_table_beyond_the_head_is_found_where_the_head_names_the_tool(make_source: MakeSource, box: Box) -> None:
    source = make_source("# $ nvidia-smi -h\n" + "options of the tool\n" * 5000 + box())
    assert [parser.name for parser in PARSERS if parser.recognises(source)] == ["nvidia-smi:table"]


def test_every_parser_says_what_it_is() -> None:
    assert len({parser.name for parser in PARSERS}) == len(PARSERS)
    assert {parser.kind for parser in PARSERS} == {"gpu-snapshot"}
    assert {(parser.hints, parser.periodic_hints) for parser in PARSERS} == {((), ())}


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_a_document_that_was_not_kept_is_an_input_error(make_source: MakeSource, parser: object) -> None:
    source = make_source("x")
    source.data = None
    with pytest.raises(InputError, match="32 MiB"):
        parser.read(source)  # type: ignore[attr-defined]
