"""The report: verdict, findings with evidence, differences, capacity, and what could not be checked.

Room: `audit`, shapes only. The JSON form of these models is the document `report` that users and outside checks rely on.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from kvaudit import __version__
from kvaudit.record.model import DOCUMENT_VERSION, Record
from kvaudit.results.gate.model import Gate

Severity = Literal["error", "warning", "note"]
Verdict = Literal["comparable", "not_comparable", "pass", "fail", "cannot_tell"]
DifferenceClass = Literal["expected", "derived", "confound", "context", "cosmetic", "unknown"]


class Evidence(BaseModel):
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


class Finding(BaseModel):
    """A rule that fired, was suppressed, or could not be decided although its subject is here."""

    rule: str
    severity: Severity
    state: Literal["fired", "suppressed", "unknown"] = "fired"
    arms: list[str] = []
    title: str = ""
    message: str = ""
    evidence: list[Evidence] = []
    missing: list[str] = []
    fix: str = ""
    explained_by: str | None = None
    reason: str | None = None
    """Why a suppressed finding does not count."""
    about: Literal["missing"] | None = None


class Difference(BaseModel):
    """Two values of one field that are not equal as recorded. `ratio` is b ÷ a."""

    field: str
    values: tuple[Any, Any]
    states: tuple[str, str]
    ratio: float | None = None
    class_: DifferenceClass = Field(serialization_alias="class")
    explained_by: str | None = None
    silenced: bool = Field(default=False, exclude=True)
    """It follows from something under test, so no rule fires on it."""
    proof: Literal["equal", "different"] | None = None
    meaning: str | None = Field(default=None, exclude=True)
    """What the field means on each arm, where the engines mean different things: no rule compares such values."""


class Factor(BaseModel):
    """A contribution to the capacity ratio."""

    name: str
    ratio: float


class MemoryPart(BaseModel):
    """A contribution to the difference of the KV memory, in GiB per rank (b minus a)."""

    name: str
    gib: float


class Capacity(BaseModel):
    """The token capacities of two arms: b ÷ a, its factors, and what they leave unexplained."""

    ratio: float
    factors: list[Factor] = []
    residual: float = 1.0
    memory_parts: list[MemoryPart] = []


class OtherDifference(BaseModel):
    """A difference of the raw configurations that no field covers."""

    source: str
    pointer: str
    values: tuple[Any, Any]


class NotChecked(BaseModel):
    """A rule that the evidence could not decide, and what it needs."""

    rule: str
    arms: list[str] = []
    needs: list[str] = []


class Summary(BaseModel):
    """Fired findings by severity, and suppressed ones."""

    error: int = 0
    warning: int = 0
    note: int = 0
    suppressed: int = 0


class LoadFigure(BaseModel):
    """The metric of one arm at one load: the mean of its runs, and half the 95 % interval of that mean (None below two runs)."""

    load: str
    mean: float
    half_width: float | None = None
    runs: int


class ResultsRow(BaseModel):
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
    figures: list[LoadFigure] = []


class RunRow(BaseModel):
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
    figures: dict[str, Any] = {}
    checked: int = 0
    """Pairs of figures that could be compared."""
    failed: int = 0
    tokens_per_chunk: float | None = None
    tokens_per_chunk_explained_by: str | None = None
    corrected_output_throughput: float | None = None
    corrected_total_throughput: float | None = None
    correction: str | None = None
    """The formula, the same for every run of every arm."""


class ResultsPart(BaseModel):
    """What `kvaudit results` adds to a report."""

    table: list[ResultsRow] = []
    runs: list[RunRow] = []
    remarks: list[str] = []


class Settings(BaseModel):
    """What the call was told: the settings file in force, the differences under test, what fails and what does not count."""

    file: str | None = None
    profile: str | None = None
    baseline: str | None = None
    fail_on: Literal["error", "warning", "never"] = "error"
    vary: list[str] = []
    accepted_unknown: list[str] = []
    allowed_tenants: list[str] = []
    notes: list[str] = []
    """Suppressions that have expired, entries of a baseline that are gone, and settings files that were not used."""


class ChecklistItem(BaseModel):
    """One item of the checklist before a benchmark: what it asks, and what the evidence answers."""

    number: int
    id: str
    title: str
    state: Literal["pass", "fail", "cannot_tell"]
    because: list[str] = []
    """What decided; of an item that cannot be told, what is missing."""
    rules: list[str] = []
    """Rules that were asked for this item."""
    evidence: list[Evidence] = []


class Report(BaseModel):
    """The whole result of `diff` or `check`."""

    document: Literal["report"] = "report"
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    command: str
    verdict: Verdict
    exit_code: int
    reasons: list[str] = []
    undecided: list[str] = []
    settings: Settings = Settings()
    arms: list[Record] = []
    findings: list[Finding] = []
    differences: list[Difference] = []
    capacity: Capacity | None = None
    other_differences: list[OtherDifference] = []
    not_checked: list[NotChecked] = []
    gate: Gate | None = None
    """The acceptance gate, where both arms hold results."""
    results: ResultsPart | None = None
    summary: Summary = Summary()
    checklist: list[ChecklistItem] | None = None
    """Only where the call asked for it."""
