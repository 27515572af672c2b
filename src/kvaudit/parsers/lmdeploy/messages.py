"""A physical line becomes records: Python's logger (lmdeploy/utils.py), TurboMind's, uvicorn's.

Room: the first step of the LMDeploy parser; nothing here knows what messages mean. INFO lines need `--log-level INFO`.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.parsers.log_reading import segments
from kvaudit.parsers.plain_log import Record
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import Line

_STAMP = LatePattern(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - lmdeploy - (?P<level>[A-Z]+) - (?:[\w./-]{1,200}\.py:\d{1,6} - )?|"
    r"\[TM\]\[(?P<word>[A-Z]+)\](?:\[[\d.:]{1,40}\])?(?:\[[\w./-]{1,100}:\d{1,6}\])? ?"
)
_UVICORN = LatePattern(r"^(?:.{0,200}?[\s|])?(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):     ?\s*(?P<message>\S.*)$")


def records(line: Line) -> Iterator[Record]:
    """The records of one physical line, in order; progress bars hide lines behind carriage returns."""
    for segment, offset in segments(line.text):
        yield from _of_segment(line, segment, offset)


def _of_segment(line: Line, segment: str, offset: int) -> Iterator[Record]:
    stamps = list(_STAMP.finditer(segment))
    lead = segment[: stamps[0].start()] if stamps else segment
    if lead.strip():
        match = _UVICORN.search(lead)
        start = match.span(_UVICORN.groupindex["message"])[0] if match else 0
        level = str(match.group("level")) if match else ""
        yield Record(line.number, line.text, offset + start, lead[start:].rstrip(), level=level)
    for index, stamp in enumerate(stamps):
        end = stamps[index + 1].start() if index + 1 < len(stamps) else len(segment)
        level = stamp.group("level") or stamp.group("word")
        message = segment[stamp.end() : end].rstrip()
        yield Record(line.number, line.text, offset + stamp.end(), message, own=True, level=level)
