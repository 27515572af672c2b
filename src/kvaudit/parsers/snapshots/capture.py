"""One capture as every snapshot format yields it, and its way into facts.

Room: `parsers.snapshots`. Formats differ, this shape does not: GPUs in order, what was said of each and where, processes, and
what the form could not see. A value that is not printed for every GPU is no fact: a list with a hole would shift meanings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.facts import Fact, Origin, Reading, Unparsed
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

KIND = "gpu-snapshot"
CHANGING = (
    "gpu.tenants",
    "gpu.memory_used_mib",
    "gpu.memory_reserved_mib",
    "gpu.unattributed_mib",
    "gpu.clocks_mhz",
    "gpu.throttle_reasons",
    "gpu.pcie",
)
"""Fields that mean one moment."""

_MOST_ORIGINS = 16
_MOST_UNPARSED = 20


@dataclass(frozen=True, slots=True)
class Said:
    """A value and where it stands: the line, and the character it begins at."""

    value: Any
    line: TextLine
    position: int = 0


@dataclass(slots=True)
class Gpu:
    """One GPU: `key` is its index as printed (None where the form has none), `said` maps field names to values."""

    key: int | None
    line: TextLine
    said: dict[str, Said] = field(default_factory=dict)

    def say(self, name: str, value: Any, line: TextLine, position: int = 0) -> None:
        """Note a value; None is nothing said, and the first word stands."""
        if value is not None:
            self.said.setdefault(name, Said(value, line, position))

    def get(self, name: str) -> Any:
        """The value of a field, None where nothing was said."""
        said = self.said.get(name)
        return said.value if said else None


@dataclass(frozen=True, slots=True)
class Process:
    """One process row. `mib` is None where the form does not print it; `name` is None where it is hidden."""

    gpu: int | None
    pid: int
    name: str | None
    type: str | None
    mib: int | None
    line: TextLine


@dataclass(slots=True)
class Capture:
    """One capture: `listed` says that a process table was printed, `empty` that it says in words that there is none.

    `counted` says that the number of GPUs is proven, `hidden` collects reasons why processes may be missing,
    `limits` what is not printed of them; `conditions` are what is wrong with a GPU, in words; `unread` are lines that look like
    rows and do not read as one.
    """

    gpus: list[Gpu] = field(default_factory=list)
    host: dict[str, Said] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)
    listed: bool = False
    empty: bool = False
    counted: bool = True
    process_line: TextLine | None = None
    hidden: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    conditions: list[Said] = field(default_factory=list)
    unread: list[TextLine] = field(default_factory=list)
    wrapper: str | None = None

    def say(self, name: str, value: Any, line: TextLine, position: int = 0) -> None:
        """Note a value of the whole host (driver, CUDA, time); the first word stands."""
        if value is not None:
            self.host.setdefault(name, Said(value, line, position))


class Writer:
    """Facts of one source, read by one reader."""

    def __init__(self, source: Source, reader: str) -> None:
        self.source, self.reader = source, reader

    def origin(self, line: TextLine, position: int = 0) -> Origin:
        """Where a value stands; the excerpt is masked on the whole line."""
        excerpt = self.source.excerpt(line.raw, position)
        return Origin(file=self.source.path, line=line.number, pointer=line.pointer, excerpt=excerpt, reader=self.reader)

    def origins(self, said: list[Said]) -> list[Origin]:
        """One origin per value, at most 16."""
        return [self.origin(item.line, item.position) for item in said[:_MOST_ORIGINS]]


def reading(capture: Capture, source: Source, reader: str) -> Reading:
    """The facts of a capture. Judges first who can be seen in it."""
    from kvaudit.parsers.snapshots.visibility import judged

    writer = Writer(source, reader)
    facts = [*_host_facts(capture, writer), *_gpu_facts(capture, writer), *judged(capture, writer)]
    facts += [
        fact("clue.gpu_condition", one.value, "observed", writer.origins([one])) for one in capture.conditions[:_MOST_ORIGINS]
    ]
    unparsed = [Unparsed(line=line.number, excerpt=source.excerpt(line.raw)) for line in capture.unread[:_MOST_UNPARSED]]
    return Reading(kind=KIND, facts=facts, unparsed=unparsed, notes=capture.notes, wrapper=capture.wrapper)


def several(count: int, what: str) -> str:
    """The note about a file that holds several captures."""
    return f"{count} {what} in this file: the facts are of the first; {count - 1} further ones count where one shows the run"


def as_clue(capture: Capture, source: Source, reader: str, place: int) -> Fact | None:
    """A further capture of a file as a clue: its time, and what changes from one moment to the next; None where nothing is shown.

    `place` counts from 1 behind the first capture.
    """
    facts = reading(capture, source, reader).facts
    value = {one.field: one.value for one in facts if one.field in CHANGING}
    if not value:
        return None
    time = next((str(one.value) for one in facts if one.field == "clue.snapshot_time"), "")
    origins = next(one.origins for one in facts if one.field in CHANGING)[:_MOST_ORIGINS]
    return fact("clue.snapshot_capture", {"place": place, "time": time, **value}, "observed", origins)


def _host_facts(capture: Capture, writer: Writer) -> list[Fact]:
    return [fact(name, said.value, "observed", writer.origins([said])) for name, said in capture.host.items()]


def _gpu_facts(capture: Capture, writer: Writer) -> list[Fact]:
    facts = []
    if capture.gpus and capture.counted and "gpu.count" not in capture.host:
        origins = [writer.origin(gpu.line) for gpu in capture.gpus[:_MOST_ORIGINS]]
        facts.append(fact("gpu.count", len(capture.gpus), "observed", origins))
    for name in dict.fromkeys(name for gpu in capture.gpus for name in gpu.said):
        said = [gpu.said[name] for gpu in capture.gpus if name in gpu.said]
        if len(said) == len(capture.gpus):
            facts.append(fact(name, [item.value for item in said], "observed", writer.origins(said)))
        else:
            capture.notes.append(f"{name} is printed for {len(said)} of {len(capture.gpus)} GPUs only and was left out")
    return facts
