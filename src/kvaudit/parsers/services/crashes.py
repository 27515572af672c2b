"""How long starts that failed took, from the stamps of their lines.

Room: `parsers.services`, joined with the log's starts. The time before an engine's first line is not in it, so the true time to
crash is longer: what follows from "at least this long" holds, the opposite does not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from kvaudit.parsers.facts import Fact, Origin, Start
from kvaudit.parsers.services.stamps import elapsed, stamps
from kvaudit.parsers.tables import fact
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_MOST_STARTS = 200
_LOOKED_AT = 400
_READER = "starts:time-to-crash"


def crash_times(source: Source, starts: list[Start]) -> list[Fact]:
    """One clue per start that failed, in seconds, with its first and last stamped line."""
    failed = [start for start in starts if start.ready is False][:_MOST_STARTS]
    if not failed:
        return []
    lines = _lines(source)
    numbers = sorted(lines)
    return [one for start in failed if (one := _of_start(source, start, lines, numbers)) is not None]


def _lines(source: Source) -> dict[int, str]:
    """Lines by number with their wrapper, whose stamps count too: all of a document that is kept, else those with a hint."""
    if source.data is None:
        return {raw.number: raw.data.decode("utf-8", "replace") for raw in source.hits}
    return dict(enumerate(source.data.decode("utf-8", "replace").split("\n"), start=1))


def _of_start(source: Source, start: Start, lines: dict[int, str], numbers: list[int]) -> Fact | None:
    inside = numbers[bisect_left(numbers, start.first_line) : bisect_right(numbers, _crash(start))]
    first = next((number for number in inside[:_LOOKED_AT] if stamps(without_colours(lines[number]))), None)
    last = next((number for number in reversed(inside[-_LOOKED_AT:]) if stamps(without_colours(lines[number]))), None)
    if first is None or last is None or first == last:
        return None
    seconds = elapsed(without_colours(lines[first]), without_colours(lines[last]))
    if not seconds:
        return None
    origins = [
        Origin(file=source.path, line=number, excerpt=source.excerpt(lines[number]), reader=_READER) for number in (first, last)
    ]
    return fact("clue.crash_seconds", seconds, "observed", origins)


def _crash(start: Start) -> int:
    """The line of the root cause; a start's last lines may be the first of the next one, which nothing tells from it yet."""
    told = [origin.line for one in start.facts if one.field == "engine.failure" for origin in one.origins if origin.line]
    inside = [number for number in told if start.first_line <= number <= start.last_line]
    return max(inside, default=start.last_line)
