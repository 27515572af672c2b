"""The differences of two arms: what is not under test first, what hardly matters as a count.

Room: `reports/text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kvaudit.audit.report import Difference, DifferenceClass, OtherDifference, Report
from kvaudit.audit.tolerance import beyond_tolerance
from kvaudit.fields import FIELDS
from kvaudit.reports.excerpts import clipped
from kvaudit.reports.text.layout import GAP, PROSE, heading, line, row, wrapped
from kvaudit.reports.values import counted, short_digest, shorten, times, value_of, written

if TYPE_CHECKING:
    from rich.text import Text

_CLASSES: dict[DifferenceClass, str] = {
    "confound": "confound: not under test, explained by nothing else",
    "unknown": "unknown: not known, or not set, on one side",
    "derived": "derived",
    "expected": "expected: named by --vary",
    "context": "context: decides nothing",
    "cosmetic": "cosmetic",
}
_STYLES: dict[DifferenceClass, str] = {"confound": "red", "unknown": "yellow"}
_FEW = 4
_MOST_RAW = 8
_NARROW = 72
_RATIO = 7
_CELL_LINES = 3


@dataclass(frozen=True, slots=True)
class _Columns:
    """Widths of the table; without a width for the values the cells stand below each other."""

    field: int
    value: int


def differences(report: Report, width: int) -> list[Text]:
    """The table; empty when nothing differs."""
    if not report.differences and not report.other_differences:
        return []
    shown, folded = _fold(report.differences)
    columns = _columns(shown, width)
    out = _head(columns)
    for title, style, group in _groups(shown):
        out += wrapped(line((title, style)), width)
        out += [one for difference in group for one in _row(difference, columns, width)]
    out += _raw(report.other_differences, columns, width)
    if folded:
        out += wrapped(line((_count(folded), "dim")), min(width, PROSE))
    return out


def hint(report: Report, width: int) -> list[Text]:
    """How to say that the one setting that differs is the one under test."""
    if report.command != "diff" or report.settings.vary:
        return []
    axes: dict[str, list[str]] = {}
    for difference in report.differences:
        row_ = FIELDS.get(difference.field)
        if row_ and row_.rule and row_.impact == "error" and difference.class_ == "confound" and beyond_tolerance(difference):
            axes.setdefault(row_.rule, []).append(difference.field)
    if len(axes) != 1:
        return []
    arguments = " ".join(f"--vary {name}" for name in next(iter(axes.values())))
    return wrapped(line("If this is what you test: ", (arguments, "bold")), min(width, PROSE))


def _fold(found: list[Difference]) -> tuple[list[Difference], list[Difference]]:
    """What is listed, and what is only counted because it decides nothing; a proof is always listed."""
    minor = [one for one in found if one.class_ in ("context", "cosmetic") and not one.proof]
    if len(minor) <= _FEW:
        return found, []
    return [one for one in found if one not in minor], minor


def _groups(shown: list[Difference]) -> Iterator[tuple[str, str, list[Difference]]]:
    for kind, title in _CLASSES.items():
        of_kind = [one for one in shown if one.class_ == kind]
        for cause in dict.fromkeys(one.explained_by for one in of_kind):
            group = [one for one in of_kind if one.explained_by == cause]
            yield (f"{kind}: follows from {cause}" if cause else title), _STYLES.get(kind, "dim"), group


def _columns(shown: Iterable[Difference], width: int) -> _Columns:
    if width < _NARROW:
        return _Columns(width, 0)
    field = min(max([*(len(one.field) for one in shown), 20]) + 2, width // 2 - 6)
    return _Columns(field, min(PROSE // 2, (width - field - _RATIO - 3 * GAP) // 2))


def _head(columns: _Columns) -> list[Text]:
    if not columns.value:
        return [heading("Differences")]
    cells = [(heading("Differences"), columns.field), (line(("a", "bold")), columns.value), (line(("b", "bold")), columns.value)]
    return row([*cells, (line(("b ÷ a", "bold")), _RATIO)])


def _row(difference: Difference, columns: _Columns, width: int) -> list[Text]:
    values = [
        short_digest(value_of(difference.field, value, state))
        for value, state in zip(_only_differing(difference.values), difference.states, strict=True)
    ]
    ratio = times(difference.ratio) if difference.ratio is not None else ""
    out = _cells(difference.field, values, ratio, columns, width)
    if difference.proof:
        out += wrapped(line((f"    proved {difference.proof} by comparison: KV memory ÷ tokens of both arms", "dim")), width)
    if difference.meaning:
        out += wrapped(line((f"    not comparable: {difference.meaning}", "dim")), width)
    return out


def _only_differing(values: tuple[Any, Any]) -> tuple[Any, Any]:
    """Of two objects only the keys that differ."""
    left, right = values
    if not isinstance(left, dict) or not isinstance(right, dict):
        return values
    keys = [key for key in {**left, **right} if key not in left or key not in right or left[key] != right[key]]
    return {key: left[key] for key in keys if key in left}, {key: right[key] for key in keys if key in right}


def _cells(name: str, values: list[str], ratio: str, columns: _Columns, width: int) -> list[Text]:
    if columns.value:
        room = columns.value * _CELL_LINES
        cells = [(line(f"  {name}"), columns.field), *((line(clipped(one, room)), columns.value) for one in values)]
        return row([*cells, (line(ratio), _RATIO)])
    out = wrapped(line(f"  {name}", f"  b ÷ a = {ratio}" if ratio else ""), width)
    for arm, value in zip("ab", values, strict=True):
        out += row([(line(f"    {arm}"), 5), (line(clipped(value, width * 2)), max(1, width - 7))])
    return out


def _raw(found: list[OtherDifference], columns: _Columns, width: int) -> list[Text]:
    out = []
    for source in dict.fromkeys(one.source for one in found[:_MOST_RAW]):
        out += wrapped(line((f"other keys of {source}", "dim")), width)
        for one in found[:_MOST_RAW]:
            if one.source == source:
                name = shorten(one.pointer, max(8, columns.field - 2))
                out += _cells(name, [written(value) for value in _only_differing(one.values)], "", columns, width)
    if len(found) > _MOST_RAW:
        out += wrapped(line((f"  and {len(found) - _MOST_RAW} more in the JSON report", "dim")), width)
    return out


def _count(folded: list[Difference]) -> str:
    kinds = {kind: sum(one.class_ == kind for one in folded) for kind in ("context", "cosmetic")}
    said = ", ".join(f"{number} {kind}" for kind, number in kinds.items() if number)
    return f"{counted(len(folded), 'more difference')} that decide nothing ({said}): --format json lists them"
