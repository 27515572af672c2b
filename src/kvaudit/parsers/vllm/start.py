"""One start under construction: its processes, its milestones, its facts.

Room: what a single start knows of itself. Which record belongs to which start is `splitter`'s business, what became of the
start is `outcome`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.fields import FIELDS, spelled
from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Fact, Start
from kvaudit.parsers.tables import Match
from kvaudit.parsers.vllm import arguments, engine_line, settle
from kvaudit.parsers.vllm.following import Document
from kvaudit.parsers.vllm.messages import Record
from kvaudit.parsers.vllm.outcome import Life
from kvaudit.parsers.vllm.processes import Process
from kvaudit.parsers.vllm.statistics import Statistics

_PLATFORM_OF = {
    "cuda.py": "cuda",
    "rocm.py": "rocm",
    "cpu.py": "cpu",
    "cpu_worker.py": "cpu",
    "cpu_model_runner.py": "cpu",
    "tpu.py": "tpu",
    "tpu_worker.py": "tpu",
    "xpu.py": "xpu",
    "xpu_worker.py": "xpu",
}
_WEIGHTS = {
    "server-version": 1,
    "api-version": 1,
    "logo-version": 1,
    "batch-version": 1,
    "platform-plugin": 2,
    "auto-fit-reduced": 2,
    "graph-mode-overridden": 2,
    "graph-mode-lowered": 2,
    "async-scheduling-off": 1,
    "hybrid-block-size": 1,
    "ds-mla-format": 2,
    "backend-format": 2,
    "flashinfer-dtypes": 1,
}
"""Rows that are better sources of their field than the default of 0."""

_MILESTONES = {
    "weights": "weights",
    "weights-v0": "weights",
    "capacity": "capacity",
    "blocks": "capacity",
    "available-memory": "capacity",
    "profiling-rest": "capacity",
    "profiling-results": "capacity",
}


@dataclass(slots=True)
class StartBuilder:
    """A start while the log is read."""

    collector: Collector
    document: Document
    first_line: int
    last_line: int = 0
    processes: set[Process] = field(default_factory=set)
    names: dict[str, int] = field(default_factory=dict)
    pids: set[int] = field(default_factory=set)
    reached: dict[str, Record] = field(default_factory=dict)
    openers: dict[str, str] = field(default_factory=dict)
    arguments: arguments.Arguments | None = None
    engine: engine_line.EngineLine | None = None
    engine_names: set[str] = field(default_factory=set)
    statistics: Statistics = field(default_factory=Statistics)
    life: Life = field(default_factory=Life)
    drafting: set[int | None] = field(default_factory=set)
    opened_at: int = 0
    dummy_expected: bool = False
    first: Record | None = None
    witness: Record | None = None
    noted: set[str] = field(default_factory=set)

    def join(self, record: Record) -> None:
        """Count a record and its process as this start's."""
        self.first = self.first or record
        self.last_line = max(self.last_line, record.number)
        process = record.process
        if process is None:
            return
        self.processes.add(process)
        self.witness = self.witness or (record if process.is_engine or process.tensor_rank is not None else None)
        self.pids.add(process.pid)
        self.names.setdefault(process.name, process.pid)

    @property
    def has_content(self) -> bool:
        """Whether more than a banner was seen: what follows a new banner is another start.

        An engine core comes after its server's banner, so the tail of an earlier start may be known by nothing else.
        """
        return bool(self.reached) or self._served or self.life.failed or any(process.is_engine for process in self.processes)

    @property
    def has_engine_content(self) -> bool:
        """Whether more than banner and arguments was seen: an engine line begins another start."""
        return bool(self.reached.keys() - {"arguments"}) or self._served or self.life.failed

    def went_on(self, opener: str) -> bool:
        """Whether lines that follow `opener` in a start were seen: the same line again is then no mere double."""
        before = {"banner": set(), "arguments": {"arguments"}}.get(opener, {"arguments", "engine"})
        return bool(self.reached.keys() - before) or self._served

    @property
    def _served(self) -> bool:
        return self.statistics.lines > 0 or self.life.ready is not None

    def may_be_parent_of(self, process: Process) -> bool:
        """Whether the process that spawns such a process has a smaller pid, as a parent's is."""
        parents = [known.pid for known in self.processes if (known.is_frontend if process.is_engine else known.is_engine)]
        return bool(parents) and min(parents) < process.pid

    def may_have_asked_for(self, engine_message: str) -> bool:
        """Whether an engine line does not contradict what this start's arguments say."""
        if self.arguments is None:
            return True
        asked = {field: value for field, value, _ in arguments.requested(self.arguments)}
        line = engine_line.parse(None, None, engine_message.partition("with config: ")[2])
        shown = {said.field: said.value for said in engine_line.said(line, {}) if said.field in FIELDS}
        return all(
            FIELDS[field].delegates(value) or spelled(field, value) == shown[field]
            for field, value in asked.items()
            if field in shown
        )

    def open(self, opener: str, record: Record) -> None:
        """Remember an opener: `banner`, `arguments`, `engine` or `argument-error`."""
        self.openers.setdefault(opener, record.time + record.message)
        self.opened_at = self.opened_at or record.number

    def mark(self, milestone: str, record: Record) -> None:
        """How far the start got."""
        self.reached.setdefault(milestone, record)

    def read_facts(self, record: Record, matches: list[Match]) -> None:
        """Take the values of matched rows in."""
        if platform := _PLATFORM_OF.get(record.source_name):
            origin = self.collector.origin(record, 0, "platform-module")
            how = f"printed by {record.source_name}"
            self.collector.add("engine.platform", platform, "observed", [origin], how=how)
        for match in matches:
            self._read(record, match)

    def _read(self, record: Record, match: Match) -> None:
        row = match.row
        if milestone := _MILESTONES.get(row.name):
            self.mark(milestone, record)
        if row.name == "drafter":
            self.drafting.add(record.process.pid if record.process else None)
        if settle.is_ignored(self, record, match):
            return
        weight = _WEIGHTS.get(row.name, 0)
        for name, value in match.values.items():
            stage = "observed" if name == "model.max_len" and row.name in ("capacity", "concurrency") else row.stage
            scope = record.process.scope if record.process else None
            origin = self.collector.origin(record, match.start, row.name)
            self.collector.add(name, value, stage, [origin], scope=scope, pick=row.pick, weight=weight)

    def finish(self, last_line: int, *, is_last: bool, sampled: bool) -> Start:
        """The start with all its facts, its outcome and its cause.

        `is_last`: no other start follows in the document. `sampled`: statistics lines were left out of the scan.
        """
        end = max(self.last_line, last_line)
        uncaught = self.life.uncaught
        noise = is_last and uncaught is not None and self.document.goes_on(uncaught.number, end)
        outcome = self.life.outcome(headless=not self.openers, goes_on=noise)
        settle.settle(self, outcome, sampled)
        facts: list[Fact] = self.collector.facts()
        cause = self.collector.source.redactor.mask(outcome.cause) if outcome.cause else None
        return Start(
            first_line=self.first_line,
            last_line=end,
            outcome=outcome.text,
            cause=cause,
            ready=outcome.ready,
            facts=facts,
        )
