"""Every pattern that meets a log is google-re2's: linear in the length of a line, whatever stands in it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import re2

from benchmarks.patterns import growth_of, lines_of, tables
from kvaudit.parsers.tables import Row, Table

SOURCES = Path(__file__).resolve().parents[2] / "src/kvaudit"
TABLES = dict(tables())
ROWS = [(name, row) for name, table in TABLES.items() for row in table.rows]


def modules() -> list[Path]:
    return sorted(SOURCES.rglob("*.py"))


def test_the_tables_of_all_engines_are_found() -> None:
    engines = {name.partition(".")[0] for name in TABLES}
    assert engines == {"vllm", "sglang", "tensorrt_llm", "llama_cpp", "ollama", "lmdeploy", "tgi"}
    assert len(ROWS) > 500


@pytest.mark.parametrize(("table", "row"), ROWS, ids=[f"{table}-{row.name}-{number}" for number, (table, row) in enumerate(ROWS)])
def test_a_pattern_is_compiled_by_re2_and_matches_its_example(table: str, row: Row) -> None:
    pattern = re2.compile(row.pattern)
    assert type(pattern).__module__.startswith("re2")
    assert pattern.search(row.example), f"{table} {row.name}"
    (only,) = list(Table((row,)).matches(row.example))
    assert only is not row


def test_no_module_uses_a_backtracking_engine() -> None:
    found = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [(path.name, name) for name in names if name.partition(".")[0] in ("re", "regex", "sre_compile")]
    assert found == []


def test_the_benchmark_makes_the_same_lines_at_both_lengths() -> None:
    _, row = ROWS[0]
    short, long = list(lines_of(row, 1_000)), list(lines_of(row, 4_000))
    assert [one[:2] for one in short] == [one[:2] for one in long]
    assert all(after.startswith(before) for (*_, before), (*_, after) in zip(short, long, strict=True))
    assert {len(text) for *_, text in short} == {1_000}
    assert growth_of("table", row, 1_000).row == row.name
