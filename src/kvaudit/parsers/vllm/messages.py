"""A physical line becomes log records: process, level, source file, message, and where the message stands in the line.

Room: the first step of the vLLM parser. It knows vLLM's formatter (vllm/logger.py, 0.2.7 to 0.33.0) and uvicorn's, and
nothing of what messages mean. Progress bars and other processes are glued in front of stamps on one physical line, so
stamps are searched anywhere in every carriage-return segment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.log_reading import segments
from kvaudit.parsers.vllm.processes import Process, behind_prefixes, innermost
from kvaudit.patterns import LatePattern
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.lines import Line

_LEVELS = "DEBUG|INFO|WARNING|ERROR|CRITICAL"
_WORDS = tuple(f"{level} " for level in _LEVELS.split("|"))
_STAMP = LatePattern(
    rf"(?P<level>{_LEVELS}) (?P<time>\d\d-\d\d \d\d:\d\d:\d\d) \[?(?P<file>[\w./-]{{1,200}}):(?P<at>\d{{1,6}})\] ?"
)
_LEVEL, _TIME, _FILE = (_STAMP.groupindex[name] for name in ("level", "time", "file"))
_UVICORN = LatePattern(rf"^(?:.{{0,200}}?[\s|])?(?P<level>{_LEVELS}):     ?\s*(?P<message>\S.*)$")
_REPEATED = LatePattern(r"\s*\[repeated \d+x across cluster\].*$")
_CLIENT_TEXT = ("Received request ", "Generated response ")
"""Messages that quote what clients sent: their content proves nothing about the engine."""


@dataclass(frozen=True, slots=True)
class Record:
    """One log record. `file` is the engine's source file; it is empty for uvicorn, tracebacks and progress bars.

    `line` is the readable physical line and `position` where the message begins in it. `time` is `MM-DD HH:MM:SS`.
    """

    number: int
    line: str
    position: int
    message: str
    process: Process | None = None
    level: str = ""
    file: str = ""
    time: str = ""

    @property
    def stamped(self) -> bool:
        """Whether the engine's own logger wrote it."""
        return bool(self.time)

    @property
    def source_name(self) -> str:
        """The engine's source file without folders (DEBUG logs print a path)."""
        return self.file.rpartition("/")[2]


def records(line: Line) -> Iterator[Record]:
    """The records of one physical line, in order; text that clients sent is left out."""
    if line.text.startswith("{") and (record := _json_record(line)):
        yield record
        return
    for segment, offset in segments(line.text):
        yield from _of_segment(line, segment, offset)


def _of_segment(line: Line, segment: str, offset: int) -> Iterator[Record]:
    stamps = _stamps(segment)
    if not stamps:
        yield _raw(line, segment, offset)
        return
    lead = segment[: stamps[0].start()]
    if len(lead) > 40 and behind_prefixes(lead).strip():
        yield _raw(line, lead, offset)
    for index, stamp in enumerate(stamps):
        before = segment[stamps[index - 1].end() if index else 0 : stamp.start()]
        end = stamps[index + 1].start() if index + 1 < len(stamps) else len(segment)
        message = segment[stamp.end() : end]
        message = (_REPEATED.sub("", message) if "[repeated " in message else message).rstrip()
        if message.startswith(_CLIENT_TEXT):
            return
        yield Record(
            number=line.number,
            line=line.text,
            position=offset + stamp.end(),
            message=message,
            process=innermost(before),
            level=stamp.group(_LEVEL),
            file=stamp.group(_FILE),
            time=stamp.group(_TIME),
        )


def _stamps(segment: str) -> list[Any]:
    """The stamps of the engine's logger; a word that is no level is not looked at twice, for logs hold lines by the million."""
    found: list[Any] = []
    position = 0
    while any(segment.find(word, position) >= 0 for word in _WORDS):
        stamp = _STAMP.search(segment, position)
        if stamp is None:
            break
        found.append(stamp)
        position = stamp.end()
    return found


def _raw(line: Line, text: str, offset: int) -> Record:
    """A record that the engine's logger did not write: uvicorn, traceback, progress bar, another program."""
    process = innermost(text)
    body = behind_prefixes(text)
    position = offset + len(text) - len(body)
    if match := _UVICORN.search(body):
        start = match.span(_UVICORN.groupindex["message"])[0]
        return Record(line.number, line.text, position + start, body[start:].rstrip(), process, level=match.group("level"))
    return Record(line.number, line.text, position, body.rstrip(), process)


def _json_record(line: Line) -> Record | None:
    """One line of `--logging-config.formatter json` (0.32+, pythonjsonlogger), or None."""
    try:
        document: Any = json.loads(without_half_pairs(line.text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("message"), str) or "levelname" not in document:
        return None
    name, pid = document.get("processName"), document.get("process")
    message = document["message"]
    return Record(
        number=line.number,
        line=line.text,
        position=max(0, line.text.find(message[:20])),
        message=message,
        process=Process(str(name), pid) if name and isinstance(pid, int) else None,
        level=str(document["levelname"]),
        time=str(document.get("asctime") or ""),
    )
