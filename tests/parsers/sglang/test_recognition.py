"""What is an SGLang log, and what only quotes one."""

from __future__ import annotations

import json

import pytest

from kvaudit.parsers.sglang.parser import SglangLog
from tests.parsers.sglang.logs import READY, arguments, capacity, served, source_of, stamped


def score(text: str) -> float:
    return SglangLog().recognises(source_of(text))


@pytest.mark.parametrize(
    "line",
    [
        arguments(),
        capacity(),
        READY,
        "The server is fired up and ready to roll!",
        stamped("KV Cache is allocated. #tokens: 9, KV size: 3.00 GB", "TP2"),
        "Load weight end. elapsed=9.00 s, type=LlamaForCausalLM, avail mem=24.00 GB, mem usage=17.00 GB.",
        stamped("Prefill batch. #new-seq: 1, #new-token: 9, #cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 0"),
        stamped("Scheduler hit an exception: Traceback (most recent call last):", "TP0"),
    ],
)
def test_one_own_line_is_enough(line: str) -> None:
    assert score(line + "\n") >= 0.6


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"lines": served()}, indent=1),
        json.dumps(served(), indent=1),
        "# How to read the log\n\n```\n" + "\n".join(served()) + "\n```\n\n## Then\n\n```\nmore\n```\n",
        "The docs say that the server is fired up and ready to roll! after a while.\n",
        "INFO 03-14 09:26:53 [core.py:1] GPU KV cache size: 1,000 tokens\n",
        "",
    ],
)
def test_documents_that_quote_a_log_are_none(text: str) -> None:
    assert score(text) == 0.0


def test_a_log_of_dockers_json_lines_is_one() -> None:
    text = "".join(json.dumps({"log": line + "\n", "stream": "stdout"}) + "\n" for line in served())
    assert score(text) > 0.9
    assert SglangLog().read(source_of(text)).starts[0].ready
