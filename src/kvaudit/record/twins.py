"""Runs that two files tell of: a result file and the table that the client printed, JSON and CSV, a report and its raw file.

Room: `record`. Two runs are one when every measured figure that both hold is the same, up to the rounding of a print, and there
are enough of them: times of two real runs never agree in all their digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from kvaudit.parsers.facts import Fact
from kvaudit.parsers.results.run import LATENCIES

_LEAST = 5
"""Fewest figures that must agree."""
_TELLING = ("duration", "request_throughput", "output_throughput", "total_throughput", "ttft.mean", "e2e.mean", "tpot.mean")
_EXACT = 1e-9
Values = dict[str, Any]


@dataclass(slots=True)
class Twins:
    """The runs that are left, and for each the scopes of its own facts and of those of its twins. `notes` are by file."""

    runs: list[Fact] = field(default_factory=list)
    scopes: list[list[str | None]] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)


def without_twins(clues: Iterable[Fact]) -> Twins:
    """Every run once, in the order in which they come; the one with more figures stays and takes in what only its twin states."""
    found = Twins()
    figures: list[dict[str, float]] = []
    index: dict[tuple[str, str], list[int]] = {}
    for clue in clues:
        own = _figures(clue)
        near = sorted({number for key in _keys(own) for number in index.get(key, [])})
        twin = next((number for number in near if _agree(figures[number], own)), None)
        if twin is None:
            twin = len(found.runs)
            found.runs.append(clue)
            found.scopes.append([clue.scope])
            figures.append(own)
        else:
            first = found.runs[twin]
            main, other = (first, clue) if _precision(figures[twin]) >= _precision(own) else (clue, first)
            found.runs[twin] = _joined(main, other)
            if other.scope:
                found.notes.setdefault(_file(other), []).append(f"holds the figures of {main.scope}: one run, counted once")
            found.scopes[twin] = [main.scope, *(one for one in (*found.scopes[twin], clue.scope) if one != main.scope)]
            figures[twin] = max(figures[twin], own, key=_precision)
        for key in _keys(own):
            index.setdefault(key, []).append(twin)
    return found


def _figures(clue: Fact) -> dict[str, float]:
    """What was measured in a run: times and rates, never counts, which repeat."""
    found: dict[str, float] = {}
    for name, held in _values(clue).items():
        value = held.get("value") if isinstance(held, dict) else None
        if isinstance(value, float) and value and (name in _TELLING or name.partition(".")[0] in LATENCIES):
            found[name] = value
    return found


def _values(clue: Fact) -> Values:
    values = clue.value.get("values") if isinstance(clue.value, dict) else None
    return values if isinstance(values, dict) else {}


def _keys(figures: dict[str, float]) -> list[tuple[str, str]]:
    return [(name, f"{figures[name]:.2g}") for name in _TELLING if name in figures]


def _agree(left: dict[str, float], right: dict[str, float]) -> bool:
    shared = left.keys() & right.keys()
    return len(shared) >= _LEAST and all(_same(left[name], right[name]) for name in shared)


def _same(left: float, right: float) -> bool:
    if abs(left - right) <= _EXACT * max(abs(left), abs(right)):
        return True
    places = min(_places(left), _places(right))
    return places >= 1 and abs(left - right) <= 0.5 * 10.0**-places * (1 + _EXACT)


def _places(value: float) -> int:
    """Decimals of a figure as it was printed; a trailing zero is gone, so never fewer than two are taken as the print's own."""
    digits = repr(value)
    return 9 if "e" in digits else max(2, len(digits.partition(".")[2]))


def _precision(figures: dict[str, float]) -> tuple[int, int]:
    """Full figures before rounded ones, then the number of figures."""
    return sum(_places(value) > 3 for value in figures.values()), len(figures)


def _file(clue: Fact) -> str:
    return str(clue.value.get("file")) if isinstance(clue.value, dict) else ""


def _joined(main: Fact, other: Fact) -> Fact:
    """The main run with what only the other file states; each value keeps its file."""
    if not isinstance(main.value, dict) or not isinstance(other.value, dict):
        return main
    file = other.value.get("file")
    added = {name: {**held, "file": held.get("file") or file} for name, held in _values(other).items() if isinstance(held, dict)}
    upper = {
        key: main.value.get(key) or other.value.get(key) for key in ("label", "model", "started", "tool_version", "requests")
    }
    value = {**main.value, **upper, "values": {**added, **_values(main)}}
    return replace(main, value=value)
