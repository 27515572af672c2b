"""What the throughput of a run really was, where it can be recomputed: one formula for every run of every arm, or none.

Room: `results`. A correction applied to one arm and not to the other would be a new error, so the choice of the formula looks at
all runs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kvaudit.parsers.results.run import Run, Value
from kvaudit.results.formula import value_of
from kvaudit.results.pinned import fitting_output, pinned_input, pinned_output

TOTAL_FROM_INPUT = "input tok/s × (input length + output length) ÷ input length"
TOTAL_FROM_REQUESTS = "requests/s × (input length + output length)"
TOTAL_FROM_SERVER = "tokens counted by the server ÷ duration"


@dataclass(frozen=True, slots=True)
class Corrected:
    """Throughputs in tokens per second as recomputed, with the formula; `factor` is true ÷ reported output."""

    formula: str
    output: float
    total: float
    factor: float | None = None


ServerTokens = Callable[[Run], float | None]


def corrections(runs: Sequence[Run], server_tokens: ServerTokens | None = None) -> list[Corrected] | None:
    """The corrected figures of all runs by one formula; None where no formula fits all of them.

    `server_tokens` gives the output tokens that the server counted in the window of a run.
    """
    by_server = (lambda run: _from_server(run, server_tokens(run))) if server_tokens else None
    for formula in (_from_input, _from_requests, by_server):
        found = [formula(run) for run in runs] if formula else []
        if found and all(one is not None for one in found):
            return [one for one in found if one is not None]
    return None


def corrected_runs(runs: Sequence[Run], found: Sequence[Corrected]) -> list[Run]:
    """The runs with the recomputed throughputs, and output tokens, in the place of the reported ones."""
    return [_with(run, one) for run, one in zip(runs, found, strict=True)]


def _with(run: Run, one: Corrected) -> Run:
    values = dict(run.values)
    for name, value in (("output_throughput", one.output), ("total_throughput", one.total)):
        values[name] = values[name].model_copy(update={"value": value}) if name in values else Value(value=value)
    tokens, seconds = values.get("output_tokens"), run.number("duration")
    if tokens is not None and seconds:
        values["output_tokens"] = tokens.model_copy(update={"value": round(one.output * seconds)})
    return run.model_copy(update={"values": values})


def _from_input(run: Run) -> Corrected | None:
    """Prompt tokens per second are counted by the server or known beforehand; pinned lengths give the rest."""
    rate = run.number("input_throughput") or value_of("input_tokens / duration", run)
    lengths = pinned_input(run), pinned_output(run) or fitting_output(run)
    if not rate or not lengths[0] or not lengths[1]:
        return None
    total = rate * (lengths[0] + lengths[1]) / lengths[0]
    return _made(run, TOTAL_FROM_INPUT, total - rate, total)


def _from_requests(run: Run) -> Corrected | None:
    """Requests per second, where no figure of the prompts is printed."""
    rate = run.number("request_throughput") or value_of("completed / duration", run)
    lengths = pinned_input(run), pinned_output(run) or fitting_output(run)
    if not rate or not lengths[0] or not lengths[1]:
        return None
    return _made(run, TOTAL_FROM_REQUESTS, rate * lengths[1], rate * (lengths[0] + lengths[1]))


def _from_server(run: Run, tokens: float | None) -> Corrected | None:
    duration, prompts = run.number("duration"), value_of("input_tokens / duration", run)
    if tokens is None or not duration or prompts is None:
        return None
    return _made(run, TOTAL_FROM_SERVER, tokens / duration, tokens / duration + prompts)


def _made(run: Run, formula: str, output: float, total: float) -> Corrected:
    reported = run.number("output_throughput") or value_of("output_tokens / duration", run)
    return Corrected(formula, output, total, output / reported if reported else None)
