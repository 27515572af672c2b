"""The results part and the gate of a report in words, for every format that people read.

Room: `reports`, plain strings only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.report import Report, ResultsRow, RunRow
from kvaudit.reports.values import counted

if TYPE_CHECKING:
    from kvaudit.results.gate.model import Gate, Interval

_MOST_RUNS = 12
_MOST_LOADS = 12
_MOST_REASONS = 6
_ONE_TOKEN = 1.05
_GATE_WORDS = {"accept": "accept b", "reject": "reject b", "tie": "a tie", "not_enough_runs": "not enough runs"}


def table(report: Report) -> list[list[str]]:
    """The rows of the table of memory and quality: a name, then one cell an arm; empty without results."""
    held = report.results.table if report.results else []
    if not held:
        return []
    rows = [["row label", *(one.label for one in held)]]
    rows.append(["KV bytes per token", *(_number(one.bytes_per_token) for one in held)])
    rows.append(["requests at 8K", *(_number(one.requests_at_8k, 1) for one in held)])
    loads = list(dict.fromkeys(figure.load for one in held for figure in one.figures))
    for load in loads[:_MOST_LOADS]:
        name = f"{held[0].metric} {_what_differs(load, loads)}".strip()
        rows.append([name, *(metric(one, load) for one in held)])
    rows = [one for one in rows if any(cell != "unknown" for cell in one[1:])]
    if len(loads) > _MOST_LOADS:
        rows.append([f"and {len(loads) - _MOST_LOADS} more loads", *("--format json" for _ in held)])
    return rows


def _what_differs(load: str, loads: list[str]) -> str:
    """The parts of a load's name that not every load has."""
    return ", ".join(part for part in load.split(", ") if not all(part in other.split(", ") for other in loads))


def metric(one: ResultsRow, load: str) -> str:
    """`1,000.5 ± 2.7 tok/s (6 runs)`."""
    figure = next((held for held in one.figures if held.load == load), None)
    if figure is None:
        return "unknown"
    half = f" ± {figure.half_width:,.3g}" if figure.half_width is not None else ""
    return f"{figure.mean:,.6g}{half}{f' {one.unit}' if one.unit else ''} ({counted(figure.runs, 'run')})"


def runs(report: Report) -> list[str]:
    """What was worked out of each run, for those of which there is something to say."""
    held = report.results.runs if report.results else []
    several = len(report.arms) > 1
    told = [f"{f'arm {one.arm}: ' if several else ''}{text}" for one in held if (text := _told(one))]
    more = [f"and {len(told) - _MOST_RUNS} more runs: --format json lists them"] if len(told) > _MOST_RUNS else []
    checked = sum(one.checked for one in held)
    failed = sum(one.failed for one in held)
    head = (
        [f"{counted(len(held), 'run')}, {counted(checked, 'pair')} of figures compared, {failed} of them disagree"]
        if held
        else []
    )
    remarks = report.results.remarks if report.results else []
    return [*head, *told[:_MOST_RUNS], *more, *remarks]


def _told(one: RunRow) -> str:
    said = []
    if one.tokens_per_chunk is not None and one.tokens_per_chunk > _ONE_TOKEN:
        why = f", explained by {one.tokens_per_chunk_explained_by}" if one.tokens_per_chunk_explained_by else ", not explained"
        said.append(f"{one.tokens_per_chunk:.2f} tokens per stream event{why}")
    if one.corrected_output_throughput is not None and one.corrected_total_throughput is not None:
        said.append(
            f"recomputed {one.corrected_output_throughput:,.6g} output and {one.corrected_total_throughput:,.6g} total tok/s "
            f"({one.correction})"
        )
    mark = f":{one.line}" if one.line is not None else ""
    return f"{one.file}{mark}: {'; '.join(said)}" if said else ""


def gate_title(gate: Gate) -> str:
    """`accept b by output_throughput (higher is better)`."""
    return f"{_GATE_WORDS[gate.decision]} by {gate.metric} ({gate.direction} is better)"


def gate_sentences(report: Report) -> list[str]:
    """The decision with its first reasons, for formats that list sentences; empty where no gate was asked for."""
    if report.gate is None or report.command != "results":
        return []
    return [f"gate: {gate_title(report.gate)}. {' '.join(report.gate.reasons[:2])}".strip()]


def gate_lines(gate: Gate) -> list[str]:
    """The numbers of the gate and its reasons, each a line."""
    lines = []
    if gate.difference is not None and gate.difference_percent is not None:
        unit = f" {gate.unit}" if gate.unit else ""
        lines.append(f"b − a = {gate.difference:+,.4g}{unit} ({gate.difference_percent:+.2f} %)")
    lines += [_interval(one) for one in (gate.interval, gate.bootstrap) if one is not None]
    if gate.test is not None:
        lines.append(f"{gate.test.name} test: p = {gate.test.p:.3g}{'' if gate.test.exact else ' (sampled)'}")
    lines += [
        f"floor: {one.quantity} {one.candidate:,.6g} is {one.ratio:.1%} of the peak {one.peak:,.6g} ({one.share:.0%} required)"
        for one in gate.floors
    ]
    return [*lines, *gate.reasons[:_MOST_REASONS]]


def _interval(one: Interval) -> str:
    percent = ""
    if one.low_percent is not None and one.high_percent is not None:
        percent = f" ({one.low_percent:+.2f} to {one.high_percent:+.2f} %)"
    return f"{one.method}, {one.level:.3g} interval: {one.low:+,.4g} to {one.high:+,.4g}{percent}"


def _number(value: float | None, digits: int = 0) -> str:
    return "unknown" if value is None else f"{value:,.{digits}f}"
