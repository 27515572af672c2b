"""The table of `kvaudit results`: one row an arm with memory and quality together, one row a run with what was worked out.

Room: `audit`. Figures of the evidence and arithmetic on them; a correction stands on every run of every arm, or on none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import LoadFigure, ResultsPart, ResultsRow, RunRow
from kvaudit.parsers.results.run import Run, unit_of
from kvaudit.record.model import Record
from kvaudit.results.chunks import per_chunk
from kvaudit.results.corrections import Corrected, corrected_runs
from kvaudit.results.disagreements import compared
from kvaudit.results.evidence import Results, recomputed, results_of
from kvaudit.results.gate.metrics import default_metric, metric_name
from kvaudit.results.gate.model import Gate
from kvaudit.results.gate.points import points_of
from kvaudit.results.labels import row_label

SHOWN = (
    *("requests", "request_rate", "max_concurrency", "input_length", "output_length", "dataset", "seed", "completed", "failed"),
    *("duration", "input_tokens", "output_tokens", "cached_tokens", "request_throughput", "input_throughput"),
    *("output_throughput", "total_throughput", "accept_length", "ttft.mean", "ttft.p99", "tpot.mean", "itl.mean", "itl.p99"),
    *("e2e.mean", "e2e.p99", "score", "score_items"),
)
"""Quantities of a run that the report repeats."""

_RECOMPUTED = (
    "Output tokens of one run at least are stream events: the table and the gate use the recomputed throughput of every run."
)

_LENGTH = 8192
_STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""The 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom: the table needs no SciPy, the gate does."""
_NORMAL = 1.960
_NO_FORMULA = (
    "Output tokens of one run at least are stream events. No formula gives the true throughput of every run, so none is "
    "corrected: a correction of some runs would be a new difference. Pinned lengths (ignore_eos with --random-input-len and "
    "--random-output-len, stored with the result), or /metrics before and after each run, would give it."
)


def part_of(records: Sequence[Record], gate: Gate | None, metric: str | None) -> ResultsPart:
    """The rows of one arm or two."""
    results = [results_of(record) for record in records]
    name = gate.metric if gate else metric_name(metric) if metric else default_metric(disaggregated=False)
    corrected = recomputed(results)
    runs = [one.runs for one in results]
    if corrected is not None:
        runs = [corrected_runs(one.runs, found) for one, found in zip(results, corrected, strict=True)]
    figures = _figures(runs, name)
    return ResultsPart(
        table=[_row(arm, record, name, figures[arm]) for arm, record in zip(ARM_NAMES, records, strict=False)],
        runs=_run_rows(results, corrected),
        remarks=_remarks(results, corrected),
    )


def _remarks(results: Sequence[Results], corrected: list[list[Corrected]] | None) -> list[str]:
    if not any(claim.proven for one in results for claim in one.counted):
        return []
    return [_NO_FORMULA if corrected is None else _RECOMPUTED]


def _run_rows(results: Sequence[Results], corrected: list[list[Corrected]] | None) -> list[RunRow]:
    rows = []
    for at, (arm, one) in enumerate(zip(ARM_NAMES, results, strict=False)):
        for number, run in enumerate(one.runs):
            row = _run_row(arm, run, one)
            if corrected is not None:
                found = corrected[at][number]
                row.corrected_output_throughput, row.corrected_total_throughput = found.output, found.total
                row.correction = found.formula
            rows.append(row)
    return rows


def _run_row(arm: str, run: Run, results: Results) -> RunRow:
    checks = compared(run)
    chunk = per_chunk(run, results.server(run).accept_length)
    return RunRow(
        arm=arm,
        file=run.file,
        line=run.line,
        pointer=run.pointer,
        tool=run.tool,
        tool_version=run.tool_version,
        label=run.label,
        model=run.model,
        started=run.started,
        figures={name: run.values[name].value for name in SHOWN if name in run.values},
        checked=len(checks),
        failed=sum(one.holds is False for one in checks),
        tokens_per_chunk=chunk.tokens if chunk else None,
        tokens_per_chunk_explained_by=chunk.explained_by if chunk else None,
    )


def _row(arm: str, record: Record, metric: str, figures: list[LoadFigure]) -> ResultsRow:
    tokens = _number(record.value("kv_cache.tokens_total")) or _number(record.value("kv_cache.tokens"))
    return ResultsRow(
        arm=arm,
        label=row_label(record, results_of(record).runs),
        bytes_per_token=_number(record.value("kv_cache.bytes_per_token")),
        requests_at_8k=tokens / _LENGTH if tokens else None,
        metric=metric,
        unit=unit_of(metric),
        figures=figures,
    )


def _figures(runs: Sequence[Sequence[Run]], metric: str) -> dict[str, list[LoadFigure]]:
    """By arm, the metric at each load, in the order of the loads."""
    held = {arm: [run for run in one if run.number(metric) is not None] for arm, one in zip(ARM_NAMES, runs, strict=False)}
    found: dict[str, list[LoadFigure]] = {arm: [] for arm in held}
    for point in points_of(held):
        for arm, repeated in point.arms.items():
            values = [value for run in repeated if (value := run.number(metric)) is not None]
            figure = LoadFigure(load=point.name, mean=fmean(values), half_width=half_width(values), runs=len(values))
            found[arm].append(figure)
    return found


def half_width(values: Sequence[float]) -> float | None:
    """Half of Student's 95 % interval of the mean; None below two runs."""
    if len(values) < 2:
        return None
    freedom = len(values) - 1
    quantile = _STUDENT[freedom - 1] if freedom <= len(_STUDENT) else _NORMAL + 2.4 / freedom
    return quantile * stdev(values) / sqrt(len(values))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
