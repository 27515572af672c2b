"""One start under construction: the process, its model loads, their contexts, its life.

Room: what a single start knows of itself. Which record belongs to which start is `splitter`'s business; the facts of the whole
start are made in `settle`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Start
from kvaudit.parsers.llama_cpp import rows, settle
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.outcome import Life, Outcome
from kvaudit.parsers.llama_cpp.parts import Load, Part
from kvaudit.parsers.tables import Match

_OPENS_CONTEXT = frozenset({"context", "sequences", "cells"})


@dataclass(frozen=True, slots=True)
class Device:
    """A device as a line names it: total and free MiB; `used` where the engine says that it uses it."""

    name: str
    record: Record
    at: int
    free: int
    total: int | None = None
    used: bool = False


@dataclass(slots=True)
class Found:
    """The matched rows of one record, by table."""

    process: list[Match] = field(default_factory=list)
    load: list[Match] = field(default_factory=list)
    context: list[Match] = field(default_factory=list)
    notices: list[Match] = field(default_factory=list)
    life: list[Match] = field(default_factory=list)

    @property
    def lists(self) -> tuple[list[Match], ...]:
        """The matches, in the order of the tables."""
        return self.process, self.load, self.context, self.notices, self.life

    @property
    def names(self) -> set[str]:
        """The names of all matched rows."""
        return {match.row.name for matches in self.lists for match in matches}


def find(message: str) -> Found:
    """The rows that match a message."""
    return Found(*([match for match in table.matches(message) if isinstance(match, Match)] for table in rows.TABLES))


def whole(message: str) -> Found:
    """The rows that match a message whose end may be cut: values that touch the end are left out."""
    longer = find(f"{message}9x")
    kept = [
        [match for match in matches if any(match.row is other.row and match.groups == other.groups for other in others)]
        for matches, others in zip(find(message).lists, longer.lists, strict=True)
    ]
    return Found(*kept)


@dataclass(slots=True)
class StartBuilder:
    """A start while the log is read."""

    collector: Collector
    first_line: int
    first: Record | None = None
    process: Part = field(default_factory=Part)
    loads: list[Load] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    found_kinds: list[tuple[str, Record, int]] = field(default_factory=list)
    life: Life = field(default_factory=Life)
    notices: list[tuple[str, Record, Match]] = field(default_factory=list)
    verbosity: tuple[int, Record, int] | None = None
    draft_next: bool = False
    command: tuple[dict[str, str | bool], Record] | None = None
    """The flags with which a parent process started it, and where they stand."""
    serves_alone: bool = True
    """Whether the start is a server of its own; Ollama's runners are driven by another program."""

    @property
    def loading(self) -> bool:
        """Whether a model was named or loaded."""
        return bool(self.loads) or "loading-model" in self.process.seen

    @property
    def is_router(self) -> bool:
        """Whether this process loads no model itself."""
        return "router" in self.process.seen and not self.loading

    @property
    def path(self) -> str | None:
        """The model that the server was told to load."""
        return next((said.value for said in self.process.values if said.row == "loading-model"), None)

    def take(self, record: Record, found: Found) -> None:
        """Take one record's matched rows in."""
        self.first = self.first or record
        for match in found.process:
            self._process(record, match)
        for match in found.load:
            self._load(record, match)
        for match in found.context:
            self._context(record, match)
        for match in found.notices:
            if len(self.notices) < 100:
                self.notices.append((match.row.name, record, match))
        for match in found.life:
            self.life.read(record, match)

    def _process(self, record: Record, match: Match) -> None:
        name, groups = match.row.name, match.groups
        self.process.take(record, match)
        if name == "verbosity" and int(groups["level"][:9]) >= 0:
            self.verbosity = (int(groups["level"][:9]), record, match.start)
        elif name in ("device-listed", "device-used"):
            self._device(record, match)
        elif name == "devices-found":
            self.found_kinds.append((groups["kind"], record, match.start))
        elif name == "loading-draft":
            self.draft_next = True

    def _device(self, record: Record, match: Match) -> None:
        """Remember a device; what a second model finds free there is not what was free at the start."""
        groups, used = match.groups, match.row.name == "device-used"
        if used and (self.draft_next or any(known.used and known.name == groups["device"] for known in self.devices)):
            return
        total = int(groups["total"]) if "total" in groups else None
        self.devices.append(Device(groups["device"], record, match.start, int(groups["free"]), total, used))

    def load(self) -> Load:
        """The load that lines belong to now."""
        if not self.loads:
            self.loads.append(Load())
        return self.loads[-1]

    def _load(self, record: Record, match: Match) -> None:
        name, groups = match.row.name, match.groups
        if name == "loader":
            self.loads.append(Load(draft=self.draft_next))
            self.draft_next = False
        load = self.load()
        load.take(record, match)
        if name == "model-buffer":
            load.buffers.append((groups["device"], float(groups["mib"]), record, match.start))

    def _context(self, record: Record, match: Match) -> None:
        load, name = self.load(), match.row.name
        context = load.context()
        if name in _OPENS_CONTEXT and (name in context.seen or context.caches.sizes):
            load.contexts.append(type(context)())
            context = load.contexts[-1]
        context.read(record, match)

    def settle(self) -> Outcome:
        """Make the facts of everything that was read; call it once."""
        outcome = self.life.outcome()
        settle.settle(self, outcome)
        return outcome

    def start(self, outcome: Outcome, last_line: int) -> Start:
        """The start with all its facts, its outcome and its cause."""
        cause = self.collector.source.redactor.mask(outcome.cause.text) if outcome.cause else None
        return Start(
            first_line=self.first_line,
            last_line=max(self.first_line, last_line),
            outcome=outcome.text,
            cause=cause,
            ready=outcome.ready,
            facts=self.collector.facts(),
        )
