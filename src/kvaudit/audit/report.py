"""The report: verdict, findings with evidence, differences, capacity, and what could not be checked.

Room: `audit`, shapes only. The JSON form of these models is the document `report` that users and outside checks rely on.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kvaudit import __version__
from kvaudit.record.model import DOCUMENT_VERSION, Record
from kvaudit.shapes import HIDDEN, written_as

if TYPE_CHECKING:
    from kvaudit.results.gate.model import Gate

Severity = Literal["error", "warning", "note"]
Verdict = Literal["comparable", "not_comparable", "pass", "fail", "cannot_tell"]
DifferenceClass = Literal["expected", "derived", "confound", "context", "cosmetic", "unknown"]


@dataclass(slots=True, kw_only=True)
class Evidence:
    """One line of evidence of a finding."""

    arm: str
    field: str
    stage: str
    value: Any = None
    file: str | None = None
    line: int | None = None
    pointer: str | None = None
    excerpt: str = ""
    how: str | None = None


@dataclass(slots=True, kw_only=True)
class Finding:
    """A rule that fired, was suppressed, or could not be decided although its subject is here."""

    rule: str
    severity: Severity
    state: Literal["fired", "suppressed", "unknown"] = "fired"
    arms: list[str] = dataclasses.field(default_factory=list)
    title: str = ""
    message: str = ""
    evidence: list[Evidence] = dataclasses.field(default_factory=list)
    missing: list[str] = dataclasses.field(default_factory=list)
    fix: str = ""
    explained_by: str | None = None
    reason: str | None = None
    """Why a suppressed finding does not count."""
    about: Literal["missing"] | None = None


@dataclass(slots=True, kw_only=True)
class Difference:
    """Two values of one field that are not equal as recorded. `ratio` is b ÷ a."""

    field: str
    values: tuple[Any, Any]
    states: tuple[str, str]
    ratio: float | None = None
    class_: DifferenceClass = dataclasses.field(metadata=written_as("class"))
    explained_by: str | None = None
    silenced: bool = dataclasses.field(default=False, metadata=HIDDEN)
    """It follows from something under test, so no rule fires on it."""
    proof: Literal["equal", "different"] | None = None
    meaning: str | None = dataclasses.field(default=None, metadata=HIDDEN)
    """What the field means on each arm, where the engines mean different things: no rule compares such values."""


@dataclass(slots=True, kw_only=True)
class Factor:
    """A contribution to the capacity ratio."""

    name: str
    ratio: float


@dataclass(slots=True, kw_only=True)
class MemoryPart:
    """A contribution to the difference of the KV memory, in GiB per rank (b minus a)."""

    name: str
    gib: float


@dataclass(slots=True, kw_only=True)
class Capacity:
    """The token capacities of two arms: b ÷ a, its factors, and what they leave unexplained."""

    ratio: float
    factors: list[Factor] = dataclasses.field(default_factory=list)
    residual: float = 1.0
    memory_parts: list[MemoryPart] = dataclasses.field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class OtherDifference:
    """A difference of the raw configurations that no field covers."""

    source: str
    pointer: str
    values: tuple[Any, Any]


@dataclass(slots=True, kw_only=True)
class NotChecked:
    """A rule that the evidence could not decide, and what it needs."""

    rule: str
    arms: list[str] = dataclasses.field(default_factory=list)
    needs: list[str] = dataclasses.field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Summary:
    """Fired findings by severity, and suppressed ones."""

    error: int = 0
    warning: int = 0
    note: int = 0
    suppressed: int = 0


@dataclass(slots=True, kw_only=True)
class LoadFigure:
    """The metric of one arm at one load: the mean of its runs, and half the 95 % interval of that mean (None below two runs)."""

    load: str
    mean: float
    half_width: float | None = None
    runs: int


@dataclass(slots=True, kw_only=True)
class ResultsRow:
    """One arm in the table of memory and quality: label, KV memory, and the metric at each load.

    `label` names weights and settings; `bytes_per_token` is per rank; `requests_at_8k` are requests of 8,192 tokens that the KV
    pool holds.
    """

    arm: str
    label: str
    bytes_per_token: float | None = None
    requests_at_8k: float | None = None
    metric: str
    unit: str | None = None
    figures: list[LoadFigure] = dataclasses.field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class RunRow:
    """One run of an arm: its place, its figures, and what was worked out from them."""

    arm: str
    file: str
    line: int | None = None
    pointer: str | None = None
    tool: str
    tool_version: str | None = None
    label: str | None = None
    model: str | None = None
    started: str | None = None
    figures: dict[str, Any] = dataclasses.field(default_factory=dict)
    checked: int = 0
    """Pairs of figures that could be compared."""
    failed: int = 0
    tokens_per_chunk: float | None = None
    tokens_per_chunk_explained_by: str | None = None
    corrected_output_throughput: float | None = None
    corrected_total_throughput: float | None = None
    correction: str | None = None
    """The formula, the same for every run of every arm."""


@dataclass(slots=True, kw_only=True)
class ResultsPart:
    """What `kvaudit results` adds to a report."""

    table: list[ResultsRow] = dataclasses.field(default_factory=list)
    runs: list[RunRow] = dataclasses.field(default_factory=list)
    remarks: list[str] = dataclasses.field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Settings:
    """What the call was told: the settings file in force, the differences under test, what fails and what does not count."""

    file: str | None = None
    profile: str | None = None
    baseline: str | None = None
    fail_on: Literal["error", "warning", "never"] = "error"
    vary: list[str] = dataclasses.field(default_factory=list)
    accepted_unknown: list[str] = dataclasses.field(default_factory=list)
    allowed_tenants: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    """Suppressions that have expired, entries of a baseline that are gone, and settings files that were not used."""


@dataclass(slots=True, kw_only=True)
class ChecklistItem:
    """One item of the checklist before a benchmark: what it asks, and what the evidence answers."""

    number: int
    id: str
    title: str
    state: Literal["pass", "fail", "cannot_tell"]
    because: list[str] = dataclasses.field(default_factory=list)
    """What decided; of an item that cannot be told, what is missing."""
    rules: list[str] = dataclasses.field(default_factory=list)
    """Rules that were asked for this item."""
    evidence: list[Evidence] = dataclasses.field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Report:
    """The whole result of `diff` or `check`."""

    document: Literal["report"] = "report"
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    command: str
    verdict: Verdict
    exit_code: int
    reasons: list[str] = dataclasses.field(default_factory=list)
    undecided: list[str] = dataclasses.field(default_factory=list)
    settings: Settings = dataclasses.field(default_factory=Settings)
    arms: list[Record] = dataclasses.field(default_factory=list)
    findings: list[Finding] = dataclasses.field(default_factory=list)
    differences: list[Difference] = dataclasses.field(default_factory=list)
    capacity: Capacity | None = None
    other_differences: list[OtherDifference] = dataclasses.field(default_factory=list)
    not_checked: list[NotChecked] = dataclasses.field(default_factory=list)
    gate: Gate | None = None
    """The acceptance gate, where both arms hold results."""
    results: ResultsPart | None = None
    summary: Summary = dataclasses.field(default_factory=Summary)
    checklist: list[ChecklistItem] | None = None
    """Only where the call asked for it."""
