"""Values, paths and ratios as people read them."""

from __future__ import annotations

import math

import pytest

from kvaudit.reports.values import counted, location, short_digest, shorten, times, value_of, written


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kv_cache.tokens", 919232, "919,232 tokens"),
        ("kv_cache.memory_gib", 52.81, "52.81 GiB"),
        ("kv_cache.bytes_per_token", 163852.4, "163,852 bytes"),
        ("memory.utilization", 0.9, "0.9"),
        ("run.seed", 20260418, "20260418"),
        ("scheduler.max_num_seqs", 1024, "1,024"),
        ("kv_cache.prefix_caching", True, "on"),
        ("engine.ready", False, "no"),
        ("gpu.power_limit_w", [400.0, 400.0], "2 × 400 W"),
        ("gpu.clocks_mhz", [1980, 1965], "1980, 1965 MHz"),
        ("gpu.tenants", [{"pid": 4711, "class": "own"}], "pid=4711, class=own"),
        ("run.args", {"max_model_len": 32768}, "max_model_len=32768"),
        ("run.args", {}, "none"),
        ("model.revision", None, "None"),
    ],
)
def test_a_value_in_the_unit_of_its_field(field: str, value: object, expected: str) -> None:
    assert value_of(field, value) == expected


@pytest.mark.parametrize(("state", "expected"), [("unknown", "unknown"), ("absent", "not set"), ("conflict", "conflict")])
def test_a_state_without_a_value(state: str, expected: str) -> None:
    assert value_of("kv_cache.dtype", None, state) == expected


def test_a_field_that_no_registry_knows_is_still_shown() -> None:
    assert value_of("later.field", 12) == "12"


def test_numbers_that_are_none() -> None:
    assert (written(math.nan), times(math.inf)) == ("not a number", "not a number")


@pytest.mark.parametrize(("ratio", "expected"), [(1.7754321, "1.775"), (0.0123456, "0.01235"), (12.5, "12.5"), (1.0, "1.000")])
def test_ratios_have_four_digits(ratio: float, expected: str) -> None:
    assert times(ratio) == expected


def test_counts() -> None:
    assert (counted(1, "error"), counted(2, "error")) == ("1 error", "2 errors")


LONG = "/srv/experiments/2026-04-18/fjord-8b/fp8/attempt-3/server.log"


@pytest.mark.parametrize("room", range(14, 80))
def test_a_location_keeps_its_line_and_its_room(room: int) -> None:
    text = location(LONG, 1234567, None, room)
    assert text.endswith(":1234567")
    assert len(text) <= max(room, 8 + len(":1234567"))


def test_a_path_loses_its_middle_and_keeps_its_name() -> None:
    assert shorten(LONG, 30) == "/srv/experiments/2…/server.log"
    assert shorten(LONG, 200) == LONG


def test_a_pointer_stands_where_there_is_no_line() -> None:
    assert location("gpus.xml", None, "/gpu[1]/processes", 60) == "gpus.xml#/gpu[1]/processes"


def test_evidence_without_a_file_says_so() -> None:
    assert location(None, None, None, 40) == "(no file)"


def test_only_digests_are_shortened() -> None:
    digest = "0123456789abcdef" * 4
    assert short_digest(digest) == "0123456789ab…"
    assert short_digest("meta/" + digest) == "meta/" + digest
