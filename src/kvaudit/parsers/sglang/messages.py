"""A physical line becomes log records: time, rank, message, and where the message stands in the line.

Room: the first step of the SGLang parser. It knows SGLang's formatter (`[%(asctime)s{rank}] %(message)s`, 0.3.0 to 0.5.23,
`configure_logger`) and uvicorn's behind it, and nothing of what messages mean. The formatter prints no level. Progress bars and
other processes are glued in front of stamps on one physical line, so stamps are searched anywhere in every segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.log_reading import segments
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import Line

_STAMP = LatePattern(
    r"\[(?P<time>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)"
    r"(?P<ranks>(?: (?:DP|PP|ATTN_CP|MOE_DP|CP|TP|EP)\d{1,5}){0,8})(?: encode_server| encode_dp_worker\[\d{1,5}\])?\] ?"
)
_LEVEL = LatePattern(r"^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?::\s{1,6}| [\w./-]{1,200}\.py:\d{1,6}: )")
_WRAPPER = LatePattern(
    r"^(?:[\w.-]{1,80} {0,40}\| ?|\d{1,7}: ?|\d{1,6}\.\d{1,3}s\s{1,4}\d{1,7}\s{1,4}|"
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.,:+Z-]{0,24} {1,4}|\([\w.:-]{0,80} ?pid=\d{1,10}[^)]{0,80}\) |"
    r"(?:DEBUG|INFO|WARN|WARNING|ERROR) {1,4}[\w.:]{1,120}: |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} \S{1,80}: )+"
)
"""What compose, listings, notebooks, Kubernetes, Ray, Dynamo and journald write in front of a line without a stamp of its own."""

_RANK = LatePattern(r"(?P<name>[A-Z_]+)(?P<number>\d+)")
_CLIENT_TEXT = ("Receive: ", "Finish: ")
"""Messages that quote what clients sent (`--log-requests`): their content proves nothing about the engine."""


@dataclass(frozen=True, slots=True)
class Record:
    """One log record. `line` is the readable physical line and `position` where the message begins in it.

    `ranks` is the rank part of the stamp as printed (`DP1 TP7 EP7`), empty for the main process, for tensor parallelism 1 since
    0.4.6 and for lines without a stamp. `time` is empty for lines that SGLang's logger did not write.
    """

    number: int
    line: str
    position: int
    message: str
    time: str = ""
    ranks: str = ""

    @property
    def stamped(self) -> bool:
        """Whether the engine's own logger wrote it."""
        return bool(self.time)

    @property
    def scope(self) -> str | None:
        """The rank that values of this line are about, None where none is printed."""
        return self.ranks or None

    def rank(self, name: str) -> int | None:
        """The rank of one kind: `TP`, `DP`, `PP`, `EP`; None where the stamp does not print it."""
        found = {match.group("name"): int(match.group("number")) for match in _RANK.finditer(self.ranks)}
        return found.get(name)


def records(line: Line) -> Iterator[Record]:
    """The records of one physical line, in order; text that clients sent is left out."""
    for segment, offset in segments(line.text):
        yield from _of_segment(line, segment, offset)


def _of_segment(line: Line, segment: str, offset: int) -> Iterator[Record]:
    stamps = list(_STAMP.finditer(segment))
    lead = segment[: stamps[0].start()] if stamps else segment
    if not stamps or len(lead) > 40:
        yield _made(line, lead, offset, None)
    for index, stamp in enumerate(stamps):
        end = stamps[index + 1].start() if index + 1 < len(stamps) else len(segment)
        message = segment[stamp.end() : end]
        if message.startswith(_CLIENT_TEXT):
            return
        yield _made(line, message, offset + stamp.end(), stamp)


def _made(line: Line, part: str, start: int, stamp: Any) -> Record:
    """A record of a part of the line that begins at `start`; a level, and a wrapper before an unstamped line, are no message."""
    message = part.rstrip()
    for prefix in (_LEVEL,) if stamp else (_WRAPPER, _LEVEL):
        if match := prefix.search(message):
            start += match.end()
            message = message[match.end() :]
    time, ranks = (stamp.group("time"), stamp.group("ranks").strip()) if stamp else ("", "")
    return Record(line.number, line.text, start, message, time, ranks)
