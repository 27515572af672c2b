"""Hostile descriptions of services: either settings or an InputError that names the file; never a crash or a long wait."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from kvaudit.errors import InputError
from kvaudit.parsers.launch_command.parser import LaunchCommandFile
from kvaudit.parsers.services.catalogue import PARSERS
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
SHARED = limits(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

WORDS = st.sampled_from(
    [
        *(
            "[Unit]",
            "[Service]",
            "[Timer]",
            "Restart=always",
            "RestartSec=-5",
            "StartLimitBurst=99999999999999999999",
            "ExecStart=\\",
        ),
        *(
            "ExecStart=vllm serve ${X} $Y '",
            'Environment="A',
            "OnCalendar=*:*",
            "services:",
            "  a:",
            "    image: vllm/vllm-openai:1",
        ),
        *("    command: [--model, x", "    restart: no", "apiVersion: v1", "kind: Pod", "spec:", "  containers:", "  - name: x"),
        *(
            "Name: x",
            "Containers:",
            "  x:",
            "    Restart Count:  ٣",
            "NRestarts=x",
            "Id=a.service",
            "Result=",
            "ActiveState=failed",
        ),
        *(
            "atlas.service: Scheduled restart job, restart counter is at 999999999999.",
            "#!/bin/sh",
            "vllm serve",
            "--model",
            "$(",
        ),
        *(
            "NAME READY STATUS RESTARTS AGE",
            "x 0/1 Err 3 4m",
            "<<: *x",
            "&x a: *x",
            "\0",
            "\u202e",
            '{"',
            "}",
            "[",
            "- - - -",
            "\t",
        ),
    ]
)


def _survives(source: Source) -> None:
    for parser in (*PARSERS, LaunchCommandFile()):
        parser.recognises(source)
        with contextlib.suppress(InputError):
            parser.read(source)


@given(st.lists(WORDS, max_size=40).map("\n".join))
@SHARED
def test_any_order_of_telling_lines(make_source: MakeSource, text: str) -> None:
    _survives(make_source(text or " ", "file.txt"))


@given(st.text(max_size=400))
@SHARED
def test_any_text(make_source: MakeSource, text: str) -> None:
    _survives(make_source(text.encode("utf-8", "replace").decode() or " ", "file.txt"))


@pytest.mark.parametrize(
    "text",
    [
        "[Service]\n" + "ExecStart=a \\\n" * 20_000,
        "[Service]\nExecStart=" + "${X} " * 30_000,
        "services:\n" + "".join(f"  s{n}:\n    image: vllm/vllm-openai:1\n    command: [--model, a]\n" for n in range(3_000)),
        "#!/bin/sh\nvllm serve a " + "$(" * 20_000,
        "#!/bin/sh\nvllm serve a " + '{"' * 20_000,
        "#!/bin/sh\n" + "vllm serve a --seed 1\n" * 2_500,
        "Name: x\nContainers:\n" + "  x:\n    Restart Count: 1\n" * 5_000,
    ],
    ids=["continued", "variables", "services", "substitutions", "braces", "servers", "containers"],
)
def test_large_documents_are_read_in_seconds(make_source: MakeSource, text: str) -> None:
    started = time.monotonic()
    _survives(make_source(text, "file.txt"))
    assert time.monotonic() - started < 20
