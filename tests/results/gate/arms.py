"""Runs for the tests of the gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kvaudit.parsers.results.run import Run


def run(value: float, *, metric: str = "output_throughput", started: str | None = None, file: str = "", **more: Any) -> Run:
    """One run; figures with a dot in their name are given with two underscores: `itl__p99`."""
    values = {metric: value, **{name.replace("__", "."): figure for name, figure in more.items()}}
    held = {name: {"value": figure, "pointer": f"/{name}"} for name, figure in values.items()}
    return Run.model_validate({"tool": "vllm-bench-serve", "file": file, "started": started, "values": held})


def arm(values: Sequence[float], *, minute: int | None = None, step: int = 20, file: str = "", **more: Any) -> list[Run]:
    """Runs that started every `step` minutes from `minute` on; without a minute the time is unknown."""
    return [
        run(value, started=None if minute is None else _clock(minute + step * at), file=f"{file}{at}.json", **more)
        for at, value in enumerate(values)
    ]


def _clock(minute: int) -> str:
    return f"2026-03-04T{minute // 60:02}:{minute % 60:02}:00"


def interleaved(a: Sequence[float], b: Sequence[float], **more: Any) -> tuple[list[Run], list[Run]]:
    """Two arms in turns: A, B, A, B, ten minutes apart."""
    return arm(a, minute=0, file="a/", **more), arm(b, minute=10, file="b/", **more)
