"""Physical lines become records: rank prefixes of every era, glued stamps, carriage returns, collectors, other loggers."""

from __future__ import annotations

import pytest

from kvaudit.parsers.sglang.messages import Record, records
from kvaudit.sources.lines import Line


def only(text: str) -> Record:
    found = list(records(Line(7, text)))
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("[09:26:53 TP0] Hello", "TP0"),
        ("[2026-03-14 09:26:53] Hello", ""),
        ("[2026-03-14 09:26:53.345 TP1] Hello", "TP1"),
        ("[2026-03-14 09:26:53 DP1 TP3] Hello", "DP1 TP3"),
        ("[2026-03-14 09:26:53 DP0 TP0 PP0] Hello", "DP0 TP0 PP0"),
        ("[2026-03-14 09:26:53 DP15 TP15 EP15] Hello", "DP15 TP15 EP15"),
        ("[2026-03-14 09:26:53 DP0 PP0 ATTN_CP0 MOE_DP0 TP2 EP2] Hello", "DP0 PP0 ATTN_CP0 MOE_DP0 TP2 EP2"),
        ("[2026-03-14 09:26:53] INFO:     Hello", ""),
        ("[2026-03-14 09:26:53] WARNING model_config.py:1178: Hello", ""),
        ("2026-03-14T09:26:53.336833841Z [2026-03-14 09:26:53 TP1] Hello", "TP1"),
        ("sglang-1  | [2026-03-14 09:26:53] Hello", ""),
        ("................[2026-03-14 09:26:53] Hello", ""),
        ("Mar 14 09:26:53 box python3[99]: [2026-03-14 09:26:53 TP1] Hello", "TP1"),
    ],
)
def test_prefix_shapes_of_every_era(text: str, ranks: str) -> None:
    record = only(text)
    assert (record.message, record.ranks, record.stamped) == ("Hello", ranks, True)
    assert record.line[record.position :] == "Hello"


def test_a_rank_is_read_by_its_kind() -> None:
    record = only("[2026-03-14 09:26:53 DP2 TP5 EP5] Hello")
    assert (record.rank("DP"), record.rank("TP"), record.rank("PP"), record.scope) == (2, 5, None, "DP2 TP5 EP5")


@pytest.mark.parametrize(
    "text",
    [
        "Hello",
        "server-1  | Hello",
        "2026-03-14T09:26:53.336833841Z Hello",
        "(Engine pid=31) Hello",
        "2026-03-14T09:26:53.922414Z ERROR engine.launch_phase_sigquit_handler: Hello",
        "INFO:     Hello",
        "17:Hello",
        "348.1s 326 Hello",
    ],
)
def test_lines_without_a_stamp_lose_their_wrapper(text: str) -> None:
    record = only(text)
    assert (record.message, record.stamped) == ("Hello", False)
    assert record.line[record.position :].startswith("Hello")


def test_a_stamp_glued_behind_a_progress_bar() -> None:
    bar = "Capturing batches (bs=16 avail_mem=6.41 GB):   0%|          | 0/3 [00:00<?, ?it/s]"
    first, second = records(Line(3, f"{bar}[2026-03-14 09:26:53 TP3] Scheduler hit an exception: Traceback"))
    assert not first.stamped
    assert (second.message, second.ranks, second.number) == ("Scheduler hit an exception: Traceback", "TP3", 3)


def test_carriage_returns_separate_records_of_one_physical_line() -> None:
    line = "  0%|  | 0/2\r 50%|# | 1/2\r[2026-03-14 09:26:53] Hello"
    found = list(records(Line(5, line)))
    assert [record.message for record in found][-1] == "Hello"
    assert {record.number for record in found} == {5}
    assert line[found[-1].position :] == "Hello"


@pytest.mark.parametrize("text", ['{"log": 5}', "{broken", "[" * 5000 + "{", '{"other": "[2026-03-14 09:26:53] Hello"}'])
def test_other_json_is_left_as_it_is(text: str) -> None:
    assert all(record.line == text for record in records(Line(1, text)))


def test_what_clients_sent_is_no_record() -> None:
    assert list(records(Line(1, "[2026-03-14 09:26:53] Receive: obj=GenerateReqInput(text='KV Cache is allocated. 1')"))) == []
