"""The CSV twin of aiperf and genai-perf: two tables or three, a metric per row with its unit in parentheses.

Room: `parsers.results`. The first table has a column per statistic, the later ones one value; of telemetry only the names of its
metrics differ, and none of them is read.
"""

from __future__ import annotations

import csv
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.results.aiperf import FIGURES, LATENCIES, take_metrics
from kvaudit.parsers.results.columns import numbered, told_of_row
from kvaudit.parsers.results.facts import Teller
from kvaudit.parsers.results.figures import Draft, written_number
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_HEADER = LatePattern(r"^\s*Metric,(?:avg|Value|count)\b")
_NAME = LatePattern(r"^(?P<name>[^()]+?)\s*(?:\((?P<unit>[^()]*)\))?$")
_KNOWN = frozenset((*FIGURES, *LATENCIES, "benchmark_duration"))
_SPELLINGS = {"total_input_sequence_length": "total_isl", "total_output_sequence_length": "total_osl"}
_MOST_LINES = 5_000


class AiperfTable:
    """Reads the CSV twin."""

    name = "results:aiperf-csv"
    kind = "results"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A header of metrics at the top, and a latency of a request below it."""
        head = source.head.removeprefix("\ufeff").lstrip()
        return 0.95 if _HEADER.search(head) and "\nRequest Latency" in head else 0.0

    def read(self, source: Source) -> Reading:
        """The one run of the file. Raises `InputError` when it is too large or holds none of its metrics."""
        text = source.text()
        if text is None:
            raise InputError(source.path, "too large for a table of aiperf")
        root, places = _metrics(text)
        draft = Draft("aiperf" if "inter_chunk_latency" in root else "genai-perf", root)
        take_metrics(draft)
        if not draft.values:
            raise InputError(source.path, "a table of aiperf without a metric that is known")
        facts = told_of_row(Teller(source, self.name, text), draft, places, Place(1, 0), 1)
        return Reading(kind=self.kind, facts=facts)


def _metrics(text: str) -> tuple[dict[str, Any], dict[str, Place]]:
    """Metrics by the names of the JSON file, and the rows they stand in."""
    root: dict[str, Any] = {}
    places: dict[str, Place] = {}
    header: list[str] = []
    for number, offset, line in numbered(text.removeprefix("\ufeff")):
        if number > _MOST_LINES:
            break
        try:
            cells = next(csv.reader([line]))
        except (csv.Error, StopIteration):
            cells = []
        if cells[:1] == ["Metric"]:
            header = ["avg" if name == "Value" else name.strip() for name in cells[1:]]
        elif cells and header and (match := _NAME.search(cells[0].strip())):
            key = match.group("name").strip().lower().replace(" ", "_").replace("-", "_")
            key = _SPELLINGS.get(key, key)
            if key in _KNOWN and key not in root:
                values = {name: written_number(cell) for name, cell in zip(header, cells[1:], strict=False)}
                root[key] = {"unit": match.group("unit") or "", **values}
                places[key] = Place(number, offset)
    return root, places
