"""Samples of a Prometheus text dump with their line numbers.

Room: `parsers`. Format: Prometheus text exposition 0.0.4 and OpenMetrics 1.0 sample lines. Own reading, because evidence needs
the line of each sample; the tests hold it against prometheus_client's parser.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import re2

_SAMPLE = re2.compile(r"^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})?[ \t]+([-+0-9.eEINFNainf]+)(?:[ \t].*)?$")
_LABEL = re2.compile(r'([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"')
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: metric name, labels, value, and the 1-based line it stands on."""

    name: str
    labels: dict[str, str]
    value: float
    line: int
    text: str


def samples(text: str) -> Iterator[Sample]:
    """Every sample line; comments and lines that are no sample are passed over."""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if not line or line[0] == "#" or len(line) > _LONGEST_LINE:
            continue
        match = _SAMPLE.match(line)
        value = _number(match.group(3)) if match else None
        if match and value is not None:
            yield Sample(match.group(1), _labels(match.group(2) or ""), value, number, line)


def _labels(text: str) -> dict[str, str]:
    found = {}
    for match in _LABEL.finditer(text):
        found[match.group(1)] = match.group(2).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
