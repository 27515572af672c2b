"""Which start of a log the record is about.

Room: `record`. The default is the start that served: the one during which the benchmark ran, else the last that became ready,
else the last. Facts of different starts never mix.
"""

from __future__ import annotations

from kvaudit.errors import UsageError
from kvaudit.parsers.facts import Reading
from kvaudit.record.model import Sessions


def choose(reading: Reading | None, wanted: str, serving: int | None = None) -> tuple[Sessions, int | None]:
    """The sessions entry of a record and the index of the start whose facts count.

    `wanted` is `serving` or a 1-based number; `serving` is the index of the start during which the benchmark ran.
    Raises `UsageError` for a number that the log does not hold.
    """
    starts = reading.starts if reading else []
    if not starts:
        return Sessions(), None
    ready = [number for number, start in enumerate(starts) if start.ready] if serving is None else [serving]
    index = _index(wanted, len(starts), ready)
    chosen = starts[index]
    return Sessions(count=len(starts), selected=index + 1, ready=chosen.ready, starts=starts), index


def _index(wanted: str, count: int, ready: list[int]) -> int:
    if wanted == "serving":
        return ready[-1] if ready else count - 1
    if not wanted.isdecimal() or not 1 <= int(wanted) <= count:
        raise UsageError(f"--session {wanted}: the log holds {count} start{'s' * (count != 1)}; give 1 to {count}, or serving")
    return int(wanted) - 1
