"""Which start of a log served while a benchmark ran: the one whose serving time holds the time that the result file prints.

Room: `record`. A start serves from its first stamped line to that of the next start, the last one to a little after its last
line. Only local times are compared with local times; where the times do not point at one start that became ready, nothing is
said.
"""

from __future__ import annotations

from collections.abc import Iterable

from kvaudit.parsers.facts import Fact, Reading, Start
from kvaudit.parsers.services.stamps import stamps
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_LOCAL = LatePattern(r"^\d{4}-(?P<day>\d\d-\d\d)T(?P<clock>\d\d:\d\d:\d\d)(?:\.\d{1,9})?$")
_ZONED = LatePattern(r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)")
_KINDS = ("vllm", "iso")
_AFTER = 600.0
"""Seconds after the last line of a log in which its server is still taken to be up."""
_LOOKED_AT = 400
_MOST_STARTS = 200


def serving_start(source: Source, reading: Reading, runs: Iterable[Fact]) -> int | None:
    """The index of the start that served during every run with a local date; None where there is no such one."""
    times = [run.value.get("started") for run in runs if isinstance(run.value, dict)]
    local = [match for time in times if isinstance(time, str) and (match := _LOCAL.search(time))]
    if not local or len(reading.starts) > _MOST_STARTS or sum(bool(start.ready) for start in reading.starts) < 2:
        return None
    text = source.text()
    if text is None:
        return None
    lines = text.split("\n")
    for kind in _KINDS:
        windows = _windows(reading.starts, lines, kind)
        if windows:
            written = [f"INFO {m.group('day')} {m.group('clock')}" if kind == "vllm" else m.group() for m in local]
            found = {_inside(windows, stamps(one).get(kind)) for one in written}
            index = found.pop() if len(found) == 1 else None
            return index if index is not None and reading.starts[index].ready else None
    return None


def _windows(starts: list[Start], lines: list[str], kind: str) -> list[tuple[float, float]]:
    """From when to when each start served; empty where one of them has no stamp of this kind."""
    firsts = [_stamp(lines[start.first_line - 1 : start.last_line][:_LOOKED_AT], kind) for start in starts]
    last = _stamp(reversed(lines[starts[-1].first_line - 1 : starts[-1].last_line][-_LOOKED_AT:]), kind)
    if last is None or any(first is None for first in firsts):
        return []
    begins = [first for first in firsts if first is not None]
    return list(zip(begins, [*begins[1:], last + _AFTER], strict=True))


def _stamp(lines: Iterable[str], kind: str) -> float | None:
    """The first stamp of a kind; one with a zone is none, because result files print none."""
    for line in lines:
        plain = without_colours(line)
        found = stamps(plain).get(kind)
        if found is not None and not (kind == "iso" and _ZONED.search(plain[:200])):
            return found
    return None


def _inside(windows: list[tuple[float, float]], time: float | None) -> int | None:
    if time is None:
        return None
    return next((index for index, (begin, end) in enumerate(windows) if begin <= time < end), None)
