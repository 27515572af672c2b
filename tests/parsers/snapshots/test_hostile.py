"""Hostile input: huge, deep, wrong, random. Either facts, or an InputError that names the file; never a crash or a long wait."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvaudit.errors import InputError
from kvaudit.parsers.snapshots.catalogue import PARSERS
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
Box = Callable[..., str]
SHARED = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def _survives(source: Source) -> None:
    for parser in PARSERS:
        parser.recognises(source)
        with contextlib.suppress(InputError):
            parser.read(source)


WORDS = st.sampled_from(
    [
        "NVIDIA-SMI 580.1 Driver Version: 580.1",
        "|",
        "+-----+",
        "=====NVSMI LOG=====",
        "GPU 00000000:41:00.0",
        "Attached GPUs : ²",
        "Processes",
        "Process ID : ٣",
        "Used GPU Memory : 1 MiB",
        "Processes:",
        "|=====|",
        "0 x On 00000000:41:00.0 Off 0",
        "N/A 3C P0 1W / 2W 1MiB / 2MiB 1% Default",
        "0 1 C name 4MiB",
        "index, memory.used [MiB], utilization.gpu [%]",
        "pid, process_name, used_gpu_memory [MiB]",
        "# gpu pid type command",
        "# gpu pwr sm pclk fb",
        "0, 1, 2",
        "0 1 C -",
        "0 ٣ - -",
        "9" * 5000,
        "<nvidia_smi_log><gpu><processes/></gpu></nvidia_smi_log>",
        "GPU[0] : VRAM Total Memory (B): nan",
        '{"card0": {"VRAM Total Memory (B)": "1e999"}}',
        "GPU 0: x (UUID: GPU-1)",
        "\x1b[31m\x00\ufeff",
    ]
)


@SHARED
@given(lines=st.lists(WORDS, max_size=25))
def test_any_mixture_of_rows(make_source: MakeSource, lines: list[str]) -> None:
    _survives(make_source("\n".join(lines)))


@SHARED
@given(data=st.binary(max_size=400))
def test_any_bytes(make_source: MakeSource, data: bytes) -> None:
    _survives(make_source(data))


@SHARED
@given(at=st.integers(0, 3000), piece=st.text(max_size=20))
def test_a_table_damaged_anywhere(make_source: MakeSource, box: Box, at: int, piece: str) -> None:
    text = box([{}, {}], [(0, 4, "C", "python", "9MiB")])
    _survives(make_source(text[:at] + piece + text[at + len(piece) :]))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"card0": ' * 3000,
        json.dumps([{"gpu": 10**30, "process_list": "x", "asic": {"market_name": [1]}}]),
        json.dumps({"gpus": [{"memory.used": 1e308, "memory.total": None, "index": 10**40}]}),
        '{"gpus": [{"memory.used": ' + "9" * 6000 + "}]}",
        json.dumps({"card0": {"VRAM Total Memory (B)": "-5", "GPU use (%)": "x"}, "system": {"PID" + "9" * 50: "a,b,c,d,e"}}),
    ],
    ids=["open lists", "open objects", "wrong types", "huge numbers", "long digits", "wrong texts"],
)
def test_json_that_is_wrong_or_deep(make_source: MakeSource, text: str) -> None:
    _survives(make_source(text))


@pytest.mark.parametrize(
    "line",
    [
        "| 0 " + "a " * 50_000,
        "0, " * 50_000,
        "<nvidia_smi_log>" + "<gpu>" * 20_000,
        "(" * 100_000,
        "index, memory.used [MiB]\n" * 3000,
    ],
    ids=["row", "cells", "elements", "brackets", "headers"],
)
def test_long_lines_cost_little(make_source: MakeSource, line: str) -> None:
    began = time.monotonic()
    _survives(make_source(f"NVIDIA-SMI 580.1 Driver Version: 580.1\n{line}\n"))
    assert time.monotonic() - began < 10


def test_many_rows_give_sixteen_origins(make_source: MakeSource) -> None:
    rows = "\n".join(f"{index}, NVIDIA A30, 4 MiB" for index in range(500))
    source = make_source(f"index, name, memory.used [MiB]\n{rows}\n")
    reading = next(parser for parser in PARSERS if parser.recognises(source)).read(source)
    names = next(fact for fact in reading.facts if fact.field == "gpu.names")
    assert (len(names.value), len(names.origins)) == (500, 16)


def test_a_secret_in_a_command_line_is_masked_in_the_excerpt(make_source: MakeSource) -> None:
    source = make_source("pid, process_name, used_gpu_memory [MiB]\n4, serve --api-key hunter2secretvalue, 9 MiB\n")
    reading = next(parser for parser in PARSERS if parser.recognises(source)).read(source)
    assert all("hunter2" not in origin.excerpt for fact in reading.facts for origin in fact.origins)
