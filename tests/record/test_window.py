"""The start that served while the benchmark ran, by the date in the result file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kvaudit.record.build import Options, read_arm
from kvaudit.redaction import Redactor
from tests.parsers.results import samples


def _start(hour: int, version: str) -> str:
    """A start of vLLM that becomes ready at the minute 2 of an hour and serves until minute 40."""
    return (
        f"(APIServer pid={hour}) INFO 03-12 {hour}:00:00 [api_server.py:1880] vLLM API server version {version}\n"
        f"(APIServer pid={hour}) INFO 03-12 {hour}:02:00 [launcher.py:36] Available routes are:\n"
        f"(APIServer pid={hour}) INFO:     Application startup complete.\n"
        f"(APIServer pid={hour}) INFO 03-12 {hour}:40:00 [loggers.py:127] Engine 000: Avg prompt throughput: 0.0 tokens/s, "
        "Avg generation throughput: 0.0 tokens/s, Running: 0 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.0%, "
        "Prefix cache hit rate: 0.0%\n"
    )


LOG = _start(10, "0.11.0") + _start(11, "0.12.0") + _start(12, "0.13.0")


@pytest.mark.parametrize(
    ("date", "version"),
    [
        ("20270312-101530", "0.11.0"),
        ("20270312-110000", "0.12.0"),
        ("20270312-115959", "0.12.0"),
        ("20270312-124959", "0.13.0"),
        ("20270312-125001", "0.13.0"),
        ("20270313-101530", "0.13.0"),
        (None, "0.13.0"),
    ],
)
def test_the_start_whose_serving_time_holds_the_date(tmp_path: Path, date: str | None, version: str) -> None:
    (tmp_path / "server.log").write_text(LOG, encoding="utf-8")
    (tmp_path / "result").write_text(json.dumps(samples.vllm_serve() | {"date": date}), encoding="utf-8")
    record = read_arm([str(tmp_path)], Redactor())
    assert record.value("engine.version") == version


def test_a_choice_by_hand_wins_and_the_record_says_what_was_taken(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text(LOG, encoding="utf-8")
    (tmp_path / "result").write_text(json.dumps(samples.vllm_serve()), encoding="utf-8")
    record = read_arm([str(tmp_path)], Redactor())
    assert (record.sessions.selected, record.sessions.count) == (1, 3)
    assert any(note.startswith("start 1 served when the benchmark ran") for one in record.sources for note in one.notes)
    assert read_arm([str(tmp_path)], Redactor(), Options(session="2")).value("engine.version") == "0.12.0"


def test_runs_during_two_starts_point_at_none(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text(LOG, encoding="utf-8")
    for number, date in enumerate(("20270312-101530", "20270312-111530")):
        run = samples.vllm_serve() | {"date": date, "duration": 20.5 + number}
        (tmp_path / f"result{number}").write_text(json.dumps(run), encoding="utf-8")
    assert read_arm([str(tmp_path)], Redactor()).value("engine.version") == "0.13.0"


def test_stamps_with_a_zone_are_not_compared_with_local_dates(tmp_path: Path) -> None:
    log = "".join(f"2027-03-12T{line.split(' ')[3]}Z {line}\n" if "03-12" in line else f"{line}\n" for line in LOG.split("\n"))
    (tmp_path / "server.log").write_text(log.replace("INFO 03-12 ", "INFO "), encoding="utf-8")
    (tmp_path / "result").write_text(json.dumps(samples.vllm_serve()), encoding="utf-8")
    record = read_arm([str(tmp_path)], Redactor())
    assert not any("when the benchmark ran" in note for one in record.sources for note in one.notes)
