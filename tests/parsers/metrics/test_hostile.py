"""Dumps that somebody damaged: a reading, or an error that names the file; never anything else."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.errors import InputError
from kvaudit.parsers.metrics.iteration_stats import IterationStats
from kvaudit.parsers.metrics.parser import MetricsDump
from kvaudit.record.counters.add import add_counters
from kvaudit.record.table import FactTable
from kvaudit.redaction import Redactor
from kvaudit.sources.source import Source
from tests.parsers.metrics.dumps import SHAPES

ENTRY = {"iter": 1, "iterLatencyMS": 2.5, "kvCacheStats": {"maxNumBlocks": 9, "reusedBlocks": 1, "missedBlocks": 3}}
STATS = json.dumps([ENTRY, ENTRY])
PIECES = st.text(alphabet='{}[]"\\,=#:_ \n\r0123456789.eE+-NaInftotalbuckHELPTYE\x00é', max_size=12)


def source(text: str) -> Source:
    data = text.encode("utf-8", "replace")
    return Source("damaged", len(data), text.count("\n"), "", text[: 1 << 16], [], Redactor(), data=data)


def damaged(text: str, places: list[tuple[int, int, str]]) -> str:
    for start, length, piece in places:
        at = start % (len(text) + 1)
        text = text[:at] + piece + text[at + length :]
    return text


DAMAGE = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 400), PIECES), max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SHAPES)), DAMAGE)
def test_a_damaged_dump_is_read_as_far_as_it_goes(shape: str, places: list[tuple[int, int, str]]) -> None:
    held = source(damaged(SHAPES[shape], places))
    assert 0.0 <= MetricsDump().recognises(held) <= 1.0
    reading = MetricsDump().read(held)
    add_counters(FactTable(reading.facts))
    lines = (held.text() or "").split("\n")
    assert all(1 <= (origin.line or 0) <= len(lines) for fact in reading.facts for origin in fact.origins)


@settings(max_examples=40, deadline=None)
@given(DAMAGE)
def test_damaged_statistics_are_read_or_refused(places: list[tuple[int, int, str]]) -> None:
    held = source(damaged(STATS, places))
    try:
        reading = IterationStats().read(held)
    except InputError as error:
        if error.path != "damaged":
            raise AssertionError(f"an error of {error.path}") from error
    else:
        add_counters(FactTable(reading.facts))
