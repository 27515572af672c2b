"""Runs that repeat each other: the same load on the same server, more than once.

Room: `results`. Two runs are repetitions where everything they say of their load is the same and they say enough. Prompts are the
same where their tokens are, to the token.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from kvaudit.parsers.results.run import Run
from kvaudit.patterns import LatePattern
from kvaudit.results.formula import value_of

SAID = ("request_rate", "max_concurrency", "burstiness", "dataset", "endpoint", "input_length", "output_length", "prefix_length")
WARM_UP = 1.3
"""A first run whose first tokens come this much later than in every later one."""
IMPOSSIBLE = 1.5
"""Ratio of two throughputs of one server under one load that no run-to-run spread shows."""
_SAME_LENGTH = 0.02
_SAME_LOAD = 0.25
_IN_FLIGHT = "completed * e2e.mean / 1000 / duration"
_FEWEST_REQUESTS = 8
_SWEPT = "SERVE--"
_NUMBERS = LatePattern(r"([0-9]+)")
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Faster:
    """Two runs of one load, and the throughput of the faster over that of the slower."""

    slow: Run
    fast: Run
    ratio: float
    quantity: str = "output_throughput"


@dataclass(frozen=True, slots=True)
class WarmUp:
    """A first run with the same prompts as later ones, and how much later its first tokens came than in the slowest of them."""

    first: Run
    later: tuple[Run, ...]
    ratio: float
    quantity: str


def load_of(run: Run) -> tuple[Hashable, ...]:
    """What the run says of its load, its model, tool and label, for grouping."""
    said = [str(run.values[name].value) if name in run.values else None for name in SAID]
    return (run.tool, run.model, run.label, _server_of(run), *said)


def _server_of(run: Run) -> str:
    """The server's settings where vLLM's sweep put them into the folder's name: `SERVE--max_num_seqs=64-BENCH--…`."""
    _, found, rest = run.file.rpartition(_SWEPT)
    return rest.partition("/")[0].partition("-BENCH--")[0] if found else ""


def groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs of the same load, in the order given."""
    found: dict[tuple[Hashable, ...], list[Run]] = {}
    for run in runs:
        found.setdefault(load_of(run), []).append(run)
    return list(found.values())


def in_time(runs: Sequence[Run]) -> list[Run]:
    """Runs by their start where every one names it, else by the numbers in the names of their files, rep2 before rep10."""
    if all(run.started for run in runs) and len({"+" in str(run.started)[10:] for run in runs}) == 1:
        return sorted(runs, key=lambda run: str(run.started))
    return sorted(runs, key=_by_name)


def _by_name(run: Run) -> tuple[list[tuple[int, str]], int]:
    parts = [(int(part[:_DIGITS]), "") if part.isdecimal() else (-1, part) for part in _NUMBERS.split(run.file) if part]
    return parts, run.line or 0


def warm_ups(runs: Sequence[Run]) -> list[WarmUp]:
    """Groups of runs with the very same prompts whose first run waited longer for its first tokens than every later one."""
    found = (_warm_up(group) for load in groups(runs) for group in _same_prompts(load))
    return [one for one in found if one is not None]


def _same_prompts(runs: Sequence[Run]) -> list[list[Run]]:
    by_tokens: dict[tuple[float, float], list[Run]] = {}
    for run in runs:
        tokens, completed = run.number("input_tokens"), run.number("completed")
        if tokens and completed and completed >= _FEWEST_REQUESTS:
            by_tokens.setdefault((tokens, completed), []).append(run)
    return [group for group in by_tokens.values() if len(group) > 1]


def _warm_up(group: list[Run]) -> WarmUp | None:
    first, *later = in_time(group)
    for quantity in ("ttft.median", "ttft.mean"):
        begin = first.number(quantity)
        rest = [run.number(quantity) for run in later]
        numbers = [value for value in rest if value]
        if begin and len(numbers) == len(later) and begin > WARM_UP * max(numbers):
            return WarmUp(first, tuple(later), begin / max(numbers), quantity)
    return None


def impossible(runs: Sequence[Run]) -> Faster | None:
    """The widest gap of output throughput among runs of one load with prompts and answers of the same length, if too wide."""
    pairs = [
        _pair(one, other)
        for group in groups(runs)
        for at, one in enumerate(group)
        for other in group[at + 1 :]
        if _same_lengths(one, other)
    ]
    wide = [one for one in pairs if one is not None and one.ratio > IMPOSSIBLE]
    return max(wide, key=lambda one: one.ratio, default=None)


def _pair(one: Run, other: Run) -> Faster | None:
    rates = one.number("output_throughput"), other.number("output_throughput")
    if not rates[0] or not rates[1] or min(rates[0], rates[1]) <= 0:
        return None
    slow, fast = (one, other) if rates[0] < rates[1] else (other, one)
    return Faster(slow, fast, max(rates[0], rates[1]) / min(rates[0], rates[1]))


def _same_lengths(one: Run, other: Run) -> bool:
    """Mean prompt and answer lengths within two per cent, and as many requests in flight.

    A load that is not capped must have the same requests too; one whose cap and pace nobody states is not known to be the same.
    """
    if "max_concurrency" not in one.values and "request_rate" not in one.values:
        return False
    if one.file == other.file and one.pointer and other.pointer:  # the summary of a sweep: entries differ in what was swept
        return False
    flying = [value_of(_IN_FLIGHT, run) for run in (one, other)]
    if flying[0] and flying[1] and abs(flying[0] - flying[1]) > _SAME_LOAD * max(flying[0], flying[1]):
        return False
    for tokens in ("input_tokens", "output_tokens"):
        means = [mean_length(run, tokens) for run in (one, other)]
        if not means[0] or not means[1] or abs(means[0] - means[1]) > _SAME_LENGTH * max(means[0], means[1]):
            return False
    return "max_concurrency" in one.values or one.number("completed") == other.number("completed")


def mean_length(run: Run, tokens: str) -> float | None:
    """Mean prompt (`input_tokens`) or answer (`output_tokens`) length of a run, in tokens."""
    mean = value_of(f"{tokens} / completed", run)
    return mean if mean is not None else run.number(f"mean_{tokens.removesuffix('_tokens')}_length")
