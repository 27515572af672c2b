"""Where a value comes from: the facts in the order in which they are believed, and what became of each.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.fields import FIELDS, STAGES, Field
from kvaudit.parsers.facts import Fact
from kvaudit.record.kv_dtype.ladder import compatible
from kvaudit.record.model import FieldState, Record
from kvaudit.reports.excerpts import clipped
from kvaudit.reports.text.arms import selected_start
from kvaudit.reports.text.evidence import Quote, quoted
from kvaudit.reports.text.layout import PROSE, hang, indented, line, page, wrapped
from kvaudit.reports.values import shorten, value_of

if TYPE_CHECKING:
    from rich.text import Text

_DTYPE = "kv_cache.dtype"
_LADDER = (
    "a worker's own words; KV memory ÷ tokens; the engine line or the quantized-KV notice; backends that hold no FP8 KV; an auto "
    "that this version leaves untouched; the checkpoint's statement under this version. auto itself proves nothing"
)
_SPEAKERS = {
    "observed": "a measurement",
    "resolved": "the engine after its own decisions",
    "inferred": "arithmetic or engine behaviour",
    "requested": "the launch command",
    "stated": "the checkpoint",
}


def provenance(record: Record, field: str, arm: str | None, width: int, colour: bool) -> str:
    """The whole page; `record` is masked already."""
    held = record.fields.get(field) or FieldState(state="unknown", because="no line of the evidence names it")
    prose = min(width, PROSE)
    lines = [*_head(record, field, held, arm, prose), line("")]
    won = winners(field, held)
    for index in [*won, *(other for other in _by_strength(field, held) if other not in won)]:
        lines += [*_fact(field, held, index, won, width), line("")]
    lines += hang(("Order of belief: ", "bold"), line(_order(field)), prose)
    row = FIELDS.get(field)
    if row and row.settles and held.state in ("unknown", "conflict"):
        lines += hang(("Would settle it: ", "bold"), line(row.settles), prose)
    return page(lines, width, colour)


def winners(field: str, held: FieldState) -> list[int]:
    """Indices of the facts that decided. A saved document does not say them: there, the stage and value that hold do."""
    indices = [index for index in held.won if index < len(held.facts)]
    if indices or held.state != "known":
        return indices
    return [index for index, fact in enumerate(held.facts) if fact.stage == held.stage and fact.value == held.value]


def _head(record: Record, field: str, held: FieldState, arm: str | None, width: int) -> list[Text]:
    row = FIELDS.get(field)
    value = value_of(field, held.value, held.state)
    whose = f" of arm {arm}" if arm else ""
    stage = f" ({held.stage}: {_SPEAKERS[held.stage]})" if held.stage else ""
    out = wrapped(line((f"{field}{whose}", "bold"), " = ", (clipped(value, 4 * width), "bold green"), stage), width)
    if row:
        out += hang("  ", line((row.meaning, "dim")), width)
    if held.because:
        out += hang("  because ", line(held.because), width)
    start = selected_start(record)
    said = f"evidence: {shorten(record.label or '(no label)', max(12, width - 12))}"
    return [*out, *hang("  ", line((f"{said}; start {start}" if start else said, "dim")), width)]


def _by_strength(field: str, held: FieldState) -> list[int]:
    """All facts, the strongest first; those of the KV element type stand in the order of its ladder already."""
    if field == _DTYPE:
        return sorted(range(len(held.facts)), key=lambda index: held.facts[index].stage in ("requested", "stated"))
    return sorted(range(len(held.facts)), key=lambda index: STAGES.index(held.facts[index].stage))


def _fact(field: str, held: FieldState, index: int, won: list[int], width: int) -> list[Text]:
    fact = held.facts[index]
    style = "bold green" if index in won else ""
    scope = f", {fact.scope}" if fact.scope else ""
    value = clipped(value_of(field, fact.value), 3 * width)
    mark = "> " if index in won else "  "
    out = hang(mark, line((value, style), f" ({fact.stage}{scope}): {verdict_on(field, held, index, won)}"), min(width, PROSE))
    if fact.how:
        out += hang("    how: ", line(fact.how), min(width, PROSE))
    for origin in fact.origins:
        out += indented(quoted(Quote(origin, field, fact.value, fact.how), width - 4), 4)
    return out


def verdict_on(field: str, held: FieldState, index: int, won: list[int]) -> str:
    """What became of one fact, in words."""
    fact, row = held.facts[index], FIELDS.get(field)
    if index in won:
        return _of_winner(fact, held, row, first=index == won[0])
    if row and row.delegates(fact.value):
        return "delegates: it leaves the decision to somebody else and proves nothing"
    if not won:
        return "decides nothing by itself"
    best = held.facts[won[0]]
    if fact.value == held.value:
        return "agrees"
    if field == _DTYPE:
        alike = compatible(str(fact.value), str(held.value))
        return "agrees, and leaves the variant open" if alike else "beaten by stronger evidence"
    if STAGES.index(fact.stage) > STAGES.index(best.stage):
        return f"beaten: {best.stage} is believed before {fact.stage}"
    return "beaten by stronger evidence"


def _of_winner(fact: Fact, held: FieldState, row: Field | None, first: bool) -> str:
    if held.state == "conflict":
        return "one of the facts that contradict each other with equal strength"
    if held.state == "absent":
        return "proves that it is not set"
    extreme = {"min": "smallest", "max": "largest"}.get(row.binding) if row and len(held.won) > 1 else None
    if first:
        return f"decides: the {extreme} of the ranks binds" if extreme else "decides"
    if fact.value == held.value:
        return "agrees with equal strength"
    return f"not the {extreme} of the ranks" if extreme else "of equal strength"


def _order(field: str) -> str:
    if field == _DTYPE:
        return _LADDER
    return ", ".join(f"{stage} ({_SPEAKERS[stage]})" for stage in STAGES)
