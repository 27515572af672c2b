"""Counters of a server that a load generator sampled into CSV, a row every second or so.

Room: `parsers`. Format: `*server_metrics.csv` of the metrics collector in InferenceMAX's multi-turn benchmark (2026). It writes 0
for a metric that it did not find, so a column of zeros says nothing; whose counters they are it does not say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kvaudit.errors import InputError
from kvaudit.parsers.facts import COUNTERS_CLUE, Fact, Origin, Reading
from kvaudit.parsers.metrics.shapes import Counters
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

_COLUMNS = {
    "prompt_tokens_total": "prompt_tokens",
    "generation_tokens_total": "generation_tokens",
    "request_success_total": "requests",
    "prefix_cache_queries": "prefix_queries",
    "prefix_cache_hits": "prefix_hits",
    "num_preemptions_total": "preemptions",
}
_MARKS = frozenset(
    {"timestamp_sec", "prompt_tokens_total", "generation_tokens_total", "prefix_cache_queries", "prefix_cache_hits"}
)

_Row = tuple[int, str, dict[str, float]]
"""Line number, line, and its counters by quantity."""


class SampledCounters:
    """Reads counters sampled into CSV."""

    name = "sampled-counters"
    kind = "metrics"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A header with the collector's own column names."""
        return 0.95 if set(_header(source.head)) >= _MARKS else 0.0

    def read(self, source: Source) -> Reading:
        """The counters of the first and of the last row; none where one fell in between, which is a server started anew."""
        text = source.text()
        if text is None:
            raise InputError(source.path, f"{source.size >> 20} MiB, too large for sampled counters")
        rows = list(_rows(text))
        if not rows:
            raise InputError(source.path, "looks like sampled counters and holds no whole row")
        reading = Reading(kind=self.kind)
        fell = next((row[0] for row, before in zip(rows[1:], rows, strict=False) if _fell(before, row)), None)
        if fell is not None:
            reading.notes.append(f"a counter falls at line {fell}: the server was started anew, and nothing is counted")
            return reading
        counted = [name for name, value in rows[-1][2].items() if value > 0]
        for number, line, values in (rows[0], rows[-1]) if len(rows) > 1 else rows:
            origin = Origin(file=source.path, line=number, excerpt=source.excerpt(line), reader=self.name)
            reading.facts.append(_fact(source.path, number, {name: values[name] for name in counted}, origin))
        return reading


def _header(text: str) -> list[str]:
    first = text.removeprefix("\ufeff").lstrip().partition("\n")[0]
    return [name.strip() for name in first.split(",")] if "," in first else []


def _rows(text: str) -> Iterator[_Row]:
    """Every whole row: as many cells as the header, numbers in those that count."""
    lines = text.removeprefix("\ufeff").split("\n")
    begin = next((index for index, line in enumerate(lines) if line.strip()), 0)
    header = _header(lines[begin])
    wanted = {index: _COLUMNS[name] for index, name in enumerate(header) if name in _COLUMNS}
    for number, line in enumerate(lines[begin + 1 :], start=begin + 2):
        cells = line.rstrip("\r").split(",")
        if len(cells) != len(header):
            continue
        values = {name: _count(cells[index]) for index, name in wanted.items()}
        sound = {name: value for name, value in values.items() if value is not None}
        if len(sound) == len(values):
            yield number, line, sound


def _count(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _fell(before: _Row, row: _Row) -> bool:
    return any(row[2][name] < value for name, value in before[2].items())


def _fact(path: str, number: int, values: dict[str, float], origin: Origin) -> Fact:
    counters = Counters(file=path, engine="", values=values, lines={name: [number] for name in values})
    return fact(COUNTERS_CLUE, counters.model_dump(), "observed", [origin])
