"""The table of `kvaudit results`: one row an arm with memory and quality together, one row a run with what was worked out.

Room: `audit`. Figures of the evidence and arithmetic on them; a correction stands on every run of every arm, or on none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import ResultsPart, ResultsRow, RunRow
from kvaudit.errors import KvauditError
from kvaudit.parsers.results.run import Run, unit_of
from kvaudit.record.model import Record
from kvaudit.results.checking import check_run
from kvaudit.results.chunks import per_chunk
from kvaudit.results.corrections import Corrected, corrections
from kvaudit.results.evidence import Results, results_of
from kvaudit.results.gate.metrics import default_metric, metric_name
from kvaudit.results.gate.model import Gate
from kvaudit.results.gate.scipy_extra import load
from kvaudit.results.labels import row_label

SHOWN = (
    *("requests", "request_rate", "max_concurrency", "input_length", "output_length", "dataset", "seed", "completed", "failed"),
    *("duration", "input_tokens", "output_tokens", "cached_tokens", "request_throughput", "input_throughput"),
    *("output_throughput", "total_throughput", "accept_length", "ttft.mean", "ttft.p99", "tpot.mean", "itl.mean", "itl.p99"),
    *("e2e.mean", "e2e.p99", "score", "score_items"),
)
"""Quantities of a run that the report repeats."""

_LENGTH = 8192
_LEVEL = 0.95
_NO_FORMULA = (
    "Output tokens of one run at least are stream events. No formula gives the true throughput of every run, so none is "
    "corrected: a correction of some runs would be a new difference. Pinned lengths (ignore_eos with --random-input-len and "
    "--random-output-len, stored with the result), or /metrics before and after each run, would give it."
)


def part_of(records: Sequence[Record], gate: Gate | None, metric: str | None) -> ResultsPart:
    """The rows of one arm or two."""
    results = [results_of(record) for record in records]
    name = gate.metric if gate else metric_name(metric) if metric else default_metric(disaggregated=False)
    runs = [run for one in results for run in one.runs]
    proven = any(claim.proven for one in results for claim in one.counted)
    corrected = _corrected(results, runs) if proven else None
    arms = [arm for arm, one in zip(ARM_NAMES, results, strict=False) for _ in one.runs]
    rows = [_run_row(arm, run, _owner(results, run)) for arm, run in zip(arms, runs, strict=True)]
    for row, one in zip(rows, corrected or [], strict=False):
        row.corrected_output_throughput, row.corrected_total_throughput, row.correction = one.output, one.total, one.formula
    table = [_row(arm, record, name) for arm, record in zip(ARM_NAMES, records, strict=False)]
    return ResultsPart(table=table, runs=rows, remarks=[_NO_FORMULA] if proven and corrected is None else [])


def _corrected(results: Sequence[Results], runs: Sequence[Run]) -> list[Corrected] | None:
    return corrections(runs) or corrections(runs, lambda run: _owner(results, run).server(run).generated_tokens)


def _owner(results: Sequence[Results], run: Run) -> Results:
    return next(one for one in results if any(held is run for held in one.runs))


def _run_row(arm: str, run: Run, results: Results) -> RunRow:
    checks = [one for one in check_run(run) if one.holds is not None]
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


def _row(arm: str, record: Record, metric: str) -> ResultsRow:
    runs = results_of(record).runs
    values = [value for run in runs if (value := run.number(metric)) is not None]
    tokens = _number(record.value("kv_cache.tokens_total")) or _number(record.value("kv_cache.tokens"))
    return ResultsRow(
        arm=arm,
        label=row_label(record, runs),
        bytes_per_token=_number(record.value("kv_cache.bytes_per_token")),
        requests_at_8k=tokens / _LENGTH if tokens else None,
        metric=metric,
        unit=unit_of(metric),
        mean=fmean(values) if values else None,
        half_width=_half_width(values),
        runs=len(values),
    )


def _half_width(values: Sequence[float]) -> float | None:
    """Half of Student's 95 % interval of the mean; None below two runs, or where SciPy is missing."""
    if len(values) < 2:
        return None
    try:
        quantile = float(load("scipy.stats").t.ppf(0.5 + _LEVEL / 2, len(values) - 1))
    except KvauditError:
        return None
    return quantile * stdev(values) / sqrt(len(values))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
