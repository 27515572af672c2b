"""A physical line becomes log records: writer, rank, level, message, and where the message stands in the line.

Room: the first step of the TensorRT-LLM parser. Three writers share one stream: Python's logger (tensorrt_llm/logger.py), the
native one (cpp/tensorrt_llm/common/logger.cpp), which prints no time, since 1.3 with Python's tag and the rank, and plain
prints; Triton, uvicorn and progress bars write between them. Nothing here knows what messages mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from kvaudit.parsers.log_reading import segments
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import Line

Writer = Literal["python", "native", "banner", "triton", "server", ""]

_STAMP = LatePattern(
    r"(?:\[(?P<time>\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d)\] )?"
    r"\[TRT-LLM(?P<deploy> AUTO-DEPLOY)?\](?: \[(?:RANK|MPI_Rank) (?P<rank>\d{1,5})\])? \[(?P<level>[FEWIVD])\]"
    r"(?: \[[a-z_][a-z0-9_.]*\](?:\[RANK (?P<of>\d{1,5})\])?(?: |$)| |$)|"
    r"\[TensorRT-LLM\]\[(?P<word>TRACE|DEBUG|INFO|WARNING|ERROR)\](?: \[RANK (?P<native>\d{1,5})\])? ?|"
    r"\[TensorRT-LLM\] |"
    r"(?P<glog>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d{1,9} \d{1,10} [\w./-]{1,100}\.(?:cc|cpp|h):\d{1,6}\] "
)
_UVICORN = LatePattern(r"^(?:.{0,200}?[\s|])?(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):     ?\s*(?P<message>\S.*)$")
_WRAPPER = LatePattern(
    r"^(?:[\w.-]{1,80} {0,40}\| |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.,:+Z-]{0,24} (?:std(?:out|err) [FP] )?|"
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} \S{1,80}: )+"
)
_LAUNCHER = LatePattern(r"^(?:\s*(?P<srun>\d{1,5}): |\[\d+,(?P<mpi>\d{1,5})\]<std(?:out|err)>:\s?|[>|] ?)")
_LEVELS = {"F": "CRITICAL", "E": "ERROR", "W": "WARNING", "I": "INFO", "V": "DEBUG", "D": "DEBUG"}


@dataclass(frozen=True, slots=True)
class Record:
    """One log record. `rank` is printed by newer builds and by launchers; `deploy` marks the AutoDeploy backend's own lines.

    `line` is the readable physical line and `position` where the message begins in it.
    """

    number: int
    line: str
    position: int
    message: str
    writer: Writer = ""
    rank: int | None = None
    level: str = ""
    time: str = ""
    deploy: bool = False

    @property
    def scope(self) -> str | None:
        """The rank that values of this record are about; None where none is printed."""
        return None if self.rank is None else f"rank {self.rank}"

    @property
    def stamped(self) -> bool:
        """Whether one of the engine's own loggers wrote it."""
        return self.writer in ("python", "native")


def records(line: Line) -> Iterator[Record]:
    """The records of one physical line, in order."""
    for segment, offset in segments(line.text):
        yield from _of_segment(line, segment, offset)


def _of_segment(line: Line, segment: str, offset: int) -> Iterator[Record]:
    wrapper = _WRAPPER.search(segment)
    start = wrapper.end() if wrapper else 0
    launcher = _LAUNCHER.search(segment[start:])
    rank = _launched(launcher)
    start += launcher.end() if launcher else 0
    stamps = [stamp for stamp in _STAMP.finditer(segment, start) if not _is_quoted(segment, start, stamp)]
    lead = segment[start : stamps[0].start()] if stamps else segment[start:]
    if lead.strip():
        yield _raw(line, lead, offset + start, rank)
    for index, stamp in enumerate(stamps):
        end = stamps[index + 1].start() if index + 1 < len(stamps) else len(segment)
        yield _stamped(line, stamp, segment[stamp.end() : end].rstrip(), offset, rank)


def _is_quoted(segment: str, start: int, stamp: Any) -> bool:
    """The text of a native error quotes its own stamp: `RuntimeError: [TensorRT-LLM][ERROR] CUDA runtime error`."""
    return stamp.group("word") == "ERROR" and segment[start : stamp.start()].endswith(": ")


def _launched(launcher: Any) -> int | None:
    found = (launcher.group("srun") or launcher.group("mpi")) if launcher else None
    return int(found) if found else None


def _stamped(line: Line, stamp: Any, message: str, offset: int, rank: int | None) -> Record:
    printed = stamp.group("rank") or stamp.group("of") or stamp.group("native")
    letter, word, glog = stamp.group("level"), stamp.group("word"), stamp.group("glog")
    python = bool(letter) and not (stamp.group("of") and not stamp.group("time"))
    writer: Writer = "python" if python else "native" if word or letter else "triton" if glog else "banner"
    return Record(
        number=line.number,
        line=line.text,
        position=offset + stamp.end(),
        message=message,
        writer=writer,
        rank=int(printed) if printed else rank,
        level=word or _LEVELS.get(letter or glog or "", ""),
        time=stamp.group("time") or "",
        deploy=bool(stamp.group("deploy")),
    )


def _raw(line: Line, part: str, start: int, rank: int | None) -> Record:
    """A record that none of the engine's loggers wrote: uvicorn, a print, a traceback, a progress bar, another program."""
    if match := _UVICORN.search(part):
        behind = match.span(_UVICORN.groupindex["message"])[0]
        level = str(match.group("level"))
        return Record(line.number, line.text, start + behind, part[behind:].rstrip(), "server", rank, level)
    return Record(line.number, line.text, start, part.rstrip(), "", rank)
