"""Everything in which two figures of a run disagree that must not: identities, per-request rows, pinned lengths.

Room: `results`. One sentence per disagreement, with both figures; how grave it is, is said as `serious`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.results.run import Run
from kvaudit.results.checking import Check, check_run, failures, relative_error
from kvaudit.results.counting import Server, counted_by_events
from kvaudit.results.pinned import expected_output_tokens, reports_what_was_asked

_ROWS_SERIOUS = 0.05
_ROWS_UNUSUAL = 0.025
_PINNED = 0.01
_FEWEST_ROWS = 2
_SAMPLES = 1e-3
_SPEEDS = ("total_throughput", "output_throughput", "input_throughput")
_LARGEST = 1e18


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two figures that do not agree: a sentence, how far, and where they stand."""

    run: Run
    text: str
    names: tuple[str, ...]
    serious: bool
    error: float
    fields: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()


def disagreements(run: Run, server: Server | None = None) -> list[Disagreement]:
    """Every disagreement within a run's own file, identities first."""
    found = [Disagreement(run, one.told, one.names, one.serious, one.error) for one in failures(run)]
    counted = counted_by_events(run, server)
    return [*found, *_by_rows(run), *_by_samples(run), *(_by_length(run) if counted is None else ())]


def checkable(run: Run) -> bool:
    """Whether at least one pair of figures of the run could be compared."""
    return bool(run.requests) or bool(compared(run))


def compared(run: Run) -> list[Check]:
    """The identities of a run that could be asked; the order of its percentiles is none, it says little."""
    return [one for one in check_run(run) if one.holds is not None and not one.identity.id.startswith("I12")]


def _by_length(run: Run) -> Iterator[Disagreement]:
    """Every answer was to have one length; the total says otherwise."""
    expected, tokens = expected_output_tokens(run), run.number("output_tokens")
    if expected is None or tokens is None or reports_what_was_asked(run):
        return
    error = relative_error(expected, tokens)
    if error > _PINNED:
        text = f"completed × output length ({expected:,.0f}) = output tokens ({tokens:,.0f}) fails by {error:.2g} (I14)"
        yield Disagreement(run, text, ("completed", "output_length", "output_tokens"), serious=False, error=error)


def _by_rows(run: Run) -> Iterator[Disagreement]:
    """Llmperf's rows: throughput of a request × its time = its tokens; elsewhere the throughput counted events (I19)."""
    rows = [figures for row in run.requests if (figures := _row(row)) is not None]
    if len(rows) < _FEWEST_ROWS:
        return
    by_rate, by_count = sum(rate * seconds for rate, seconds, _ in rows), sum(tokens for _, _, tokens in rows)
    error = relative_error(by_rate, by_count)
    if error > _ROWS_UNUSUAL:
        text = (
            f"Σ request throughput × latency ({by_rate:,.0f} tokens) = Σ output tokens ({by_count:,.0f}) "
            f"of {len(rows):,} requests fails by {error:.2g} (I19)"
        )
        yield Disagreement(run, text, ("output_tokens",), serious=error > _ROWS_SERIOUS, error=error)


def _by_samples(run: Run) -> Iterator[Disagreement]:
    """llama-bench: the speed printed is the mean of its samples, and a sample is tokens ÷ time (I22)."""
    name = next((one for one in _SPEEDS if one in run.values), "")
    printed, tokens = run.number(name), (run.number("input_length") or 0.0) + (run.number("output_length") or 0.0)
    samples = [(_number(row.get(name)), _number(row.get("e2e"))) for row in run.requests]
    pairs = [(speed, time) for speed, time in samples if speed and time]
    if not run.tool.startswith("llama-bench") or not pairs or not tokens or printed is None or len(pairs) < len(samples):
        return
    mean = fmean(speed for speed, _ in pairs)
    off = max(relative_error(speed, tokens * 1000 / time) for speed, time in pairs)
    for error, text in (
        (relative_error(printed, mean), f"mean speed printed ({printed:,.6g} tok/s) = mean of its samples ({mean:,.6g})"),
        (off, f"speed of each sample = {tokens:,.0f} tokens ÷ its time"),
    ):
        if error > _SAMPLES:
            yield Disagreement(run, f"{text} fails by {error:.2g} (I22)", (name,), serious=True, error=error)


def _row(row: dict[str, Any]) -> tuple[float, float, float] | None:
    """Throughput in tok/s, latency in s and output tokens of a request that succeeded."""
    rate, milliseconds, tokens = (_number(row.get(name)) for name in ("output_throughput", "e2e", "output_tokens"))
    if rate is None or not milliseconds or tokens is None or row.get("failed"):
        return None
    return rate, milliseconds / 1000, tokens


def _number(value: Any) -> float | None:
    held = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
    return float(value) if held else None
