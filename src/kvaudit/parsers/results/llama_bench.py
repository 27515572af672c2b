"""llama-bench of llama.cpp: one row per test, in JSON, JSON lines, CSV, SQL or a Markdown table.

Room: `parsers.results`. Keys of b3000 to b11434. There is no server, no stream and no cache of prefixes; CSV and SQL quote every
value. A row is a test: prompt processing (`pp512`), generation (`tg128`), or both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.llama_cpp.converters import version
from kvaudit.parsers.results.figures import Draft, at, numbers, text, written_number
from kvaudit.parsers.results.shape import Shape

TOOL = "llama-bench"

_CACHE_TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32"}
_MOST_SAMPLES = 200


def list_claims(shape: Shape) -> bool:
    """A list of rows with the average speed."""
    return shape.listed and shape.has("avg_ts", "n_prompt", "n_gen")


def line_claims(shape: Shape) -> bool:
    """A row by itself: JSON lines."""
    return not shape.listed and shape.has("avg_ts", "n_prompt", "n_gen")


def drafts(value: Any) -> Iterator[Draft]:
    """One run per row."""
    for index, row in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(row, dict):
            yield of_row(row, f"/{index}" if isinstance(value, list) else "")


def of_row(row: dict[str, Any], pointer: str) -> Draft:
    """The run of one row; its figures may be written as texts."""
    run = Draft(TOOL, row, pointer, model=text(row.get("model_filename")), started=text(row.get("test_time")))
    run.tool_version = version(f"{row.get('build_number')} ({row.get('build_commit')})")
    prompt, output = written_number(row.get("n_prompt")) or 0, written_number(row.get("n_gen")) or 0
    run.label = (
        f"{f'pp{prompt:g}' if prompt else ''}{'+' if prompt and output else ''}{f'tg{output:g}' if output else ''}" or None
    )
    take_sizes(run, prompt, output)
    name = "total_throughput" if prompt and output else "output_throughput" if output else "input_throughput"
    run.take(name, "avg_ts", written=True)
    _take_samples(run, name)
    _take_settings(run)
    return run


def take_sizes(run: Draft, prompt: float, output: float) -> None:
    """What the test asks for; a depth is a prefix that every repetition shares."""
    if prompt:
        run.take("input_length", "n_prompt", written=True)
    if output:
        run.take("output_length", "n_gen", written=True)
    if written_number(run.root.get("n_depth")):
        run.take("prefix_length", "n_depth", written=True)


def _take_samples(run: Draft, name: str) -> None:
    speeds, times = numbers(at(run.root, "samples_ts")), numbers(at(run.root, "samples_ns"))
    if speeds and times and len(speeds) == len(times):
        rows = zip(speeds[:_MOST_SAMPLES], times, strict=False)
        run.requests = [{name: speed, "e2e": nanoseconds / 1e6} for speed, nanoseconds in rows]


def _take_settings(run: Draft) -> None:
    """The types of the cache as the context was made with them; keys and values of two types are no one type."""
    row = run.root
    run.says("engine.name", "llama_cpp", "resolved")
    run.says("engine.version", run.tool_version, "resolved", "build_number")
    keys, values = text(row.get("type_k")), text(row.get("type_v"))
    if keys and keys == values:
        run.says("kv_cache.dtype", _CACHE_TYPES.get(keys, keys), "resolved", "type_k")
