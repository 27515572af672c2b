"""How the time of every pattern grows with the length of hostile lines: as their length, whatever stands in them.

Usage: python -m benchmarks.patterns [--length 80000] [--worst 15] [--json PATH]

For each row of every parser's tables, lines are made that begin as its example does, at every cut of it, and go on with what the
pattern may repeat: digits, letters, blanks, brackets, quotes, the example itself. Each is matched at one length and at four times
that. The ratio is seconds a character on the longer ÷ on the shorter: 1 is linear, 4 is quadratic. A ratio that stands out is
measured again, because a busy machine makes some; the smallest counts. Both lengths lie beyond those on which google-re2 takes
its faster engine for short texts, which is linear too: between the two a character costs up to four times as much, once.
Exit code 1: a row above 2.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import re2

import kvaudit.parsers
from kvaudit.parsers.tables import Row, Table

LIMIT = 2.0
_TIMES = 4
_REPEATED = ("0", "a", " ", "1,", "(", "a=", "'", "[x] ", "\\", "\x1b[0m")
_CUTS = (0.0, 0.5, 1.0)
_AGAIN = 6


@dataclass(frozen=True)
class Growth:
    """The worst line of one row: what is repeated after how much of the example, and how the time grew."""

    table: str
    row: str
    repeated: str
    behind: int
    ratio: float
    nanoseconds_a_character: float


def tables() -> Iterator[tuple[str, Table]]:
    """The tables of all parsers, each once, by the module that holds them."""
    seen: set[int] = set()
    for module in pkgutil.walk_packages(kvaudit.parsers.__path__, "kvaudit.parsers."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Table) and id(value) not in seen:
                seen.add(id(value))
                yield f"{module.name.removeprefix('kvaudit.parsers.')}.{name}", value


def lines_of(row: Row, length: int) -> Iterator[tuple[str, int, str]]:
    """Hostile lines of one length: what is repeated, how much of the example stands before it, the line."""
    for cut in _CUTS:
        begin = row.example[: int(len(row.example) * cut)]
        for repeated in (*_REPEATED, row.example):
            text = begin + repeated * (max(1, length - len(begin)) // len(repeated) + 1)
            yield repeated[:12], len(begin), text[:length]


def seconds(pattern: Any, text: str) -> float:
    """One search, CPU time."""
    begun = time.process_time()
    pattern.search(text)
    return time.process_time() - begun


def growth_of(table: str, row: Row, length: int) -> Growth:
    """The line of a row whose time grows fastest."""
    pattern = re2.compile(row.pattern)
    worst = Growth(table, row.name, "", 0, 0.0, 0.0)
    for (repeated, behind, short), (_, _, long) in zip(lines_of(row, length), lines_of(row, _TIMES * length), strict=True):
        ratio, took = _ratio(pattern, short, long)
        for _ in range(_AGAIN if ratio > LIMIT else 0):
            ratio, took = min((ratio, took), _ratio(pattern, short, long))
        if ratio > worst.ratio:
            worst = Growth(table, row.name, repeated, behind, ratio, 1e9 * took / len(long))
    return worst


def _ratio(pattern: Any, short: str, long: str) -> tuple[float, float]:
    """Seconds a character on the long line ÷ on the short one, and the seconds on the long one."""
    before, after = seconds(pattern, short), seconds(pattern, long)
    return (after / len(long)) / max(before / len(short), 1e-12), after


def table_of(found: list[Growth], worst: int) -> str:
    """The rows whose time grows fastest, as Markdown."""
    out = ["| table | row | line | ratio | ns a character |", "|---|---|---|---|---|"]
    for one in sorted(found, key=lambda item: -item.ratio)[:worst]:
        line = f"{one.behind} characters of the example, then {one.repeated!r}"
        out.append(f"| {one.table} | {one.row} | {line} | {one.ratio:.2f} | {one.nanoseconds_a_character:.1f} |")
    return "\n".join(out)


def main() -> int:
    """Measure every row, print the worst."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=80_000, help="characters of the shorter line")
    parser.add_argument("--worst", type=int, default=15)
    parser.add_argument("--json", help="write all rows to this file too")
    options = parser.parse_args()
    found = [growth_of(name, row, options.length) for name, table in tables() for row in table.rows]
    print(table_of(found, options.worst))  # noqa: T201 - a script
    beyond = [one for one in found if one.ratio > LIMIT]
    middle = sorted(one.ratio for one in found)[len(found) // 2]
    lengths = f"lines of {options.length:,} and {_TIMES * options.length:,} characters"
    print(f"\n{len(found)} rows, {lengths}: median of the worst ratios {middle:.2f}, above {LIMIT:g}: {len(beyond)}")  # noqa: T201
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(one) for one in found], indent=2) + "\n", encoding="utf-8")
    return int(bool(beyond))


if __name__ == "__main__":
    sys.exit(main())
