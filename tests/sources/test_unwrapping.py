"""What comes off a line and what does not: an engine's own prefixes and formats are no wrapper."""

from __future__ import annotations

import json

import pytest

from kvaudit.sources.unwrapping import Piece, Unwrapper, readable, without_colours


def pieces(text: str) -> list[Piece]:
    return list(Unwrapper().unwrapped(text))


@pytest.mark.parametrize(
    "own",
    [
        "(EngineCore_DP0 pid=316) INFO 04-25 08:50:39 [core.py:93] Initializing",
        "(RayWorkerWrapper pid=316, ip=10.0.0.7) INFO 04-25 08:50:39 [worker.py:93] Using",
        "[2026-06-05 19:15:46 TP2] max_total_num_tokens=7",
        "[04/24/2026-09:33:39] [TRT-LLM] [I] Using C++ session",
        "[rank0]: ValueError: no",
        "llama_kv_cache: size = 7 MiB",
        "slot   load_model: id  0 | task -1 | new slot, n_ctx = 2048",
        "time=2026-05-15T14:38:04.445+02:00 level=INFO source=images.go:458 msg=x",
        '[GIN] 2025/05/15 - 14:38:14 | 200 |      62.276µs |       127.0.0.1 | HEAD     "/"',
        "| NVIDIA-SMI 580.95.05    Driver Version: 580.95.05 |",
        '2024-05-01T10:00:00.123456Z  INFO text_generation_launcher: Args { model_id: "x" }',
        "2024-05-01T10:00:00.123456Z ERROR dynamo_llm::kv: no",
        "2024-05-01 10:00:00.123 | INFO     | app.main:run:12 - started",
        'I0410 16:58:08.485508 1 model_lifecycle.cc:849] "loading"',
        "Monday is no stamp: 12",
        "12: a number alone",
        "name | value",
        "> quoted",
    ],
)
def test_a_programs_own_line_stays_as_it_is(own: str) -> None:
    assert pieces(own) == [Piece(own)]


@pytest.mark.parametrize(
    "document",
    [
        {"message": "GPU KV cache size", "levelname": "INFO", "asctime": "05-17", "host": "a"},
        {"timestamp": "2026", "level": "INFO", "message": "Args", "target": "text_generation"},
        {"function": "main", "level": "INFO", "line": 2603, "msg": "build", "timestamp": 7, "tid": "0x1"},
        {"title": "a bundle", "text": "INFO 05-17 11:42:07 [core.py:1] quoted", "log": "quoted"},
        ["INFO 05-17"],
    ],
)
def test_json_that_is_no_log_entry_stays_as_it_is(document: object) -> None:
    line = json.dumps(document)
    assert pieces(line) == [Piece(line)]


def test_wrappers_come_off_in_turn_and_are_named() -> None:
    inner = "May 17 11:42:07 host vllm[7]: (APIServer pid=7) INFO:     Started server process [7]"
    line = json.dumps({"log": f"2026-05-17T11:42:07.1Z {inner}\n", "stream": "stdout", "time": "2026"})
    assert pieces(line) == [
        Piece("(APIServer pid=7) INFO:     Started server process [7]", ("docker-json", "rfc3339", "journald-short"))
    ]


def test_nesting_without_end_ends() -> None:
    assert pieces("2026-05-17T11:42:07Z " * 50 + "x")[0].text == "2026-05-17T11:42:07Z " * 46 + "x"
    deep = "x"
    for _ in range(9):
        deep = json.dumps({"log": deep, "stream": "stdout"})
    assert pieces(deep)[0].chain == ("docker-json",) * 4


def test_a_deeply_nested_entry_is_no_crash() -> None:
    line = '{"log": ' + "[" * 100_000
    assert pieces(line) == [Piece(line)]


def test_an_entry_that_was_cut_is_read_as_far_as_it_goes() -> None:
    assert pieces('{"log":"GPU KV cache size: 16 tok\\u00')[0].text == "GPU KV cache size: 16 tok"
    assert pieces('{"log":"a \\"b\\" c\\n","stream":"std')[0].text == 'a "b" c'


def test_one_entry_may_hold_several_lines() -> None:
    line = json.dumps({"textPayload": "first\nsecond\r\n", "insertId": "1", "severity": "INFO"})
    assert [piece.text for piece in pieces(line)] == ["first", "second"]


def test_services_are_kept() -> None:
    (piece,) = pieces("[pod/otter-0/vllm] INFO x")
    assert (piece.text, piece.service) == ("INFO x", "otter-0/vllm")


def test_an_indented_traceback_keeps_its_indent() -> None:
    assert pieces('2026-05-17T11:42:07.1Z   File "a.py", line 3')[0].text == '  File "a.py", line 3'


def test_readable_takes_off_colours_holes_and_the_end_of_the_line() -> None:
    raw = b"\xef\xbb\xbf\0\0\x1b[0;36m(APIServer pid=7)\x1b[0;0m a\rb\xff\r"
    assert readable(raw) == "(APIServer pid=7) a\rb\ufffd"
    assert without_colours("\x1b]0;title\x07a\x1b(Bb\x1b[?25lc") == "abc"


def test_colours_go_whose_escape_character_was_lost_or_shown() -> None:
    for escape in ("", "^[", "\\u001b", "\\x1b", "\\033", "\u241b", "\ufffd"):
        assert (
            without_colours(f"{escape}[1;36m(APIServer pid=7){escape}[0;0m a {escape}[90mb{escape}[0m") == "(APIServer pid=7) a b"
        )
    assert without_colours("waited [10m] of [12m 3s]") == "waited [10m] of [12m 3s]"


def test_half_a_surrogate_pair_is_replaced_wherever_an_escape_names_one() -> None:
    whole = '{"log": "a \\ud800 b\\n", "stream": "stdout"}'
    cut = '{"log":"a \\ud800 b'
    assert [piece.text for line in (whole, cut) for piece in pieces(line)] == ["a ? b", "a ? b"]
