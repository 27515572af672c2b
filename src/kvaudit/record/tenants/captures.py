"""Several snapshots of one arm: which one shows the run, and what becomes of the others.

Room: `record.tenants`. A snapshot from before the start shows strangers only, one from afterwards leftovers; the one that counts
shows the run's own processes. Values that change from one moment to the next are taken from it, the others are kept as facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.parsers.snapshots.capture import CHANGING
from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable
from kvaudit.record.tenants.evidence import FIELD, Run
from kvaudit.record.tenants.ladder import classified

_LATER = "clue.snapshot_capture"


@dataclass(slots=True)
class _Capture:
    """One capture: its file, its place in the file (0 for the first), its facts by field, and when it was taken."""

    file: str
    place: int
    facts: dict[str, Fact] = field(default_factory=dict)
    time: str = ""

    @property
    def name(self) -> str:
        """How notes call it."""
        which = f"capture {self.place + 1} of {self.file}" if self.place else self.file
        return f"{which} ({self.time})" if self.time else which


def choose_capture(table: FactTable, run: Run | None) -> dict[str, list[str]]:
    """Settle the changing fields by the capture that shows the run. Notes by file name the capture that counts."""
    captures = _captures(table)
    if len(captures) < 2:
        return {}
    ranked = sorted(captures, key=lambda one: _score(one, run), reverse=True)
    best = ranked[0]
    alone = len({one.file for one in captures}) == 1
    if alone and (run is None or _score(best, run)[:2] == _score(captures[0], run)[:2]):
        best = captures[0]
    for name in CHANGING:
        _settle(table, name, best, ranked)
    if best.place == 0 and alone:
        return {}
    others = ", ".join(one.name for one in captures if one is not best)
    return {
        best.file: [f"{len(captures)} captures of this arm: {best.name} counts, because it shows most of the run; not {others}"]
    }


def _captures(table: FactTable) -> list[_Capture]:
    """The captures of all snapshot files, first ones first; only those that show memory or processes."""
    found: dict[tuple[str, int], _Capture] = {}
    for name in CHANGING:
        for one in table.fields.get(name, []):
            if one.origins and (one.stage == "observed" or name != FIELD):
                file = one.origins[0].file
                found.setdefault((file, 0), _Capture(file, 0)).facts.setdefault(name, one)
    times = {one.origins[0].file: str(one.value) for one in reversed(table.clues.get("clue.snapshot_time", [])) if one.origins}
    for (file, _), capture in found.items():
        capture.time = times.get(file, "")
    for place, clue in enumerate(table.clues.get(_LATER, []), start=1):
        if clue.origins and isinstance(clue.value, dict):
            later = _later(clue, place)
            found[(later.file, place)] = later
    telling = (FIELD, "gpu.memory_used_mib")
    return [one for one in found.values() if any(name in one.facts for name in telling)]


def _later(clue: Fact, place: int) -> _Capture:
    """A further capture of a file, from its clue."""
    told = clue.value.get("place")
    place = told if isinstance(told, int) and told > 0 else place
    capture = _Capture(clue.origins[0].file, place, time=str(clue.value.get("time") or ""))
    for name in CHANGING:
        if name in clue.value:
            capture.facts[name] = Fact(field=name, stage="observed", value=clue.value[name], origins=clue.origins)
    return capture


def _score(capture: _Capture, run: Run | None) -> tuple[int, int, float]:
    """The run's own processes by id, by any rung, and the memory in use."""
    held = capture.facts.get(FIELD)
    tenants = classified(held.value, run) if run is not None and held is not None and isinstance(held.value, list) else []
    own = [str(one.get("reason")) for one in tenants if one.get("class") == "own"]
    return (sum(reason.startswith("pid:") for reason in own), len(own), _used(capture))


def _used(capture: _Capture) -> float:
    held = capture.facts.get("gpu.memory_used_mib")
    values: list[Any] = held.value if held is not None and isinstance(held.value, list) else []
    return float(sum(value for value in values if isinstance(value, int | float)))


def _settle(table: FactTable, name: str, best: _Capture, ranked: list[_Capture]) -> None:
    """The value of the capture that counts, else of the next that has one. Fields that one capture speaks of need no choice."""
    speaking = [one for one in ranked if name in one.facts]
    if best in speaking:
        speaking = [best, *(one for one in speaking if one is not best)]
    if len(speaking) < 2 and best.place == 0:
        return
    if not speaking:
        return
    chosen = speaking[0].facts[name]
    facts = [*table.fields.get(name, [])]
    if chosen not in facts:
        facts.append(chosen)
    because = f"{len(speaking)} captures: {speaking[0].name} shows the run"
    table.settled[name] = FieldState(
        state="known",
        value=chosen.value,
        unit=chosen.unit,
        stage=chosen.stage,
        because=because,
        facts=facts,
        won=[facts.index(chosen)],
    )
