"""The manager's messages in the journal, alone and in an engine's own log; stamps and the time to crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading, Start
from kvaudit.parsers.services.crashes import crash_times
from kvaudit.parsers.services.journal import beside_a_log
from kvaudit.parsers.services.spans import seconds, written
from kvaudit.parsers.services.stamps import elapsed, stamps
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
Settings = Callable[..., dict[tuple[str, str], Any]]
Read = Callable[..., Reading]

HOST = "bench-7"


def _short(at: str, text: str) -> str:
    return f"Jun 09 {at} {HOST} systemd[1]: atlas.service: {text}"


LOOP = "\n".join(
    [
        _short("10:00:00", "Main process exited, code=exited, status=1/FAILURE"),
        _short("10:00:15", "Scheduled restart job, restart counter is at 1."),
        _short("10:01:15", "Scheduled restart job, restart counter is at 2."),
        _short("10:02:16", "Scheduled restart job, restart counter is at 3."),
        f"Jun 09 10:02:17 {HOST} systemd[1]: other.service: Scheduled restart job, restart counter is at 1.",
        "",
    ]
)


def test_the_counter_and_the_cycle(settings: Settings) -> None:
    found = settings(LOOP, "journal.txt")
    assert found[("atlas.service", "NRestarts")] == 3
    assert found[("atlas.service", "cycle")] == {"seconds": 60.5, "count": 2}  # 60 and 61 seconds
    assert found[("other.service", "NRestarts")] == 1


def test_a_reached_limit_is_a_state(settings: Settings) -> None:
    found = settings(LOOP + _short("10:02:20", "Start request repeated too quickly.") + "\n", "journal.txt")
    assert found[("atlas.service", "state")] == "start-limit-hit"


@pytest.mark.parametrize("form", ["json", "export"])
def test_other_journal_forms_say_the_same(settings: Settings, form: str) -> None:
    entries = []
    for count, at in ((1, 15), (2, 75), (3, 136)):
        message = f"atlas.service: Scheduled restart job, restart counter is at {count}."
        time = str(1_780_000_000_000_000 + at * 1_000_000)
        if form == "json":
            entries.append(
                json.dumps({"__REALTIME_TIMESTAMP": time, "_PID": "1", "SYSLOG_IDENTIFIER": "systemd", "MESSAGE": message})
            )
        else:
            entries.append(f"__REALTIME_TIMESTAMP={time}\nMESSAGE={message}\n")
    found = settings("\n".join(entries) + "\n", "journal.txt")
    assert found[("atlas.service", "NRestarts")] == 3
    if form == "json":
        assert found[("atlas.service", "cycle")] == {"seconds": 60.5, "count": 2}


def test_an_engines_journal_keeps_the_managers_lines_too(make_source: MakeSource) -> None:
    source = make_source(LOOP, "journal.txt")
    assert {one.value["key"] for one in beside_a_log(source)} == {"NRestarts", "cycle"}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("2026-06-09T10:00:01.250Z x", "iso"),
        ("[2026-06-09 10:00:01 TP0] x", "iso"),
        ("[06/09/2026-10:00:01] [TRT-LLM] [I] x", "trt"),
        ("(EngineCore pid=7) INFO 06-09 10:00:01 [core.py:1] x", "vllm"),
        ("Jun  9 10:00:01 host systemd[1]: x", "short"),
        ("0.12.345.678 I srv x", "llama"),
        ('{"__REALTIME_TIMESTAMP":"1780000000000000"}', "realtime"),
    ],
)
def test_stamps_are_known_by_their_form(line: str, kind: str) -> None:
    assert set(stamps(line)) == {kind}


@pytest.mark.parametrize(
    ("first", "last", "passed"),
    [
        ("INFO 06-30 23:59:50 a", "ERROR 07-01 00:00:05 b", 15.0),
        ("2026-02-28T23:59:59Z", "2026-03-01T00:00:01.5Z", 2.5),
        ("Dec 31 23:00:00 h a", "Dec 31 23:00:45 h b", 45.0),
        ("0.00.301.000 I a", "1.02.301.500 I b", 62.0005),
        ("2026-06-09T10:00:10Z", "2026-06-09T10:00:09Z", None),
        ("INFO 06-30 23:59:50 a", "2026-06-30T23:59:59Z", None),
        ("no stamp", "INFO 06-30 23:59:50 a", None),
    ],
)
def test_only_stamps_of_one_kind_are_subtracted(first: str, last: str, passed: float | None) -> None:
    found = elapsed(first, last)
    assert found == passed or (passed is not None and found is not None and abs(found - passed) < 0.01)


def test_the_time_to_crash_lies_between_the_first_and_last_stamp(make_source: MakeSource) -> None:
    lines = ["banner", "INFO 06-09 10:00:02 [a.py:1] up", "no stamp", "ERROR 06-09 10:00:47 [b.py:2] out of memory", "trace"]
    log = "\n".join([*lines, "INFO 06-09 10:01:02 [a.py:1] up", ""])
    source = make_source(log, "server.log")
    starts = [Start(first_line=1, last_line=5, outcome="failed", ready=False), Start(first_line=6, last_line=6, ready=True)]
    (found,) = crash_times(source, starts)
    assert found.value == 45.0
    assert [origin.line for origin in found.origins] == [2, 4]


def test_a_start_without_two_stamps_has_no_time(make_source: MakeSource) -> None:
    source = make_source("a\nINFO 06-09 10:00:02 [a.py:1] up\nb\n", "server.log")
    assert crash_times(source, [Start(first_line=1, last_line=3, outcome="failed", ready=False)]) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("300", 300.0),
        ("5min 20s", 320.0),
        ("100ms", 0.1),
        ("1h", 3600.0),
        ("infinity", float("inf")),
        ("", None),
        ("soon", None),
        ("1 x", None),
    ],
)
def test_spans(text: str, value: float | None) -> None:
    assert seconds(text) == value


def test_spans_are_written_as_people_write_them() -> None:
    assert [written(value) for value in (300.0, 0.1, float("inf"))] == ["300", "0.1", "infinity"]
