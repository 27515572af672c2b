"""Raw streams: tokens from usage only, pieces counted, reasons to end, cached tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.parsers.results.files import figures, one_run, reading_of, recognised_as


def _stream(*events: dict[str, Any], done: bool = True) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + ("data: [DONE]\n\n" if done else "")


def _chat(delta: dict[str, Any], finish: str | None = None, identity: str = "chat-1", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": identity, "object": "chat.completion.chunk", "model": "acme/atlas-8b", "choices": [choice], **more}


def _usage(prompt: int, output: int, identity: str = "chat-1", **more: Any) -> dict[str, Any]:
    return {"id": identity, "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": output, **more}}


ROLE = _chat({"role": "assistant", "content": ""})


def test_tokens_are_those_of_usage_and_pieces_are_counted(tmp_path: Path) -> None:
    pieces = [_chat({"content": "red "}), _chat({"content": "green "}), _chat({"content": "blue"}, "length")]
    text = _stream(ROLE, *pieces, _usage(30, 9, prompt_tokens_details={"cached_tokens": 16}))
    run = one_run(tmp_path, text)
    found = figures(run)
    assert (found["input_tokens"], found["output_tokens"], found["cached_tokens"]) == (30, 9, 16)
    assert found["chunks.sum"] == 3
    assert (found["completed"], found["finished"], found["truncated"]) == (1, 1, 1)
    assert run.values["output_tokens"].counted == "usage"
    assert run.values["output_tokens"].line == 9
    assert run.model == "acme/atlas-8b"


def test_usage_in_every_event_is_cumulative(tmp_path: Path) -> None:
    pieces = [
        _chat({"content": text}, usage={"prompt_tokens": 5, "completion_tokens": count})
        for text, count in (("a", 3), ("", 6), ("c", 8))
    ]
    found = figures(one_run(tmp_path, _stream(ROLE, *pieces)))
    assert (found["output_tokens"], found["chunks.sum"]) == (8, 3)


def test_without_usage_the_tokens_are_unknown_and_said_to_be(tmp_path: Path) -> None:
    reading = reading_of(tmp_path, _stream(ROLE, _chat({"content": "red"}), _chat({"content": "blue"}, "stop")))
    run = one_run(tmp_path, _stream(ROLE, _chat({"content": "red"}), _chat({"content": "blue"}, "stop")))
    assert "output_tokens" not in run.values
    assert figures(run)["truncated"] == 0
    assert reading.notes == ["the stream (from line 1) without usage: the tokens cannot be known from its pieces"]


def test_two_streams_of_which_one_is_silent_give_no_total(tmp_path: Path) -> None:
    first = _stream(_chat({"content": "a"}), _usage(4, 2))
    second = _stream(_chat({"content": "b"}, "stop", identity="chat-2"))
    reading = reading_of(tmp_path, first + second)
    run = one_run(tmp_path, first + second)
    assert "output_tokens" not in run.values
    assert [row.get("output_tokens") for row in run.requests] == [2, None]
    assert reading.notes[0].startswith("1 of 2 streams")


def test_reasoning_and_tool_calls_are_pieces(tmp_path: Path) -> None:
    pieces = [_chat({"reasoning": "hm"}), _chat({"tool_calls": [{"index": 0}]}), _chat({"content": "x"}, "stop"), _chat({})]
    assert figures(one_run(tmp_path, _stream(ROLE, *pieces, _usage(4, 3))))["chunks.sum"] == 3


def test_the_native_stream_of_sglang_counts_in_every_event(tmp_path: Path) -> None:
    def event(tokens: int, finish: Any = None) -> dict[str, Any]:
        meta = {"id": "n1", "prompt_tokens": 20, "completion_tokens": tokens, "cached_tokens": 8, "finish_reason": finish}
        return {"text": "…", "meta_info": meta}

    found = figures(one_run(tmp_path, _stream(event(4), event(8), event(10, {"type": "length", "length": 10}))))
    assert (found["input_tokens"], found["output_tokens"], found["cached_tokens"]) == (20, 10, 8)
    assert (found["chunks.sum"], found["truncated"]) == (3, 1)


def test_timings_of_llama_server_tell_cached_and_drafted_tokens(tmp_path: Path) -> None:
    timings = {"prompt_n": 1, "cache_n": 99, "predicted_n": 3, "draft_n": 4, "draft_n_accepted": 2}
    last = _chat({}, "stop", usage={"prompt_tokens": 100, "completion_tokens": 3}, timings=timings)
    found = figures(one_run(tmp_path, _stream(ROLE, *(_chat({"content": "x"}) for _ in range(3)), last)))
    assert (found["cached_tokens"], found["draft_tokens"], found["accepted_tokens"]) == (99, 4, 2)
    assert (found["output_tokens"], found["chunks.sum"]) == (3, 3)


def test_the_completion_endpoint_of_llama_server(tmp_path: Path) -> None:
    timings = {"prompt_n": 10, "cache_n": 0, "predicted_n": 2}
    events = [
        {"index": 0, "content": "a", "stop": False},
        {"index": 0, "content": "b", "stop": False},
        {"index": 0, "content": "", "stop": True, "stop_type": "limit", "timings": timings},
    ]
    found = figures(one_run(tmp_path, _stream(*events, done=False)))
    assert (found["input_tokens"], found["output_tokens"], found["chunks.sum"], found["truncated"]) == (10, 2, 2, 1)


def test_headers_of_curl_may_stand_before(tmp_path: Path) -> None:
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n"
    assert recognised_as(tmp_path, head + _stream(ROLE, _chat({"content": "a"}), _usage(1, 1))) == "results:stream"


@pytest.mark.parametrize(
    "text",
    [
        "data: hello\n\ndata: world\n\n",
        'data: {"event": "ping"}\n\n',
        "A paper about streams.\n" * 9 + 'data: {"choices": []}\n',
    ],
)
def test_other_streams_and_texts_are_not_wanted(tmp_path: Path, text: str) -> None:
    assert recognised_as(tmp_path, text) is None


def test_damaged_events_are_passed_over(tmp_path: Path) -> None:
    text = _stream(_chat({"content": "a"}), done=False) + 'data: {"choices": [{"de\n\n' + _stream(_usage(3, 2))
    assert figures(one_run(tmp_path, text))["output_tokens"] == 2
