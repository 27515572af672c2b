"""llama-bench as CSV, SQL or the Markdown table of the terminal, with the `build:` line below it.

Room: `parsers.results`. A Markdown table shows only the columns that are not at their default.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.results.columns import numbered, told_of_row
from kvaudit.parsers.results.facts import Teller
from kvaudit.parsers.results.llama_bench import of_row
from kvaudit.parsers.results.parser import MOST_RUNS, add_server_facts
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_INSERT = LatePattern(r"^INSERT INTO (?:test|llama_bench) \((?P<names>[\w, ]+)\) VALUES \((?P<values>.*)\);?\s*$")
_QUOTED = LatePattern(r"'((?:[^']|'')*)'")
_TEST = LatePattern(r"^(?:pp ?(?P<prompt>\d+))?\+?(?:tg ?(?P<output>\d+))?(?: @ ?d(?P<depth>\d+))?$")
_BUILD = LatePattern(r"^build: (?P<commit>[0-9a-f]+) \((?P<number>\d+)\)")
_LONGEST = 10_000
Row = tuple[dict[str, str], Place]


class LlamaBenchTable:
    """Reads llama-bench in text."""

    name = "results:llama-bench"
    kind = "results"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """The columns of llama-bench: at the top as CSV, in an INSERT, or as a table that is most of the document."""
        return 0.95 if _form(source.head) else 0.0

    def read(self, source: Source) -> Reading:
        """One run per row. Raises `InputError` when the table is too large or holds none."""
        text, form = source.text(), _form(source.head)
        if text is None or form is None:
            raise InputError(source.path, "too large for a table of llama-bench")
        teller, reading = Teller(source, self.name, text), Reading(kind=self.kind)
        told, count = [], 0
        for row, place in {"csv": _csv, "sql": _sql, "table": _table}[form](text):
            count += 1
            if count > MOST_RUNS:
                reading.notes.append(f"only the first {MOST_RUNS} rows are read")
                break
            draft = of_row(row, "")
            told += [(one, place) for one in draft.server]
            draft.server = []
            reading.facts += told_of_row(teller, draft, {}, place, count)
        if not count:
            raise InputError(source.path, "a table of llama-bench without a row")
        add_server_facts(reading, teller, told)
        return reading


def _form(head: str) -> str | None:
    lines = [line for line in head.split("\n", 400)[:400] if line.strip()]
    if not lines:
        return None
    if "avg_ts" in lines[0] and "build_commit" in lines[0] and "n_gen" in lines[0]:
        return "csv"
    if any("avg_ts" in line and _INSERT.search(line) for line in lines[:80] if len(line) < _LONGEST):
        return "sql"
    tables = [line for line in lines if line.lstrip().startswith("|")]
    named = any({"model", "test", "t/s"} <= set(_cells(line)) for line in tables)
    return "table" if named and len(tables) >= 3 and 2 * len(tables) >= len(lines) else None


def _csv(text: str) -> Iterator[Row]:
    names: list[str] = []
    for number, offset, line in numbered(text):
        if not line.strip() or len(line) > _LONGEST:
            continue
        try:
            cells = next(csv.reader([line]))
        except (csv.Error, StopIteration):
            continue
        if not names:
            names = cells
        elif len(cells) == len(names):
            yield dict(zip(names, cells, strict=True)), Place(number, offset)


def _sql(text: str) -> Iterator[Row]:
    for number, offset, line in numbered(text):
        match = _INSERT.search(line) if len(line) < _LONGEST else None
        if match:
            names = [name.strip() for name in match.group("names").split(",")]
            values = [value.replace("''", "'") for value in _QUOTED.findall(match.group("values"))]
            if len(names) == len(values):
                yield dict(zip(names, values, strict=True)), Place(number, offset)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _table(text: str) -> Iterator[Row]:
    lines = list(numbered(text))
    builds = [match.groupdict() for _, _, line in lines if (match := _BUILD.search(line))]
    build = {"build_number": builds[0]["number"], "build_commit": builds[0]["commit"]} if len(builds) == 1 else {}
    names: list[str] = []
    for number, offset, line in lines:
        if not line.lstrip().startswith("|") or len(line) > _LONGEST:
            continue
        cells = _cells(line)
        if {"model", "test", "t/s"} <= set(cells):
            names = cells
        elif len(cells) == len(names) and (row := _of_table(dict(zip(names, cells, strict=True)))):
            yield {**build, **row}, Place(number, offset)


def _of_table(cells: dict[str, str]) -> dict[str, str] | None:
    """The keys of the other forms; None for a separator or a test that is neither prompt nor generation."""
    test = _TEST.search(cells["test"])
    if test is None or not cells["test"]:
        return None
    return {
        "model_filename": cells["model"],
        "n_prompt": test.group("prompt") or "0",
        "n_gen": test.group("output") or "0",
        "n_depth": test.group("depth") or "0",
        "avg_ts": cells["t/s"].partition("±")[0].strip(),
        **{name: cells[name] for name in ("type_k", "type_v") if name in cells},
    }
