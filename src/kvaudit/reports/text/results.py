"""The results: memory and quality in one table, what was worked out of the runs, and the acceptance gate.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.report import Report
from kvaudit.reports import results_words
from kvaudit.reports.text.layout import GAP, PROSE, hang, heading, indented, line, row, side_by_side, wrapped

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {"accept": "bold green", "reject": "bold red", "tie": "bold yellow", "not_enough_runs": "bold yellow"}
_NAMES = 24
_INDENT = 2
_NARROW = 60
_WIDEST = 140


def results(report: Report, width: int) -> list[Text]:
    """The table of the arms, and a line for each run of which there is something to say."""
    rows = results_words.table(report)
    if not rows:
        return []
    out = [heading("Results")]
    names = ["a", "b"][: len(rows[0]) - 1]
    column = (min(width, _WIDEST) - _NAMES - GAP * (len(names) + 1)) // len(names)
    if width >= _NARROW:
        if len(names) > 1:
            out += row([(line("  "), _NAMES), *((line((name, "bold")), column) for name in names)])
        for name, *cells in rows:
            label = indented(wrapped(line((name, "dim")), _NAMES - _INDENT), _INDENT)
            out += side_by_side([(label, _NAMES), *((wrapped(line(cell), column), column) for cell in cells)])
    else:
        for name, *cells in rows:
            for arm, cell in zip(names, cells, strict=True):
                out += indented(wrapped(line((f"{name}{f' {arm}' if len(names) > 1 else ''}:", "dim")), width - _INDENT), _INDENT)
                out += hang("    ", line(cell), width)
    for text in results_words.runs(report):
        out += hang("  ", line(text), min(width, PROSE))
    return out


def gate(report: Report, width: int) -> list[Text]:
    """The decision with its numbers; empty without a gate."""
    if report.gate is None:
        return []
    decision = (results_words.gate_title(report.gate), _STYLES[report.gate.decision])
    out = hang(("Gate: ", "bold"), line(decision), min(width, PROSE))
    for text in results_words.gate_lines(report.gate):
        out += hang("  ", line(text), min(width, PROSE))
    return out
