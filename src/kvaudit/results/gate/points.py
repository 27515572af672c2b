"""Workload points: which runs repeat one measurement, and whether a point is prefill-heavy or decode-heavy.

Room: `results`. Two runs repeat one measurement when the settings of the load are the same, as far as the files state them, and
their mean lengths are within 20 %: a run of another point is no repetition. A setting that only one of two runs states separates
them, because nothing shows that they agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.measurements import is_measured
from kvaudit.results.gate.model import Kind

SETTINGS = {
    "request_rate": "rate",
    "max_concurrency": "concurrency",
    "requests": "requests",
    "dataset": "dataset",
    "burstiness": "burstiness",
    "input_length": "input length",
    "output_length": "output length",
}
"""What makes the load, and what it is called in a sentence."""
HEAVY = 2.0
"""A point is heavy on one side when that side has at least twice the tokens of the other."""
_LENGTHS_AGREE = 0.2


@dataclass
class Point:
    """The runs of both arms at one workload point; lengths are those of its first run, in tokens per request."""

    settings: dict[str, str]
    input_tokens: float | None
    output_tokens: float | None
    arms: dict[str, list[Run]] = field(default_factory=dict)
    name: str = ""
    """What tells the point from the others of the same call."""

    @property
    def kind(self) -> Kind:
        """Heavier on the prompt, on the output, or on neither."""
        return kind_of(self.input_tokens, self.output_tokens)


def kind_of(input_tokens: float | None, output_tokens: float | None) -> Kind:
    """The kind of a load by its mean lengths."""
    if input_tokens is None or output_tokens is None or input_tokens == output_tokens == 0:
        return "unknown"
    if input_tokens >= HEAVY * output_tokens:
        return "prefill-heavy"
    return "decode-heavy" if output_tokens >= HEAVY * input_tokens else "balanced"


def points_of(arms: dict[str, list[Run]]) -> list[Point]:
    """Every workload point of the arms, shortest prompts first."""
    entries = [(_length(run, "input"), _length(run, "output"), arm, run) for arm, runs in arms.items() for run in runs]
    points: dict[tuple[tuple[str, str], ...], list[Point]] = {}
    for input_tokens, output_tokens, arm, run in _ordered(entries):
        settings = {name: _shown(run.values[name].value) for name in SETTINGS if name in run.values}
        alike = points.setdefault(tuple(settings.items()), [])
        point = _matching(alike, input_tokens, output_tokens)
        if point is None:
            point = Point(settings, input_tokens, output_tokens)
            alike.append(point)
        point.arms.setdefault(arm, []).append(run)
    found = [point for alike in points.values() for point in alike]
    _name(found)
    return sorted(found, key=lambda one: (one.input_tokens or 0.0, one.output_tokens or 0.0))


def _name(points: Sequence[Point]) -> None:
    """Names by length, with as many settings as it takes to tell all points apart."""
    for point in points:
        lengths = [one for one in (point.input_tokens, point.output_tokens) if one is not None]
        point.name = "/".join(f"{one:.0f}" for one in lengths) + " tokens" if len(lengths) == 2 else ""
    for setting, word in SETTINGS.items():
        if len({point.name for point in points}) < len(points) and len({point.settings.get(setting) for point in points}) > 1:
            for point in points:
                point.name += f"{', ' if point.name else ''}{word} {point.settings.get(setting, 'unknown')}"
    for point in points:
        point.name = point.name or "all runs"


_Entry = tuple[float | None, float | None, str, Run]


def _ordered(entries: Sequence[_Entry]) -> list[_Entry]:
    """By length, so that the grouping does not depend on the order of the files; runs of equal length keep their order."""
    return sorted(entries, key=lambda one: (one[0] or 0.0, one[1] or 0.0))


def _matching(alike: Iterable[Point], *lengths: float | None) -> Point | None:
    """The point of these lengths among those of equal settings."""
    for point in alike:
        held = (point.input_tokens, point.output_tokens)
        if all(_near(*pair) for pair in zip(held, lengths, strict=True)):
            return point
    return None


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _LENGTHS_AGREE * max(one, other)


def _length(run: Run, side: str) -> float | None:
    """Mean tokens per request: measured where the file tells, else as asked for."""
    tokens, completed = run.number(f"{side}_tokens"), run.number("completed")
    mean = tokens / completed if is_measured(tokens) and is_measured(completed) and completed else None
    told = (run.number(f"mean_{side}_length"), mean, run.number(f"{side}_length"))
    return next((length for length in told if is_measured(length)), None)


def _shown(value: object) -> str:
    """One spelling per value: a rate without limit is `inf`, whether the file has a number or a word; of a path its last part."""
    try:
        return f"{float(str(value)):g}"
    except ValueError:
        return str(value).rstrip("/").rpartition("/")[2]
