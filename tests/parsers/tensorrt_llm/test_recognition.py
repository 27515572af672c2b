"""What is a TensorRT-LLM log, and what merely quotes one."""

from __future__ import annotations

import json

import pytest

from kvaudit.parsers.registry import recognise
from kvaudit.parsers.tensorrt_llm.parser import TensorRtLlmLog
from tests.parsers.tensorrt_llm.logs import BANNER, native, python, served, source_of


def score(text: str) -> float:
    return TensorRtLlmLog().recognises(source_of(text))


@pytest.mark.parametrize(
    "line",
    [
        BANNER,
        f"> {BANNER}",
        f"trt-1  | {BANNER}",
        python("Using LLM with PyTorch backend"),
        native("Using 10718 tokens in paged KV cache."),
        native("Number of blocks in KV cache primary pool: 17210"),
    ],
)
def test_one_telling_line_is_enough(line: str) -> None:
    assert score(f"{line}\n") == 0.95


def test_lines_of_its_loggers_without_a_telling_one() -> None:
    assert score(python("Config saved to /engines/atlas/config.json.") + "\n") >= 0.5


def test_a_page_that_quotes_a_log_is_none() -> None:
    page = "# Serving\n\n```\n" + BANNER + "\n```\n\n## More\n"
    assert score(page) == 0.0


def test_a_document_that_holds_log_lines_is_none() -> None:
    assert score(json.dumps({"lines": served()}, indent=2)) == 0.0


def test_other_text_is_none() -> None:
    assert score("TensorRT LLM version: 1.2.0 is what we use\nhello\n") == 0.0
    assert score("") == 0.0


def test_the_registry_knows_it() -> None:
    parser = recognise(source_of("\n".join(served()) + "\n"))
    assert parser is not None
    assert parser.name == "tensorrt_llm"
